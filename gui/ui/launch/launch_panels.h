// The panels of the Launch page, one free function each: a const view in, commands out. Main
// thread, inside a frame.
#pragma once

#include <set>
#include <span>
#include <string>

#include "gui/ui/layout.h"
#include "gui/view/command.h"
#include "gui/view/launch/launch_view.h"
#include "gui/view/runs/runs_view.h"

namespace ringside::ui {

/// State of this page between frames that only the window needs.
struct LaunchMemory {
  std::size_t preview_tab = 0;
  std::set<std::string> unfolded;  ///< sections of the form whose advanced fields are shown
};

struct FormSources {
  std::span<const view::PresetChoice> presets;
  std::span<const view::RunSummary> runs;
};

void draw_devices(const view::LaunchView& launch, const view::LaunchForm& form, const Rect& area,
                  view::CommandQueue& commands);
/// Height of the matrix of links in pixels; 0: there is none.
float links_height(const view::LinkMatrix& links);
void draw_links(const view::LinkMatrix& links, const Rect& area, view::CommandQueue& commands);
void draw_form(const view::LaunchView& launch, const view::LaunchForm& form,
               const FormSources& sources, const Rect& area, LaunchMemory& memory,
               view::CommandQueue& commands);
/// Draws the buttons in the form's header that fill or reset it.
void draw_form_sources(const FormSources& sources, const view::LaunchForm& form, view::RunKind kind,
                       const Rect& header, view::CommandQueue& commands);
void draw_plan(const view::LaunchView& launch, const Rect& area);
void draw_preflight(const view::LaunchView& launch, const Rect& area, view::CommandQueue& commands);
void draw_preview(const view::LaunchView& launch, const Rect& area, LaunchMemory& memory,
                  view::CommandQueue& commands);
/// `problem`: why the last start failed; empty: it did not.
void draw_launch_button(const view::LaunchView& launch, const std::string& problem,
                        const Rect& area, view::CommandQueue& commands);

}  // namespace ringside::ui
