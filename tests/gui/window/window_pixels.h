// A real window of a fixed size and the pixels that it has drawn, read before they are shown. Tests
// only.
#pragma once

#include <GLFW/glfw3.h>

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <utility>
#include <vector>

#include "gui/window/window.h"
#include "tests/support/catch.h"
#include "tests/support/virtual_display.h"

namespace ringside::test {

inline constexpr int kWidth = 1000;
inline constexpr int kHeight = 700;

/// Uses the display of the environment; without one, starts one for all windows of this process.
inline void need_display() {
  const char* const there = std::getenv("DISPLAY");
  if (there != nullptr && *there != '\0') return;
  static const testing::VirtualDisplay display;
  INFO("without DISPLAY this test needs Xvfb");
  REQUIRE(!display.name().empty());
  REQUIRE(::setenv("DISPLAY", display.name().c_str(), 1) == 0);
}

inline std::unique_ptr<window::Window> open_window() {
  need_display();
  window::WindowOptions options;
  options.width = kWidth;
  options.height = kHeight;
  options.user_scale = 1;
  options.mouse = false;
  auto window = window::Window::open(options);
  REQUIRE(window);
  return std::move(*window);
}

inline std::vector<unsigned char> pixels() {
  std::vector<unsigned char> read(std::size_t{kWidth} * kHeight * 4);
  glReadBuffer(GL_BACK);
  glPixelStorei(GL_PACK_ALIGNMENT, 1);
  glReadPixels(0, 0, kWidth, kHeight, GL_RGBA, GL_UNSIGNED_BYTE, read.data());
  return read;
}

}  // namespace ringside::test
