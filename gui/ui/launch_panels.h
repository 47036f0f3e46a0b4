// The panels of the Launch place, one free function each: a const view in, commands out. Main
// thread, inside a frame.
#pragma once

#include <set>
#include <span>
#include <string>

#include "gui/ui/layout.h"
#include "gui/view/command.h"
#include "gui/view/launch_view.h"

namespace ringside::ui {

/// What the window itself remembers of this place.
struct LaunchMemory {
  std::size_t preview_tab = 0;
  std::set<std::string> unfolded;  ///< sections of the form whose advanced fields are shown
};

void draw_devices(const view::LaunchView& launch, const view::LaunchForm& form, const Rect& area,
                  view::CommandQueue& commands);
/// Pixels that the matrix of links takes; 0: there is none.
float links_height(const view::LinkMatrix& links);
void draw_links(const view::LinkMatrix& links, const Rect& area);
/// `presets`: to choose from.
void draw_form(const view::LaunchView& launch, const view::LaunchForm& form,
               std::span<const view::PresetChoice> presets, const Rect& area, LaunchMemory& memory,
               view::CommandQueue& commands);
void draw_plan(const view::LaunchView& launch, const Rect& area);
void draw_preflight(const view::LaunchView& launch, const Rect& area, view::CommandQueue& commands);
void draw_preview(const view::LaunchView& launch, const Rect& area, LaunchMemory& memory,
                  view::CommandQueue& commands);
/// `problem`: why the last start failed; empty: it did not.
void draw_launch_button(const view::LaunchView& launch, const messages::RunSpec& spec,
                        const std::string& problem, const Rect& area, view::CommandQueue& commands);

}  // namespace ringside::ui
