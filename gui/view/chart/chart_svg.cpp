#include "gui/view/chart/chart_svg.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "gui/view/chart/taken_stretches.h"
#include "gui/view/report/markup.h"
#include "gui/view/short_number.h"

namespace ringside::view {
namespace {

constexpr double kLeft = 64, kTop = 44, kRight = 90, kBottom = 40;

/// Where values are in the image.
class Frame {
 public:
  Frame(const ChartView& chart, int width, int height)
      : chart_(chart), width_(width - kLeft - kRight), height_(height - kTop - kBottom) {}
  double x(double value) const { return kLeft + axis_share(chart_.x, value) * width_; }
  double y(double value) const {
    return kTop + (1 - std::clamp(axis_share(chart_.y, value), -0.02, 1.02)) * height_;
  }
  bool holds(double value) const {
    const double share = axis_share(chart_.x, value);
    return share >= -1e-6 && share <= 1 + 1e-6;
  }
  double right() const { return kLeft + width_; }
  double bottom() const { return kTop + height_; }

 private:
  const ChartView& chart_;
  double width_;
  double height_;
};

std::string color_of(const LineView& line) {
  switch (line.kind) {
    case LineKind::kRank:
      return css_color(color_of_rank(std::max<Rank>(0, line.rank)).light);
    case LineKind::kMean:
      return light_css(Token::kHigh);
    case LineKind::kBaseline:
      return light_css(Token::kDim);
    case LineKind::kRun:
      return css_color(color_of_run(line.run).light);
  }
  return light_css(Token::kText);
}

std::string fill(Token token) { return " fill=\"" + light_css(token) + "\""; }

void text(std::string& svg, double x, double y, const char* anchor, const std::string& words,
          const std::string& more = {}) {
  svg += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\"{}>{}</text>\n", x, y,
                     anchor, more, markup_text(words));
}

void add_axes(const ChartView& chart, const Frame& frame, std::string& svg) {
  for (const Tick& tick : chart.y.ticks) {
    const double y = frame.y(tick.at);
    svg += fmt::format(
        "<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"{}\"/>\n", kLeft, y,
        frame.right(), y, light_css(Token::kLine));
    // Letters of this size are at most 8 wide.
    if (static_cast<double>(letter_count(tick.label)) * 8 <= kLeft - 8)
      text(svg, kLeft - 8, y + 4, "end", tick.label);
  }
  for (const Tick& tick : chart.x.ticks) {
    const double x = frame.x(tick.at);
    svg += fmt::format(
        "<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"{}\"/>\n", x,
        frame.bottom(), x, frame.bottom() + 4, light_css(Token::kLine2));
    text(svg, x, frame.bottom() + 17, "middle", tick.label);
  }
  text(svg, frame.right(), frame.bottom() + 33, "end", chart.x.unit);
  svg += fmt::format("<path d=\"M{:.1f} {:.1f}V{:.1f}H{:.1f}\" fill=\"none\" stroke=\"{}\"/>\n",
                     kLeft, kTop, frame.bottom(), frame.right(), light_css(Token::kLine2));
}

void add_band(const ChartView& chart, const Frame& frame, std::string& svg) {
  std::string path;
  each_stretch(chart.band.columns, [&](std::span<const ChartColumn> columns) {
    if (columns.empty()) return;
    char move = 'M';
    for (const ChartColumn& column : columns) {
      path += fmt::format("{}{:.1f} {:.1f}", move, frame.x(column.x),
                          frame.y(static_cast<double>(column.high)));
      move = 'L';
    }
    for (auto column = columns.rbegin(); column != columns.rend(); ++column)
      path += fmt::format("L{:.1f} {:.1f}", frame.x(column->x),
                          frame.y(static_cast<double>(column->low)));
    path += 'Z';
  });
  if (path.empty()) return;
  svg += "<path d=\"" + path + "\"" + fill(Token::kDim) + " fill-opacity=\"0.2\"/>\n";
}

/// With a band the extremes are drawn already: a line goes through the means.
void add_line(const LineView& line, const Frame& frame, bool banded, bool faint, std::string& svg) {
  if (line.hidden || line.columns.empty()) return;
  std::string path;
  each_stretch(line.columns, [&](std::span<const ChartColumn> columns) {
    char move = 'M';
    for (const ChartColumn& column : columns) {
      const double x = frame.x(column.x);
      const float from = banded ? column.mean : column.low;
      path += fmt::format("{}{:.1f} {:.1f}", move, x, frame.y(static_cast<double>(from)));
      if (!banded && column.high > column.low)
        path += fmt::format("L{:.1f} {:.1f}", x, frame.y(static_cast<double>(column.high)));
      move = 'L';
    }
    if (columns.size() == 1) path += "h1";  // One value alone would not be seen.
  });
  const bool dashed =
      line.kind == LineKind::kBaseline || (line.kind == LineKind::kRun && run_is_dashed(line.run));
  svg += fmt::format("<path d=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"{}\"{}{}/>\n", path,
                     color_of(line), line.kind == LineKind::kMean ? "2" : "1.2",
                     dashed ? " stroke-dasharray=\"5 4\"" : "",
                     faint ? " stroke-opacity=\"0.3\"" : "");
  for (const double x : line.nan_at) {
    if (frame.holds(x)) text(svg, frame.x(x), kTop + 4, "middle", "×", fill(Token::kError));
  }
}

void add_marks(const ChartView& chart, const Frame& frame, std::string& svg) {
  for (const LimitView& limit : chart.limits) {
    const double y = frame.y(limit.y);
    svg += fmt::format(
        "<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" "
        "stroke=\"{}\" stroke-dasharray=\"2 3\"/>\n",
        kLeft, y, frame.right(), y, light_css(Token::kOk));
    text(svg, frame.right() + 8, y + 4, "start", limit.label, fill(Token::kOk));
  }
  TakenStretches taken;
  for (const MarkerView& marker : chart.markers) {
    if (!frame.holds(marker.x) || marker.label.empty()) continue;
    const double x = frame.x(marker.x);
    svg += fmt::format(
        "<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" "
        "stroke=\"{}\" stroke-dasharray=\"2 3\"/>\n",
        x, kTop, x, frame.bottom(), light_css(Token::kDim));
    const double end = x + 5 + 8 * static_cast<double>(letter_count(marker.label));
    if (taken.take(x, end)) text(svg, x + 5, kTop + 10, "start", marker.label);
  }
  for (const PointView& point : chart.points) {
    if (!frame.holds(point.x)) continue;
    svg += fmt::format(
        "<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3\" fill=\"{}\" "
        "stroke=\"{}\"/>\n",
        frame.x(point.x), frame.y(point.y), point.baseline ? "none" : light_css(Token::kHigh),
        light_css(Token::kHigh));
  }
}

void add_legend(const ChartView& chart, const Frame& frame, std::string& svg) {
  double y = kTop + 12;
  for (const LineView& line : chart.lines) {
    if (line.hidden || line.columns.empty()) continue;
    svg += fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"10\" height=\"10\" fill=\"{}\"/>\n",
                       frame.right() + 10, y - 9, color_of(line));
    text(svg, frame.right() + 25, y, "start", line.label.substr(0, line.label.find(' ')));
    y += 16;
  }
}

}  // namespace

std::vector<Color> svg_colors() {
  std::vector<Color> colors;
  for (const Token token :
       {Token::kPanel, Token::kHigh, Token::kText, Token::kDim, Token::kLine, Token::kLine2,
        Token::kOk, Token::kError, Token::kForward, Token::kBackward, Token::kOptimizer,
        Token::kDataWait, Token::kWaitSlowest, Token::kAllReduce, Token::kOther,
        Token::kEvaluation})
    colors.push_back(color(token));
  for (Rank rank = 0; rank < kRankColors; ++rank) colors.push_back(color_of_rank(rank));
  for (int run = 0; run < 4; ++run) colors.push_back(color_of_run(run));
  return colors;
}

std::string chart_svg(const ChartView& chart, const std::string& heading, int width, int height) {
  const Frame frame(chart, width, height);
  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" "
      "viewBox=\"0 0 {0} {1}\" font-family=\"Inter, sans-serif\" font-size=\"12\" "
      "fill=\"{2}\">\n<rect width=\"{0}\" height=\"{1}\" fill=\"{3}\"/>\n",
      width, height, light_css(Token::kText), light_css(Token::kPanel));
  text(svg, kLeft, 24, "start", chart.title + "  " + heading,
       " font-weight=\"600\" font-size=\"14\"" + fill(Token::kHigh));
  add_axes(chart, frame, svg);
  add_band(chart, frame, svg);
  const bool banded = !chart.band.columns.empty();
  for (const LineView& line : chart.lines)
    add_line(line, frame, banded, !chart.smoothed.empty() && line.kind != LineKind::kBaseline, svg);
  for (const LineView& line : chart.smoothed) add_line(line, frame, true, false, svg);
  add_marks(chart, frame, svg);
  add_legend(chart, frame, svg);
  return svg + "</svg>\n";
}

}  // namespace ringside::view
