// Shows the back buffer on the screen. With a software renderer (Mesa's llvmpipe and softpipe) and
// a GLX that can copy a part of it (GLX_MESA_copy_sub_buffer), only changed parts are copied and
// the back buffer keeps its content, so that the next frame draws only what changes; otherwise
// buffers are swapped. Main thread, with the window's context current. Mesa updates its size of the
// window only after a swap, and a copy outside of that size ends the program with an X error: parts
// are copied only from a buffer whose size is known.
#pragma once

#include <span>

#include "gui/ui/rect.h"

struct GLFWwindow;

namespace ringside::window {

class Presenter {
 public:
  explicit Presenter(GLFWwindow* window);

  /// Whether the back buffer still holds the last frame and parts can be shown.
  bool keeps() const { return copy_ != nullptr; }
  /// Whether the back buffer has this size in pixels; otherwise all of it has to be drawn.
  bool fits(int width, int height) const { return width == width_ && height == height_; }
  /// Shows parts in pixels from the top left, or the whole window unless keeps(). The size is that
  /// of the window before drawing. False: the window was resized meanwhile, and another frame is
  /// needed.
  bool show(std::span<const ui::Rect> parts, int width, int height);

 private:
  // The type is as in glx.h, reduced to a pointer and a number; that header would also declare
  // X11's names.
  using CopySubBuffer = void (*)(void* display, unsigned long drawable, int x, int y, int w, int h);

  GLFWwindow* window_;
  CopySubBuffer copy_ = nullptr;
  void* display_ = nullptr;
  unsigned long drawable_ = 0;
  int width_ = 0;  ///< of the back buffer; 0: not known
  int height_ = 0;
  bool asks_size_ = false;  ///< drawing will update the size
};

}  // namespace ringside::window
