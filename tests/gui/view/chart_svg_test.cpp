#include "gui/view/chart/chart_svg.h"

#include "gui/view/live/run_charts.h"
#include "tests/gui/view/demo_models.h"
#include "tests/support/catch.h"

using namespace ringside;
using namespace ringside::view;
using support::model_of;

namespace {

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
    ++found;
  return found;
}

}  // namespace

TEST_CASE("A chart as SVG has its lines, ticks and marks") {
  const auto model = model_of(support::demo_run());
  const auto baseline = model_of(support::demo_baseline());
  ChartChoice choice;
  choice.logarithmic = true;
  const ChartView chart = build_loss_chart(model, support::live_context(model),
                                           support::baseline_context(baseline), choice, 1200, 480);
  const std::string svg = chart_svg(chart, "#1042 a < b & \"c\"", 1200, 480);
  CHECK(svg.starts_with("<svg xmlns="));
  CHECK(svg.ends_with("</svg>\n"));
  CHECK(svg.find("#1042 a &lt; b &amp; &quot;c&quot;") != std::string::npos);
  CHECK(count(svg, "stroke=\"#2A93CF\"") == 1);  // rank 1
  CHECK(count(svg, "stroke-dasharray=\"5 4\"") == 1);
  CHECK(count(svg, ">LR 0.004<") == 1);
  CHECK(count(svg, "<path") == count(svg, "/>") - count(svg, "<line") - count(svg, "<rect"));
  CHECK(svg.find("nan") == std::string::npos);
  CHECK(svg.find("inf") == std::string::npos);
}

TEST_CASE("A run that diverges and one without steps are drawn, too") {
  support::DemoOptions options = support::demo_small(2);
  options.nan_from = 20;
  const auto model = model_of(options);
  const ChartView chart = build_loss_chart(model, support::ended_context(model), {}, {}, 600, 300);
  const std::string svg = chart_svg(chart, "", 600, 300);
  CHECK(svg.find(">×<") != std::string::npos);
  CHECK(svg.find("nan") == std::string::npos);
  const model::RunModel empty(support::demo_spec(options));
  CHECK(
      chart_svg(build_loss_chart(empty, {}, {}, {}, 600, 300), "", 600, 300).ends_with("</svg>\n"));
}

TEST_CASE("Labels of marks in an image do not overlap, and have room") {
  ChartView chart;
  chart.x.high = 60;
  chart.y.ticks = {{0.25, "0.0001"}, {0.5, "1,234,567,890"}, {0.75, "2e19"}};
  chart.markers = {{MarkerKind::kLrDrop, 40, "LR 0.005", false},
                   {MarkerKind::kStop, 40.3, "stopped", false},
                   {MarkerKind::kRestart, 20, "resumed", false}};
  const std::string svg = chart_svg(chart, "", 1200, 480);
  CHECK(count(svg, ">LR 0.005<") == 1);
  CHECK(count(svg, ">stopped<") == 0);
  CHECK(count(svg, ">resumed<") == 1);
  CHECK(count(svg, ">0.0001<") == 1);
  CHECK(count(svg, ">2e19<") == 1);
  CHECK(count(svg, "1,234,567,890") == 0);
}
