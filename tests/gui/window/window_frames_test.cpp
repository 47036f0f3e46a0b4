// Frames drawn in parts equal frames drawn in whole, pixel by pixel. Needs a display, or Xvfb.
#include <GLFW/glfw3.h>
#include <imgui.h>

#include <array>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "gui/ui/ground.h"
#include "gui/ui/modal.h"
#include "gui/ui/widgets.h"
#include "tests/gui/window/window_pixels.h"
#include "tests/support/catch.h"

using namespace ringside;
using namespace ringside::window;
using test::kHeight;
using test::kWidth;
using test::open_window;
using test::pixels;

namespace {

// Draws a scene in which a few things change from frame to frame, determined by the frame number,
// so that the same frame can be drawn twice.
void draw_scene(unsigned frame) {
  ImGui::SetNextWindowPos(ImVec2(0, 0));
  ImGui::SetNextWindowSize(ImVec2(kWidth, kHeight));
  ImGui::Begin("root", nullptr,
               ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoBackground |
                   ImGuiWindowFlags_NoBringToFrontOnFocus | ImGuiWindowFlags_NoSavedSettings);
  ImDrawList& list = *ImGui::GetWindowDrawList();
  for (unsigned i = 0; i < 40; ++i) {
    // Most things stay for many frames; some move in each.
    std::mt19937 random(i * 1000 + (i % 8 == 0 ? frame : frame / 16));
    const auto upto = [&](int most) {
      return static_cast<float>(random() % static_cast<unsigned>(most));
    };
    const ImVec2 from(upto(kWidth), upto(kHeight));
    const ImVec2 to(from.x + upto(200), from.y + upto(150));
    const auto color = static_cast<ImU32>(random()) | 0x80000000U;
    if (i % 4 == 0) list.AddRectFilled(from, to, color, upto(8));
    if (i % 16 == 5)  // large enough for a clear command
      ui::fill({from.x, from.y, 150 + upto(200), 200 + upto(200)}, color | IM_COL32_A_MASK, 4);
    if (i % 4 == 1) list.AddLine(from, to, color, 1 + upto(4));
    if (i % 4 == 2) list.AddText(from, color, std::to_string(random()).c_str());
    if (i % 4 == 3) {
      list.PushClipRect(from, to, true);
      list.AddCircleFilled(from, 90, color);
      list.PopClipRect();
    }
  }
  ImGui::End();
  if (frame % 16 < 4) {  // a window that appears, moves and disappears
    ImGui::SetNextWindowPos(ImVec2(100 + static_cast<float>(frame % 16) * 9, 120));
    ImGui::Begin("floating", nullptr, ImGuiWindowFlags_NoSavedSettings);
    ImGui::Text("frame %u", frame);
    ImGui::End();
  }
  const bool sheet = frame % 32 > 20;
  if (sheet && ui::begin_modal("sheet", true, ImVec2(500, 300))) {
    ImGui::Text("frame %u", frame / 2);
    ImGui::EndPopup();
  }
}

void window_frames_show(Window& window, unsigned frame) {
  window.begin_frame();
  draw_scene(frame);
  window.end_frame();
}

}  // namespace

TEST_CASE("frames drawn in parts equal frames drawn in whole, pixel by pixel") {
  const auto held = open_window();
  Window& window = *held;
  const std::string renderer = reinterpret_cast<const char*>(glGetString(GL_RENDERER));
  for (unsigned frame = 0; frame < 64; ++frame) {
    window_frames_show(window, frame);
    // Compares only every third frame, so that errors of several frames would add up.
    if (frame % 3 != 2) continue;
    window_frames_show(window,
                       frame);  // a new window looks different in its second frame
    const auto in_parts = pixels();
    window.repaint();
    window_frames_show(window, frame);
    INFO("frame " << frame << " on " << renderer);
    REQUIRE((in_parts == pixels()));
  }
  CHECK(window.counts().drawn > 64);
  if (renderer.starts_with("llvmpipe")) CHECK(window.counts().whole < 40);
}

/// Number of clear commands in the finished frame.
int cleared_ones() {
  int found = 0;
  for (const ImDrawList* list : ImGui::GetDrawData()->CmdLists) {
    for (const ImDrawCmd& command : list->CmdBuffer) found += ui::ground_of(command) ? 1 : 0;
  }
  return found;
}

TEST_CASE("cleared areas equal drawn triangles pixel by pixel") {
  const auto held = open_window();
  Window& window = *held;
  const auto drawn = [&] {
    for (unsigned i = 0; i < 3; ++i) {  // sizes settle; the last one is drawn in whole
      window.repaint();
      window.begin_frame();
      ImGui::SetNextWindowPos(ImVec2(10, 20));
      ImGui::SetNextWindowSize(ImVec2(600, 400));
      ImGui::Begin("scrolled", nullptr, ImGuiWindowFlags_NoSavedSettings);
      ui::fill({40, 60, 500, 300}, IM_COL32(20, 90, 160, 255), 4);
      ui::fill({-50, 200, 300, 400}, IM_COL32(200, 90, 60, 255));    // clipped on all sides
      ui::fill({100, 100, 200, 150}, IM_COL32(90, 200, 60, 90), 4);  // transparent
      ui::fill({300.5F, 90, 200, 180}, IM_COL32(90, 20, 160, 255), 4);
      ui::outline({40, 60, 500, 300}, IM_COL32_WHITE, 4);
      ImGui::End();
      window.end_frame();
    }
    return pixels();
  };
  const auto cleared = drawn();
  CHECK(cleared_ones() == 2);
  ui::set_ground_call(nullptr);
  CHECK((cleared == drawn()));
}

TEST_CASE("a background that changes its colour is redrawn") {
  const auto held = open_window();
  Window& window = *held;
  const auto show_ground = [&](ImU32 color) {
    window.begin_frame();
    ImGui::SetNextWindowPos(ImVec2(0, 0));
    ImGui::SetNextWindowSize(ImVec2(kWidth, kHeight));
    ImGui::Begin("root", nullptr,
                 ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoBackground |
                     ImGuiWindowFlags_NoSavedSettings);
    ui::fill({100, 100, 400, 300}, color);
    ImGui::End();
    return window.end_frame();
  };
  for (int i = 0; i < 3; ++i) show_ground(IM_COL32(20, 90, 160, 255));
  CHECK_FALSE(show_ground(IM_COL32(20, 90, 160, 255)));
  REQUIRE(show_ground(IM_COL32(20, 90, 161, 255)));
  // A pixel in the middle, where only the background is drawn.
  const std::size_t at = (std::size_t{kHeight - 250} * kWidth + 300) * 4;
  CHECK(int{pixels()[at + 2]} == 161);
}

TEST_CASE("a sheet appears at once, darkens the page, and what it hides is not drawn") {
  const auto held = open_window();
  Window& window = *held;
  constexpr ImVec2 kSize(400, 300);
  constexpr ImVec2 kHidden((kWidth - 400) / 2 + 50, (kHeight - 300) * 2 / 5 + 50);
  const auto lay_out = [&](bool sheet, ImVec2 at, const char* text) {
    window.begin_frame();
    ImGui::SetNextWindowPos(ImVec2(0, 0));
    ImGui::SetNextWindowSize(ImVec2(kWidth, kHeight));
    ImGui::Begin("root", nullptr,
                 ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoBackground |
                     ImGuiWindowFlags_NoBringToFrontOnFocus | ImGuiWindowFlags_NoSavedSettings);
    ui::fill({0, 0, kWidth, 100}, IM_COL32(200, 100, 50, 255));
    ImGui::GetWindowDrawList()->AddText(at, IM_COL32_WHITE, text);
    if (sheet && ui::begin_modal("sheet", true, kSize)) ImGui::EndPopup();
    ImGui::End();
  };
  const auto show = [&](bool sheet, ImVec2 at, const char* text) {
    lay_out(sheet, at, text);
    return window.end_frame();
  };
  const auto pixel = [](int x, int y) {
    const auto all = pixels();
    const std::size_t at = (std::size_t(kHeight - 1 - y) * kWidth + std::size_t(x)) * 4;
    return std::array{int{all[at]}, int{all[at + 1]}, int{all[at + 2]}};
  };
  const ImVec2 beside(20, 20);
  show(false, kHidden, "1234");  // a new glyph draws everything
  for (int i = 0; i < 3; ++i) show(false, kHidden, "1");
  CHECK(pixel(300, 50) == std::array{200, 100, 50});
  const auto empty = pixel(20, kHeight - 20);
  lay_out(true, kHidden, "1");
  REQUIRE(window.hides());
  window.drop_frame();
  lay_out(true, kHidden, "1");
  CHECK_FALSE(window.hides());
  CHECK(window.end_frame());
  CHECK(pixel(300, 50) == std::array{110, 55, 27});
  CHECK(pixel(20, kHeight - 20)[2] < empty[2]);
  for (int i = 0; i < 3; ++i) show(true, kHidden, "1");
  CHECK_FALSE(show(true, kHidden, "2"));
  CHECK(show(true, beside, "2"));
  CHECK(show(true, beside, "3"));
  // A part of the page that changed below the sheet is drawn after closing it.
  show(true, kHidden, "4");
  show(false, kHidden, "4");
  const auto uncovered = pixels();
  CHECK(pixel(300, 50) == std::array{200, 100, 50});
  window.repaint();
  show(false, kHidden, "4");
  CHECK((uncovered == pixels()));
}

TEST_CASE("a frame equal to the previous one is not drawn") {
  const auto window = open_window();
  for (int i = 0; i < 5; ++i) window_frames_show(*window, 20);  // textures and sizes settle
  const auto drawn = window->counts().drawn;
  for (int i = 0; i < 5; ++i) window_frames_show(*window, 20);
  CHECK(window->counts().drawn == drawn);
  window_frames_show(*window, 21);
  CHECK(window->counts().drawn == drawn + 1);
}

TEST_CASE("a window resized between frames is drawn for its new size") {
  const auto held = open_window();
  Window& window = *held;
  const auto settle = [&](int width, int height) {
    window.resize(width, height);
    const double deadline = glfwGetTime() + 60;
    int now_width = 0;
    int now_height = 0;
    while ((now_width != width || now_height != height) && glfwGetTime() < deadline) {
      window.wait(0.01);
      window.size(now_width, now_height);
    }
    REQUIRE(now_width == width);
    REQUIRE(now_height == height);
  };
  for (unsigned frame = 0; frame < 4; ++frame) window_frames_show(window, frame);
  for (const auto& [width, height] :
       {std::pair{900, 700}, {320, 240}, {1000, 300}, {300, 600}, {kWidth, kHeight}}) {
    settle(width, height);
    // Copying with a size that the buffers do not have is an X error, which ends the program.
    for (unsigned frame = 0; frame < 4; ++frame) window_frames_show(window, frame);
    // Once the size is known, frames are drawn in parts again.
    const auto whole = window.counts().whole;
    for (unsigned frame = 32; frame < 36; ++frame) window_frames_show(window, frame);
    const std::string renderer = reinterpret_cast<const char*>(glGetString(GL_RENDERER));
    if (renderer.starts_with("llvmpipe")) CHECK(window.counts().whole <= whole + 1);
  }
  window_frames_show(window, 36);
  const auto in_parts = pixels();
  window.repaint();
  window_frames_show(window, 36);
  CHECK((in_parts == pixels()));
}
