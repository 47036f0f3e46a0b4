// A frame with a chart of many series, from the values in the model to the finished pixels: ours,
// and ImPlot given the same values as they are. Both redraw everything in every frame, on the
// OpenGL that the display gives (software under Xvfb). Each time stands there on the wall and as
// processor time of the process, drawing threads included, which a loaded machine does not stretch.
// Prints one line of JSON; needs a display.
#include <GLFW/glfw3.h>
#include <imgui.h>
#include <imgui_impl_opengl3.h>
#include <implot.h>

#include <cmath>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "gui/app/dashboard_window.h"
#include "gui/ui/chart.h"
#include "gui/ui/theme.h"
#include "gui/view/chart_parts.h"
#include "tests/bench/rounds.h"

namespace ringside::bench {
namespace {

constexpr float kWidth = 1920;
constexpr float kHeight = 1000;
constexpr ui::ChartMargins kMargins{44, 16, 44, 26, false};

/// The same values twice: as the model keeps them and as a plain array.
struct Data {
  Data(int count, std::size_t points)
      : series(static_cast<std::size_t>(count)), plain(series.size()) {
    for (std::size_t s = 0; s < series.size(); ++s) {
      plain[s].resize(points);
      for (std::size_t i = 0; i < points; ++i) {
        const double at = static_cast<double>(i) / static_cast<double>(points);
        const double noise = static_cast<double>((i * 7919 + s * 104729) % 997) / 997.0 - 0.5;
        const auto value = static_cast<float>(2 * std::exp(-3 * at) +
                                              0.1 * static_cast<double>(s % 8) + 0.15 * noise);
        plain[s][i] = value;
        series[s].set(i, value);
      }
    }
  }
  std::vector<model::Series> series;
  std::vector<std::vector<float>> plain;
};

/// Thinned anew in every frame, as when data came.
view::ChartView built(const Data& data, int pixels, int height) {
  static const model::RunModel kNoRun;
  const view::XScale scale(kNoRun, view::XAxis::kStep);
  view::Plotting plot;
  plot.window = {0, static_cast<double>(data.plain.front().size())};
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

void draw_ours(const Data& data) {
  const ui::Rect area{0, 0, kWidth, kHeight};
  const ui::Rect plot = ui::plot_rect(area, kMargins);
  ui::draw_chart("plot", built(data, static_cast<int>(plot.w), static_cast<int>(plot.h)), area,
                 kMargins);
}

void draw_implot(const Data& data) {
  if (!ImPlot::BeginPlot("plot", ImVec2(kWidth, kHeight))) return;
  for (std::size_t s = 0; s < data.plain.size(); ++s) {
    const std::string label = "s" + std::to_string(s);
    ImPlot::PlotLine(label.c_str(), data.plain[s].data(), static_cast<int>(data.plain[s].size()));
  }
  ImPlot::EndPlot();
}

/// Milliseconds of one frame, to the finished pixels.
struct FrameTime {
  double cpu = 0.0;
  double wall = 0.0;
};

FrameTime frame(app::Window& window, const Data& data, void (*draw)(const Data&)) {
  const double begin = cpu_seconds();
  const std::int64_t begin_ns = mono_now_ns();
  window.begin_frame();
  ImGui::SetNextWindowPos(ImVec2(0, 0));
  ImGui::SetNextWindowSize(ImVec2(kWidth, kHeight));
  ImGui::Begin("bench", nullptr, ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoBackground);
  draw(data);
  ImGui::End();
  window.repaint();
  window.end_frame();
  glFinish();
  return {(cpu_seconds() - begin) * 1e3, static_cast<double>(mono_now_ns() - begin_ns) * 1e-6};
}

FrameTime median_frame(app::Window& window, const Data& data, void (*draw)(const Data&),
                       int rounds) {
  frame(window, data, draw);
  std::vector<double> cpu;
  std::vector<double> wall;
  for (int i = 0; i < rounds; ++i) {
    const FrameTime one = frame(window, data, draw);
    cpu.push_back(one.cpu);
    wall.push_back(one.wall);
  }
  return {median(cpu), median(wall)};
}

struct Case {
  const char* name;
  int series;
  std::size_t points;
  int peer_rounds;
};

int run() {
  app::WindowOptions options;
  options.width = 1920;
  options.height = 1000;
  options.user_scale = 1;
  auto window = app::Window::open(options);
  if (!window) {
    std::fprintf(stderr, "%s\n", window.error().message.c_str());
    return 2;
  }
  ImPlot::CreateContext();
  std::string line = "{\"bench\":\"frame\"";
  for (const Case& entry :
       {Case{"8x3800", 8, 3800, 9}, Case{"64x3800", 64, 3800, 5}, Case{"8x1M", 8, 1'000'000, 1}}) {
    const Data data(entry.series, entry.points);
    const FrameTime ours = median_frame(**window, data, draw_ours, 15);
    const FrameTime peer = median_frame(**window, data, draw_implot, entry.peer_rounds);
    const auto add = [&](const char* what, double value) {
      line += "," + field((std::string(entry.name) + what).c_str(), value);
    };
    add("_cpu_ms", ours.cpu);
    add("_ms", ours.wall);
    add("_implot_cpu_ms", peer.cpu);
    add("_implot_ms", peer.wall);
  }
  const auto* renderer = reinterpret_cast<const char*>(glGetString(GL_RENDERER));
  std::printf("%s,\"renderer\":\"%s\"}\n", line.c_str(), renderer == nullptr ? "" : renderer);
  ImPlot::DestroyContext();
  return 0;
}

}  // namespace
}  // namespace ringside::bench

int main() { return ringside::bench::run(); }
