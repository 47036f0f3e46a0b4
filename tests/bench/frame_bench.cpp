// Measures a frame with a chart of many series, from the values in the model to the finished
// pixels. Everything is redrawn in every frame, with the OpenGL of the display (software under
// Xvfb). implot_peer draws the same values with ImPlot. Prints one line of JSON; needs a display.
#include <GLFW/glfw3.h>
#include <imgui.h>

#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "gui/model/run_model.h"
#include "gui/ui/chart/chart.h"
#include "gui/ui/theme.h"
#include "gui/view/chart/chart_parts.h"
#include "gui/window/window.h"
#include "tests/bench/bench_window.h"

namespace ringside::bench {
namespace {

constexpr ui::ChartMargins kMargins{44, 16, 44, 26, false};

struct Data {
  explicit Data(const FrameCase& entry) : points(entry.points), series(entry.series) {
    const auto values = frame_values(entry);
    for (std::size_t s = 0; s < series.size(); ++s) {
      for (std::size_t i = 0; i < points; ++i) series[s].set(i, values[s][i]);
    }
  }
  std::size_t points;
  std::vector<model::Series> series;
};

/// The chart reduced to pixel columns again in every frame, as for new data.
view::ChartView built(const Data& data, int pixels, int height) {
  static const model::RunModel kNoRun;
  const view::XScale scale(kNoRun, view::XAxis::kStep);
  view::Plotting plot;
  plot.window = {0, static_cast<double>(data.points)};
  plot.pixels = pixels;
  plot.x = &scale;
  view::ChartView chart;
  model::Extremes range;
  for (std::size_t s = 0; s < data.series.size(); ++s) {
    view::LineView line;
    line.rank = static_cast<Rank>(s);
    view::add_columns(data.series[s], view::thinned(data.series[s], plot), plot, line, range);
    chart.lines.push_back(std::move(line));
  }
  chart.x = view::x_axis(kNoRun, scale, plot.window, pixels);
  chart.y = view::y_axis(range, false, height);
  return chart;
}

void draw(const Data& data) {
  const ui::Rect area{0, 0, kFrameWidth, kFrameHeight};
  const ui::Rect plot = ui::plot_rect(area, kMargins);
  ui::draw_chart("plot", built(data, static_cast<int>(plot.w), static_cast<int>(plot.h)), area,
                 kMargins);
}

FrameTime frame(window::Window& window, const Data& data) {
  const FrameWatch watch;
  window.begin_frame();
  ImGui::SetNextWindowPos(ImVec2(0, 0));
  ImGui::SetNextWindowSize(ImVec2(kFrameWidth, kFrameHeight));
  ImGui::Begin("bench", nullptr, ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoBackground);
  draw(data);
  ImGui::End();
  window.repaint();
  window.end_frame();
  glFinish();
  return watch.taken();
}

int run() {
  const auto window = open_bench_window();
  if (!window) return 2;
  std::string line = "{\"bench\":\"frame\"";
  for (const FrameCase& entry : kFrameCases) {
    const Data data(entry);
    line += fields_of(entry, median_frame(entry.rounds, [&] { return frame(*window, data); }));
  }
  const auto* renderer = reinterpret_cast<const char*>(glGetString(GL_RENDERER));
  std::printf("%s,\"renderer\":\"%s\"}\n", line.c_str(), renderer == nullptr ? "" : renderer);
  return 0;
}

}  // namespace
}  // namespace ringside::bench

int main() { return ringside::bench::run(); }
