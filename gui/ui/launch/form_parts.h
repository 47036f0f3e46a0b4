// The pieces that both forms of the Launch page consist of. Internal to it. Main thread, inside a
// frame.
#pragma once

#include <string>
#include <vector>

#include "gui/ui/launch/launch_panels.h"

namespace ringside::ui {

inline constexpr float kFormRow = 28;     ///< pixels at scale 1
inline constexpr float kFormLabel = 106;  ///< width of the label before a field

/// Draws a setting with its label. Returns its height, including an error message.
float draw_field(const view::FieldView& field, const Rect& row, view::CommandQueue& commands);
/// Draws the fields one below the other; short ones share a row in pairs. Returns the y below.
float draw_fields(const std::vector<view::FieldView>& fields, const Rect& line, float y,
                  view::CommandQueue& commands);
/// Draws a section title. Returns the y below.
float draw_form_title(const std::string& title, const Rect& line, float y, bool first);
/// Draws the link beside a title that unfolds the advanced fields; true while they are shown.
bool draw_fold(const view::FormSection& section, const Rect& line, float title_bottom,
               LaunchMemory& memory);
/// Draws the choice of a baseline. Returns the y below.
float draw_baselines(const std::vector<view::BaselineRow>& rows, const Rect& line, float y,
                     view::CommandQueue& commands);

/// Draws the form of a custom program. Returns the y below.
float draw_script_form(const view::LaunchView& launch, const Rect& line, float y,
                       LaunchMemory& memory, view::CommandQueue& commands);

}  // namespace ringside::ui
