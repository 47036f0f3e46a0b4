// Lines drawn on the CPU into an image equal rectangles pixel by pixel, and a part of the image is
// redrawn exactly when something in it has changed. Needs a display, or Xvfb.
#include <imgui.h>

#include <cmath>
#include <functional>
#include <limits>
#include <random>
#include <vector>

#include "gui/model/run_model.h"
#include "gui/ui/chart/chart_lines.h"
#include "gui/ui/theme.h"
#include "gui/view/chart/chart_parts.h"
#include "tests/gui/window/window_pixels.h"
#include "tests/support/catch.h"

using namespace ringside;
using namespace ringside::window;
using test::kHeight;
using test::kWidth;
using test::open_window;
using test::pixels;

namespace {

struct Scene {
  ui::Rect area{40, 30, 700, 400};
  model::Window window{0, 3000};
  bool logarithmic = false;
  float weight = 1.2F;
  std::vector<model::Series> series;
  ImU32 color = 0xFF0000FF;
};

/// Values with gaps, NaN, Inf, zeros, negative ones and jumps far outside of the plot.
model::Series random_series(std::mt19937& random, std::size_t steps) {
  model::Series series;
  for (std::size_t step = random() % 5 == 0 ? random() % steps / 2 : 0; step < steps; ++step) {
    const auto what = random() % 400;
    if (what < 20) continue;
    auto value = static_cast<float>(random() % 1000) / 250.0F;
    if (what == 20) value = std::numeric_limits<float>::quiet_NaN();
    if (what == 21) value = std::numeric_limits<float>::infinity();
    if (what == 22) value = -value;
    if (what == 23) value = 1e30F;
    if (what == 24) value = 0;
    if (what == 25) step += 40;
    series.set(step, value);
  }
  return series;
}

void fill(Scene& scene, std::mt19937& random, int count, std::size_t steps) {
  scene.series.clear();
  for (int i = 0; i < count; ++i) scene.series.push_back(random_series(random, steps));
  scene.window = {0, static_cast<double>(steps)};
}

/// Draws all lines together, or each by itself, which uses rectangles.
void draw_lines(const Scene& scene, bool together) {
  static const model::RunModel kNoRun;
  const view::XScale scale(kNoRun, view::XAxis::kStep);
  view::Plotting plotting;
  plotting.window = scene.window;
  plotting.pixels = static_cast<int>(scene.area.w);
  plotting.x = &scale;
  view::AxisView x;
  x.low = scene.window.begin;
  x.high = scene.window.end;
  view::AxisView y;
  y.low = scene.logarithmic ? 0.02 : -0.5;
  y.high = 3.5;
  y.logarithmic = scene.logarithmic;
  const ui::Plot plot{scene.area, x, y};
  ui::ColumnLines all(plot);
  for (std::size_t i = 0; i < scene.series.size(); ++i) {
    view::LineView line;
    model::Extremes range;
    view::add_columns(scene.series[i], view::thinned(scene.series[i], plotting), plotting, line,
                      range);
    ui::ColumnLines alone(plot);
    ui::ColumnLines& lines = together ? all : alone;
    lines.add(line.columns, scene.color ^ static_cast<ImU32>(i * 0x030507), scene.weight);
    alone.draw();
  }
  all.draw();
}

void show(Window& window, const Scene& scene, bool together) {
  window.begin_frame();
  ImGui::SetNextWindowPos(ImVec2(0, 0));
  ImGui::SetNextWindowSize(ImVec2(kWidth, kHeight));
  ImGui::Begin("root", nullptr,
               ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoBackground |
                   ImGuiWindowFlags_NoSavedSettings);
  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.AddRectFilled(ImVec2(100, 100), ImVec2(500, 300), 0xFF224466);
  list.PushClipRect(ImVec2(scene.area.x, scene.area.y - 1),
                    ImVec2(scene.area.right() + 1, scene.area.bottom() + 1), true);
  draw_lines(scene, together);
  list.PopClipRect();
  list.AddText(ImVec2(200, 200), 0xFFFFFFFF, "over the lines");
  ImGui::End();
  window.end_frame();
}

/// The texture that images are drawn into; null before there is one.
ImTextureData* texture() {
  for (ImTextureData* one : ImGui::GetPlatformIO().Textures) {
    if (!ImGui::GetIO().Fonts->TexList.contains(one) && one->Status != ImTextureStatus_WantDestroy)
      return one;
  }
  return nullptr;
}

/// Whether the next frame draws into the image.
bool draws_anew(Window& window, const Scene& scene) {
  const ImTextureData* const before = texture();
  REQUIRE(before != nullptr);
  show(window, scene, true);
  return texture() != before || !before->Updates.empty();  // updates are kept until the next frame
}

}  // namespace

TEST_CASE("an image of lines equals rectangles pixel by pixel") {
  const auto window = open_window();
  std::mt19937 random(7);
  for (const int count : {3, 4, 8, 17, 64}) {
    for (const bool logarithmic : {false, true}) {
      for (const std::size_t steps : {std::size_t{1}, std::size_t{700}, std::size_t{20000}}) {
        Scene scene;
        scene.logarithmic = logarithmic;
        scene.weight = count == 4 ? 3.6F : 1.2F;
        // Sizes that are not a multiple of a strip, partly outside of the window.
        scene.area = {static_cast<float>(random() % 400), static_cast<float>(random() % 300),
                      static_cast<float>(300 + random() % 500),
                      static_cast<float>(40 + random() % 500)};
        fill(scene, random, count, steps);
        window->repaint();
        show(*window, scene, false);
        const auto rectangles = pixels();
        for (int i = 0; i < 2; ++i) show(*window, scene, true);  // the first makes room
        window->repaint();
        show(*window, scene, true);
        INFO(count << " lines of " << steps << " steps" << (logarithmic ? ", logarithmic" : ""));
        REQUIRE((rectangles == pixels()));
        if (steps > 1) REQUIRE(texture() != nullptr);
      }
    }
  }
}

TEST_CASE("a growing image looks the same whether parts or the whole of the window are drawn") {
  const auto window = open_window();
  std::mt19937 random(11);
  Scene scene;
  scene.window = {0, 2000};
  scene.series.resize(5);
  for (std::size_t step = 0; step < 2000; ++step) {
    for (model::Series& series : scene.series)
      series.set(step, static_cast<float>(random() % 300) / 100.0F);
    if (step % 67 != 0 || step < 700) continue;
    show(*window, scene, true);
    const auto in_parts = pixels();
    window->repaint();
    show(*window, scene, true);
    INFO("step " << step);
    REQUIRE((in_parts == pixels()));
  }
}

TEST_CASE("an image is redrawn when something in it has changed, and only then") {
  const auto window = open_window();
  std::mt19937 random(3);
  Scene scene;
  fill(scene, random, 6, 3000);
  for (int i = 0; i < 3; ++i) show(*window, scene, true);
  CHECK_FALSE(draws_anew(*window, scene));
  const auto drawn = window->counts().drawn;
  CHECK_FALSE(draws_anew(*window, scene));
  CHECK(window->counts().drawn == drawn);
  const std::vector<std::pair<const char*, std::function<void(Scene&)>>> changes{
      {"a value", [](Scene& one) { one.series[2].set(1500, 3.25F); }},
      {"the window", [](Scene& one) { one.window.end = 2500; }},
      {"the width", [](Scene& one) { one.area.w = 650; }},
      {"the height", [](Scene& one) { one.area.h = 350; }},
      {"the theme", [](Scene& one) { one.color = 0xFF336699; }},
      {"the axis", [](Scene& one) { one.logarithmic = true; }},
      {"the weight", [](Scene& one) { one.weight = 90; }},
      {"a line that goes", [](Scene& one) { one.series.erase(one.series.begin()); }},
      {"the order of lines", [](Scene& one) { std::swap(one.series[0], one.series[1]); }},
  };
  for (const auto& [name, change] : changes) {
    INFO(name);
    change(scene);
    CHECK(draws_anew(*window, scene));
    for (int i = 0; i < 2; ++i) show(*window, scene, true);
    CHECK_FALSE(draws_anew(*window, scene));
  }
  // A chart that only moves has the same image at another position.
  scene.area.x += 8;
  CHECK_FALSE(draws_anew(*window, scene));
}
