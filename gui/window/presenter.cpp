#include "gui/window/presenter.h"

#include <GLFW/glfw3.h>

#include <string_view>

namespace ringside::window {
namespace {

bool processor_draws() {
  const auto* name = reinterpret_cast<const char*>(glGetString(GL_RENDERER));
  const std::string_view renderer = name == nullptr ? "" : name;
  return renderer.starts_with("llvmpipe") || renderer.starts_with("softpipe");
}

template <class Function>
Function loaded(const char* name) {
  return reinterpret_cast<Function>(glfwGetProcAddress(name));
}

}  // namespace

Presenter::Presenter(GLFWwindow* window) : window_(window) {
  if (!processor_draws() || glfwExtensionSupported("GLX_MESA_copy_sub_buffer") == GLFW_FALSE)
    return;
  const auto display = loaded<void* (*)()>("glXGetCurrentDisplay");
  const auto drawable = loaded<unsigned long (*)()>("glXGetCurrentDrawable");
  if (display == nullptr || drawable == nullptr) return;
  display_ = display();
  drawable_ = drawable();
  if (display_ != nullptr && drawable_ != 0) copy_ = loaded<CopySubBuffer>("glXCopySubBufferMESA");
}

bool Presenter::show(std::span<const ui::Rect> parts, int width, int height) {
  if (!keeps()) {
    glfwSwapBuffers(window_);
    return true;
  }
  if (!fits(width, height)) {
    int now_width = 0;
    int now_height = 0;
    glfwGetFramebufferSize(window_, &now_width, &now_height);
    // Equal sizes before and after the drawing that updated the buffer show that it has that size.
    if (!asks_size_ || now_width != width || now_height != height) {
      glfwSwapBuffers(window_);
      asks_size_ = true;
      width_ = height_ = 0;
      return false;
    }
    asks_size_ = false;
    width_ = width;
    height_ = height;
  }
  for (const ui::Rect& part : parts) {
    // GLX counts rows from the bottom.
    const int bottom = height - static_cast<int>(part.bottom());
    copy_(display_, drawable_, static_cast<int>(part.x), bottom, static_cast<int>(part.w),
          static_cast<int>(part.h));
  }
  return true;
}

}  // namespace ringside::window
