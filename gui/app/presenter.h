// Brings the back buffer to the screen. Where the processor draws (Mesa's llvmpipe and softpipe)
// and GLX can copy a part of it (GLX_MESA_copy_sub_buffer), only what changed is copied and the
// back buffer stays as it is, so that the next frame needs to draw only what changes; elsewhere
// buffers are swapped. Main thread, with the window's context current.
#pragma once

#include <span>

#include "gui/ui/rect.h"

struct GLFWwindow;

namespace ringside::app {

class Presenter {
 public:
  explicit Presenter(GLFWwindow* window);

  /// The back buffer still holds the last frame, and parts can be shown.
  bool keeps() const { return copy_ != nullptr; }
  /// Shows parts in pixels from the top left; where it does not keep(), the whole window.
  void show(std::span<const ui::Rect> parts, int window_height) const;

 private:
  // As in glx.h, whose types are a pointer and a number; its header would bring X11's names along.
  using CopySubBuffer = void (*)(void* display, unsigned long drawable, int x, int y, int w, int h);

  GLFWwindow* window_;
  CopySubBuffer copy_ = nullptr;
  void* display_ = nullptr;
  unsigned long drawable_ = 0;
};

}  // namespace ringside::app
