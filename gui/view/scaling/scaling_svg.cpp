// The chart of a study as an image.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "gui/view/report/markup.h"
#include "gui/view/scaling/scaling_files.h"

namespace ringside::view {
namespace {

constexpr double kScalingLeft = 64, kScalingTop = 44, kScalingRight = 30, kScalingBottom = 44;

class ScalingFrame {
 public:
  ScalingFrame(const ScalingChart& chart, int width, int height)
      : chart_(chart),
        width_(width - kScalingLeft - kScalingRight),
        height_(height - kScalingTop - kScalingBottom) {}
  double x(double value) const { return kScalingLeft + axis_share(chart_.x, value) * width_; }
  double y(double value) const {
    return kScalingTop + (1 - std::clamp(axis_share(chart_.y, value), -0.02, 1.02)) * height_;
  }
  bool holds(double x, double y) const {
    return axis_share(chart_.x, x) <= 1.001 && axis_share(chart_.y, y) <= 1.001;
  }
  double right() const { return kScalingLeft + width_; }
  double bottom() const { return kScalingTop + height_; }

 private:
  const ScalingChart& chart_;
  double width_;
  double height_;
};

void svg_text(std::string& svg, double x, double y, const char* anchor, const std::string& words,
              const std::string& color, const char* more = "") {
  svg += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\" fill=\"{}\"{}>{}</text>\n",
                     x, y, anchor, color, more, markup_text(words));
}

void svg_line(std::string& svg, double x0, double y0, double x1, double y1,
              const std::string& color, const char* more = "") {
  svg += fmt::format(
      "<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"{}\"{}/>\n", x0, y0,
      x1, y1, color, more);
}

void path(std::string& svg, const ScalingFrame& frame,
          const std::vector<std::pair<double, double>>& points, const std::string& color,
          const char* more) {
  std::string steps;
  for (const auto& [x, y] : points) {
    if (frame.holds(x, y))
      steps += fmt::format("{}{:.1f} {:.1f}", steps.empty() ? "M" : "L", frame.x(x), frame.y(y));
  }
  if (!steps.empty())
    svg += fmt::format("<path d=\"{}\" fill=\"none\" stroke=\"{}\"{}/>\n", steps, color, more);
}

void add_axes(const ScalingChart& chart, const ScalingFrame& frame, std::string& svg) {
  for (const Tick& tick : chart.y.ticks) {
    const double y = frame.y(tick.at);
    svg_line(svg, kScalingLeft, y, frame.right(), y, light_css(Token::kLine));
    svg_text(svg, kScalingLeft - 8, y + 4, "end", tick.label, light_css(Token::kText));
  }
  for (const Tick& tick : chart.x.ticks) {
    const double x = frame.x(tick.at);
    svg_line(svg, x, frame.bottom(), x, frame.bottom() + 4, light_css(Token::kLine2));
    svg_text(svg, x, frame.bottom() + 17, "middle", tick.label, light_css(Token::kText));
  }
  svg_text(svg, (kScalingLeft + frame.right()) / 2, frame.bottom() + 34, "middle", chart.x.unit,
           light_css(Token::kDim));
  if (!chart.y.unit.empty())
    svg_text(svg, kScalingLeft - 8, kScalingTop - 8, "end", chart.y.unit, light_css(Token::kDim));
  svg += fmt::format("<path d=\"M{:.1f} {:.1f}V{:.1f}H{:.1f}\" fill=\"none\" stroke=\"{}\"/>\n",
                     kScalingLeft, kScalingTop, frame.bottom(), frame.right(),
                     light_css(Token::kLine2));
}

void add_marker(std::string& svg, double x, double y, Marker marker, const std::string& color,
                bool hollow) {
  const std::string fill = hollow ? light_css(Token::kPanel) : color;
  const auto shape = [&](const std::string& what) {
    svg += what + fmt::format(" fill=\"{}\" stroke=\"{}\" stroke-width=\"1.6\"/>\n", fill, color);
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
  svg += fmt::format(
      "<path d=\"M{:.1f} {:.1f}l8 8m0 -8l-8 8\" fill=\"none\" stroke=\"{}\" "
      "stroke-width=\"2.4\"/>\n",
      x - 4, y - 4, color);
}

/// Where labels stand already, so that none covers another. A letter is taken as 6.6 wide.
class LabelPlaces {
 public:
  /// The baseline nearest to `y` where so many letters from `x` on, or ending there, are free.
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

void add_series(const ScalingSeries& series, const ScalingFrame& frame, bool below,
                LabelPlaces& places, std::string& svg) {
  const std::string color = light_css(series.token);
  if (series.joined) {
    std::vector<std::pair<double, double>> points;
    for (const ScalingDot& dot : series.dots) points.emplace_back(dot.x, dot.y);
    path(svg, frame, points, color, " stroke-width=\"1.8\"");
  }
  for (const ScalingDot& dot : series.dots) {
    if (dot.key.empty() && !series.published) continue;
    const double x = frame.x(dot.x);
    const double y = frame.y(dot.y);
    if (dot.high > dot.low) {
      svg_line(svg, x, frame.y(dot.low), x, frame.y(dot.high), color);
      svg_line(svg, x - 4, frame.y(dot.low), x + 4, frame.y(dot.low), color);
      svg_line(svg, x - 4, frame.y(dot.high), x + 4, frame.y(dot.high), color);
    }
    add_marker(svg, x, y, series.marker, color, dot.hollow);
    const bool right = x > frame.right() - 120;
    const double at = right ? x - 9 : x + 9;
    const auto label = [&](const std::string& words, double wanted, const std::string& ink) {
      svg_text(svg, at, places.take(at, wanted, right, words.size()), right ? "end" : "start",
               words, ink);
    };
    label(dot.value + (dot.aside.empty() ? "" : "  " + dot.aside), y + (below ? 18 : -9), color);
    if (!dot.problem.empty()) label(dot.problem, y + (below ? 33 : 20), light_css(Token::kError));
  }
}

void add_legend(const ScalingChart& chart, std::string& svg) {
  double y = kScalingTop + 16;
  for (const ScalingSeries& series : chart.series) {
    if (!in_legend(series)) continue;
    add_marker(svg, kScalingLeft + 22, y - 4, series.marker, light_css(series.token),
               series.published);
    svg_text(svg, kScalingLeft + 38, y, "start", series.legend, light_css(Token::kText));
    y += 18;
  }
  if (chart.goal)
    svg_text(svg, kScalingLeft + 38, y, "start", "hollow: gate failed", light_css(Token::kDim));
}

}  // namespace

std::string scaling_svg(const ScalingChart& chart, const std::string& heading, int width,
                        int height) {
  const ScalingFrame frame(chart, width, height);
  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" "
      "viewBox=\"0 0 {0} {1}\" font-family=\"Inter, sans-serif\" font-size=\"12\">\n"
      "<rect width=\"{0}\" height=\"{1}\" fill=\"{2}\"/>\n",
      width, height, light_css(Token::kPanel));
  svg_text(svg, kScalingLeft, 24, "start", chart.title + (heading.empty() ? "" : "  " + heading),
           light_css(Token::kHigh), " font-weight=\"600\" font-size=\"14\"");
  add_axes(chart, frame, svg);
  path(svg, frame, chart.ideal, light_css(Token::kDim), " stroke-dasharray=\"5 4\"");
  if (!chart.ideal.empty()) {
    const double x = (chart.x.low + chart.x.high) / 2;
    svg_text(svg, frame.x(x) - 8, frame.y(x) - 6, "end", "ideal", light_css(Token::kDim));
  }
  for (const ScalingCurve& curve : chart.curves)
    path(svg, frame, curve.points, light_css(curve.token), " stroke-dasharray=\"2 3\"");
  for (const LimitView& limit : chart.limits) {
    const double y = frame.y(limit.y);
    svg_line(svg, kScalingLeft, y, frame.right(), y, light_css(Token::kOk),
             " stroke-dasharray=\"2 3\"");
    svg_text(svg, frame.right(), y + 14, "end", limit.label, light_css(Token::kOk));
  }
  LabelPlaces places;
  for (const ScalingSeries& series : chart.series)
    add_series(series, frame, series.name == "strong" || series.name == "dp", places, svg);
  add_legend(chart, svg);
  if (!chart.empty.empty())
    svg_text(svg, (kScalingLeft + frame.right()) / 2, (kScalingTop + frame.bottom()) / 2, "middle",
             plain(chart.empty), light_css(Token::kDim));
  return svg + "</svg>\n";
}

}  // namespace ringside::view
