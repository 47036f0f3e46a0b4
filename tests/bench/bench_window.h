// The window of the benchmarks that draw frames, and a frame of a whole screen in it. Main thread.
#pragma once

#include <GLFW/glfw3.h>

#include <cstdio>
#include <memory>

#include "gui/ui/window/screen.h"
#include "gui/window/window.h"
#include "tests/bench/frame_values.h"

namespace ringside::bench {

/// Returns a window of the benchmarks' size; null after an error, which is printed.
inline std::unique_ptr<window::Window> open_bench_window() {
  window::WindowOptions options;
  options.width = static_cast<int>(kFrameWidth);
  options.height = static_cast<int>(kFrameHeight);
  options.user_scale = 1;
  auto window = window::Window::open(options);
  if (window) return std::move(*window);
  std::fprintf(stderr, "%s\n", window.error().message.c_str());
  return nullptr;
}

/// Draws the screen up to its finished pixels.
inline FrameTime screen_frame(window::Window& window, const view::ScreenInput& input,
                              ui::ScreenMemory& memory) {
  const FrameWatch watch;
  window.begin_frame();
  view::CommandQueue commands;
  ui::draw_screen(input, memory, commands);
  window.repaint();
  window.end_frame();
  glFinish();
  return watch.taken();
}

}  // namespace ringside::bench
