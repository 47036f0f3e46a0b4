// The chart of a study as an image.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "gui/view/chart/svg_image.h"
#include "gui/view/report/scaling_files.h"

namespace ringside::view {
namespace {

void draw_path(SvgImage& svg, const ScalingChart& chart, const SvgPlot& frame,
               const std::vector<std::pair<double, double>>& points, Token token,
               const char* more) {
  std::string steps;
  for (const auto& [x, y] : points) {
    if (axis_share(chart.x, x) <= 1.001 && axis_share(chart.y, y) <= 1.001)
      steps += fmt::format("{}{:.1f} {:.1f}", steps.empty() ? "M" : "L", frame.x(x), frame.y(y));
  }
  if (!steps.empty()) svg.path(steps, light_css(token), more);
}

void add_marker(SvgImage& svg, double x, double y, Marker marker, const std::string& color,
                bool hollow) {
  const std::string fill = hollow ? light_css(Token::kPanel) : color;
  const auto shape = [&](const std::string& what) {
    svg.add(what + fmt::format(" fill=\"{}\" stroke=\"{}\" stroke-width=\"1.6\"/>\n", fill, color));
  };
  switch (marker) {
    case Marker::kDisc:
      return shape(fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"4.5\"", x, y));
    case Marker::kSquare:
      return shape(
          fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"8\" height=\"8\"", x - 4, y - 4));
    case Marker::kDiamond:
      return shape(fmt::format("<path d=\"M{:.1f} {:.1f}l6 6l-6 6l-6 -6z\"", x, y - 6));
    case Marker::kCross:
      break;
  }
  svg.path(fmt::format("M{:.1f} {:.1f}l8 8m0 -8l-8 8", x - 4, y - 4), color,
           " stroke-width=\"2.4\"");
}

/// Finds positions for labels so that none overlaps another. A character counts as 6.6 wide.
class LabelPlaces {
 public:
  /// Returns the baseline nearest to `y` at which this many characters, beginning or ending at `x`,
  /// are free.
  double take(double x, double y, bool ends_there, std::size_t letters) {
    const double width = 6.6 * static_cast<double>(letters);
    const double left = ends_there ? x - width : x;
    double found = y;
    for (int tries = 1; !is_free(left, width, found) && tries < 12; ++tries)
      found = y + (tries % 2 == 1 ? -1 : 1) * kLine * ((tries + 1) / 2);
    taken_.push_back({left, left + width, found});
    return found;
  }

 private:
  struct Place {
    double left, right, y;
  };
  bool is_free(double left, double width, double y) const {
    return std::none_of(taken_.begin(), taken_.end(), [&](const Place& other) {
      return left < other.right && other.left < left + width && std::abs(y - other.y) < kLine;
    });
  }
  static constexpr double kLine = 14;
  std::vector<Place> taken_;
};

void add_series(const ScalingChart& chart, const ScalingSeries& series, const SvgPlot& frame,
                bool below, LabelPlaces& places, SvgImage& svg) {
  const std::string color = light_css(series.token);
  if (series.joined) {
    std::vector<std::pair<double, double>> points;
    for (const ScalingDot& dot : series.dots) points.emplace_back(dot.x, dot.y);
    draw_path(svg, chart, frame, points, series.token, " stroke-width=\"1.8\"");
  }
  for (const ScalingDot& dot : series.dots) {
    if (dot.key.empty() && !series.published) continue;
    const double x = frame.x(dot.x);
    const double y = frame.y(dot.y);
    if (dot.high > dot.low) {
      svg.line(x, frame.y(dot.low), x, frame.y(dot.high), color);
      svg.line(x - 4, frame.y(dot.low), x + 4, frame.y(dot.low), color);
      svg.line(x - 4, frame.y(dot.high), x + 4, frame.y(dot.high), color);
    }
    add_marker(svg, x, y, series.marker, color, dot.hollow);
    const bool right = x > frame.right() - 120;
    const double at = right ? x - 9 : x + 9;
    const auto label = [&](const std::string& words, double wanted, Token ink) {
      svg.text(at, places.take(at, wanted, right, words.size()), right ? "end" : "start", words,
               svg_fill(ink));
    };
    label(dot.value + (dot.aside.empty() ? "" : "  " + dot.aside), y + (below ? 18 : -9),
          series.token);
    if (!dot.problem.empty()) label(dot.problem, y + (below ? 33 : 20), Token::kError);
  }
}

void add_legend(const ScalingChart& chart, SvgImage& svg) {
  double y = SvgPlot::kTop + 16;
  for (const ScalingSeries& series : chart.series) {
    if (!in_legend(series)) continue;
    add_marker(svg, SvgPlot::kLeft + 22, y - 4, series.marker, light_css(series.token),
               series.published);
    svg.text(SvgPlot::kLeft + 38, y, "start", series.legend);
    y += 18;
  }
  if (chart.goal)
    svg.text(SvgPlot::kLeft + 38, y, "start", "hollow: gate failed", svg_fill(Token::kDim));
}

}  // namespace

std::string scaling_svg(const ScalingChart& chart, const std::string& heading, int width,
                        int height) {
  const SvgPlot frame(chart.x, chart.y, width, height, 30, 44);
  SvgImage svg(width, height);
  frame.draw_axes(svg, chart.title + (heading.empty() ? "" : "  " + heading));
  svg.text((SvgPlot::kLeft + frame.right()) / 2, frame.bottom() + 34, "middle", chart.x.unit,
           svg_fill(Token::kDim));
  if (!chart.y.unit.empty())
    svg.text(SvgPlot::kLeft - 8, SvgPlot::kTop - 8, "end", chart.y.unit, svg_fill(Token::kDim));
  draw_path(svg, chart, frame, chart.ideal, Token::kDim, kSvgDashed);
  if (!chart.ideal.empty()) {
    const double x = (chart.x.low + chart.x.high) / 2;
    svg.text(frame.x(x) - 8, frame.y(x) - 6, "end", "ideal", svg_fill(Token::kDim));
  }
  for (const ScalingCurve& curve : chart.curves)
    draw_path(svg, chart, frame, curve.points, curve.token, kSvgDotted);
  for (const LimitView& limit : chart.limits) {
    const double y = frame.y(limit.y);
    svg.line(SvgPlot::kLeft, y, frame.right(), y, light_css(Token::kOk), kSvgDotted);
    svg.text(frame.right(), y + 14, "end", limit.label, svg_fill(Token::kOk));
  }
  LabelPlaces places;
  for (const ScalingSeries& series : chart.series)
    add_series(chart, series, frame, series.name == "strong" || series.name == "dp", places, svg);
  add_legend(chart, svg);
  if (!chart.empty.empty())
    svg.text((SvgPlot::kLeft + frame.right()) / 2, (SvgPlot::kTop + frame.bottom()) / 2, "middle",
             plain(chart.empty), svg_fill(Token::kDim));
  return svg.take();
}

}  // namespace ringside::view
