// Brings the back buffer to the screen. Where the processor draws (Mesa's llvmpipe and softpipe)
// and GLX can copy a part of it (GLX_MESA_copy_sub_buffer), only what changed is copied and the
// back buffer stays as it is, so that the next frame needs to draw only what changes; elsewhere
// buffers are swapped. Main thread, with the window's context current.
// Mesa asks for the size of the window after a swap only, and a copy that does not lie within what
// it knows ends the program with an X error: a part is copied only of a buffer whose size is known.
#pragma once

#include <span>

#include "gui/ui/rect.h"

struct GLFWwindow;

namespace ringside::window {

class Presenter {
 public:
  explicit Presenter(GLFWwindow* window);

  /// The back buffer still holds the last frame, and parts can be shown.
  bool keeps() const { return copy_ != nullptr; }
  /// The back buffer was made for a window of this size in pixels; else the whole of it is drawn.
  bool fits(int width, int height) const { return width == width_ && height == height_; }
  /// Shows parts in pixels from the top left; where it does not keep(), the whole window. The size
  /// is that of the window before it was drawn. False: the window has another size by now, and one
  /// more frame is owed.
  bool show(std::span<const ui::Rect> parts, int width, int height);

 private:
  // The type is as in glx.h, whose types are a pointer and a number; that header would bring X11's
  // names along.
  using CopySubBuffer = void (*)(void* display, unsigned long drawable, int x, int y, int w, int h);

  GLFWwindow* window_;
  CopySubBuffer copy_ = nullptr;
  void* display_ = nullptr;
  unsigned long drawable_ = 0;
  int width_ = 0;  ///< of the back buffer; 0: not known
  int height_ = 0;
  bool asks_size_ = false;  ///< drawing will ask for it
};

}  // namespace ringside::window
