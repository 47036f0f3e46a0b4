// The pieces that both forms of the Launch place are made of. Internal to it. Main thread, inside a
// frame.
#pragma once

#include <string>
#include <vector>

#include "gui/ui/launch/launch_panels.h"

namespace ringside::ui {

inline constexpr float kFormRow = 28;     ///< pixels at scale 1
inline constexpr float kFormLabel = 106;  ///< width of the words before a field

/// A setting with its label. Returns its height, with that of its error.
float draw_field(const view::FieldView& field, const Rect& row, view::CommandQueue& commands);
/// Draws the fields one below the other; short ones stand in pairs. Returns the y below.
float draw_fields(const std::vector<view::FieldView>& fields, const Rect& line, float y,
                  view::CommandQueue& commands);
/// Returns the y below.
float draw_form_title(const std::string& title, const Rect& line, float y, bool first);
/// The link beside a title that unfolds what few people change; true while it is to be shown.
bool draw_fold(const view::FormSection& section, const Rect& line, float title_bottom,
               LaunchMemory& memory);
/// Returns the y below.
float draw_baselines(const std::vector<view::BaselineRow>& rows, const Rect& line, float y,
                     view::CommandQueue& commands);

/// The form of a program of the person's own. Returns the y below.
float draw_script_form(const view::LaunchView& launch, bool can_browse, const Rect& line, float y,
                       LaunchMemory& memory, view::CommandQueue& commands);

}  // namespace ringside::ui
