// The parts around every page: the rail on the left, the top bar, the status bar, and the area that
// scrolls the panels between them; without a run, the ways to begin are in it. Main thread, inside
// a frame.
#pragma once

#include "gui/ui/layout.h"
#include "gui/view/command.h"
#include "gui/view/manual/manual_places.h"
#include "gui/view/window/machine_view.h"
#include "gui/view/window/status_bar.h"
#include "gui/view/window/top_bar.h"

namespace ringside::ui {

/// `help`: section of the manual about the current page.
void draw_rail(const FrameLayout& frame, view::Page page, const view::ManualPlace& help,
               view::CommandQueue& commands);
void draw_top_bar(const FrameLayout& frame, const view::TopBarView& bar,
                  const view::MachineView& machine, view::CommandQueue& commands);
/// Draws the button that names the machine and opens the sheet of machines; returns its right edge.
float draw_machine(const FrameLayout& frame, const view::MachineView& machine, float x,
                   view::CommandQueue& commands);
void draw_status_bar(const FrameLayout& frame, const view::StatusBarView& bar);

float first_steps_height();
/// Draws one sentence about the program, with the ways to begin below it.
void draw_first_steps(const Rect& area, view::CommandQueue& commands);

/// The main area of a page: scrolls if its panels need more room than the window has, and has
/// splitters between them. Lives as long as the page is drawn.
class PageArea {
 public:
  /// `page` is not scrolled yet; the caller moves it by scrolled_x and scrolled_y before drawing.
  PageArea(const PageLayout& page, Arrangement& arrangement);
  /// Draws the splitters over the panels and ends the area.
  ~PageArea();
  PageArea(const PageArea&) = delete;
  PageArea& operator=(const PageArea&) = delete;

  float scrolled_x() const { return scrolled_x_; }
  float scrolled_y() const { return scrolled_y_; }

 private:
  const PageLayout& page_;
  Arrangement& arrangement_;
  float scrolled_x_ = 0;
  float scrolled_y_ = 0;
};

}  // namespace ringside::ui
