// The main area of a page: scrolls if its panels need more room than the window has, and has
// splitters between them. Main thread, inside a frame; lives as long as the page is drawn.
#pragma once

#include "gui/ui/layout.h"

namespace ringside::ui {

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
