// Lines on the screen: however a line is drawn, it does not cross a gap.
#include "gui/ui/chart/chart_lines.h"

#include <cmath>

#include "tests/gui/ui/null_screen.h"
#include "tests/support/catch.h"

using namespace ringside;

namespace {

constexpr ImU32 kColor = 0xFF13579B;

/// Whether a triangle covers the pixel column at `x`.
bool covers(const ImDrawList& list, float x) {
  for (const ImDrawCmd& command : list.CmdBuffer) {
    for (unsigned int i = 0; i + 2 < command.ElemCount; i += 3) {
      float low = INFINITY;
      float high = -INFINITY;
      bool ours = true;
      for (unsigned int corner = i; corner < i + 3; ++corner) {
        const auto index = list.IdxBuffer[static_cast<int>(command.IdxOffset + corner)];
        const ImDrawVert& vertex = list.VtxBuffer[static_cast<int>(command.VtxOffset) + index];
        ours = ours && (vertex.col & 0xFFFFFF) == (kColor & 0xFFFFFF);
        low = std::min(low, vertex.pos.x);
        high = std::max(high, vertex.pos.x);
      }
      if (ours && low < x && high > x) return true;
    }
  }
  return false;
}

/// Columns one (or ten) pixels apart over [100, 300) and [500, 700), and a single one at 400.
std::vector<view::ChartColumn> torn(double apart, bool anew) {
  std::vector<view::ChartColumn> columns;
  const auto add = [&](double x, bool starts) {
    columns.push_back({x, 1.0F, 2.0F, 1.0F, 2.0F, 1.5F, starts && anew});
  };
  for (double x = 100; x < 300; x += apart) add(x, false);
  add(400, true);
  for (double x = 500; x < 700; x += apart) add(x, x <= 500);
  return columns;
}

/// Whether a separate frame draws something left of the first gap, in it, at the single value, in
/// the second gap, and right of it.
template <class Draw>
std::string drawn(Draw&& draw) {
  ImGui_ImplNullPlatform_NewFrame();
  ImGui_ImplNullRender_NewFrame();
  ImGui::NewFrame();
  ImGui::SetNextWindowPos(ImVec2(0, 0));
  ImGui::SetNextWindowSize(ImVec2(900, 300));
  ImGui::Begin("plot", nullptr, ImGuiWindowFlags_NoDecoration);
  view::AxisView x;
  x.high = 800;
  view::AxisView y;
  y.high = 3;
  draw(ui::Plot{{0, 0, 800, 200}, x, y});
  std::string found;
  for (const float at : {205.5F, 350.5F, 400.5F, 450.5F, 605.5F})
    found += covers(*ImGui::GetWindowDrawList(), at) ? '#' : '.';
  ImGui::End();
  ImGui::Render();
  return found;
}

}  // namespace

TEST_CASE("no kind of line crosses a gap, and each joins columns without a gap between them") {
  const test::NullScreen screen;
  for (const bool anew : {true, false}) {
    const auto far = torn(20, anew);
    const auto near = torn(1, anew);
    CAPTURE(anew);
    CHECK(drawn([&](const ui::Plot& plot) { ui::draw_smooth(plot, far, kColor, 1.2F); }) ==
          (anew ? "#.#.#" : "#####"));
    CHECK(drawn([&](const ui::Plot& plot) { ui::draw_band(plot, far, kColor); }) ==
          (anew ? "#...#" : "#####"));
    // Columns up to a pixel apart are drawn as bars, which extend no further than needed.
    CHECK(drawn([&](const ui::Plot& plot) {
            ui::ColumnLines lines(plot);
            REQUIRE(lines.add(near, kColor, 1.2F));
            lines.draw();
          }) == "#.#.#");
    const auto dashes = drawn([&](const ui::Plot& plot) { ui::draw_dashes(plot, far, kColor, 1); });
    if (anew) CHECK((dashes[1] == '.' && dashes[2] == '#' && dashes[3] == '.'));
  }
}
