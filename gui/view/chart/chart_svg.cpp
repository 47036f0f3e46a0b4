#include "gui/view/chart/chart_svg.h"

#include <fmt/format.h>

#include <algorithm>

#include "gui/view/chart/svg_image.h"
#include "gui/view/chart/taken_stretches.h"
#include "gui/view/short_number.h"

namespace ringside::view {
namespace {

std::string color_of(const LineView& line) {
  if (line.kind == LineKind::kRank)
    return css_color(color_of_rank(std::max<Rank>(0, line.rank)).light);
  if (line.kind == LineKind::kRun) return css_color(color_of_run(line.run).light);
  return light_css(line.kind == LineKind::kMean ? Token::kHigh : Token::kDim);
}

bool holds(const ChartView& chart, double x) {
  const double share = axis_share(chart.x, x);
  return share >= -1e-6 && share <= 1 + 1e-6;
}

void add_band(const std::vector<ChartColumn>& band, const std::string& fill, const SvgPlot& frame,
              SvgImage& svg) {
  std::string path;
  each_stretch(band, [&](std::span<const ChartColumn> columns) {
    if (columns.empty()) return;
    char move = 'M';
    for (const ChartColumn& column : columns) {
      path += fmt::format("{}{:.1f} {:.1f}", move, frame.x(column.x), frame.y(column.high));
      move = 'L';
    }
    for (auto column = columns.rbegin(); column != columns.rend(); ++column)
      path += fmt::format("L{:.1f} {:.1f}", frame.x(column->x), frame.y(column->low));
    path += 'Z';
  });
  if (path.empty()) return;
  svg.add("<path d=\"" + path + "\"" + fill + " fill-opacity=\"0.2\"/>\n");
}

/// Draws a line. A band already shows the extremes, so its line goes through the means.
void add_line(const ChartView& chart, const LineView& line, const SvgPlot& frame, bool banded,
              bool faint, SvgImage& svg) {
  if (line.hidden || line.columns.empty()) return;
  std::string path;
  each_stretch(line.columns, [&](std::span<const ChartColumn> columns) {
    char move = 'M';
    for (const ChartColumn& column : columns) {
      const double x = frame.x(column.x);
      const float from = banded ? column.mean : column.low;
      path += fmt::format("{}{:.1f} {:.1f}", move, x, frame.y(from));
      if (!banded && column.high > column.low)
        path += fmt::format("L{:.1f} {:.1f}", x, frame.y(column.high));
      move = 'L';
    }
    if (columns.size() == 1) path += "h1";  // A single value would be invisible.
  });
  const bool dashed =
      line.kind == LineKind::kBaseline || (line.kind == LineKind::kRun && run_is_dashed(line.run));
  svg.path(path, color_of(line),
           fmt::format(" stroke-width=\"{}\"{}{}", line.kind == LineKind::kMean ? "2" : "1.2",
                       dashed ? kSvgDashed : "", faint ? " stroke-opacity=\"0.3\"" : ""));
  for (const double x : line.nan_at) {
    if (holds(chart, x))
      svg.text(frame.x(x), SvgPlot::kTop + 4, "middle", "×", svg_fill(Token::kError));
  }
}

void add_marks(const ChartView& chart, const SvgPlot& frame, SvgImage& svg) {
  for (const LimitView& limit : chart.limits) {
    const double y = frame.y(limit.y);
    svg.line(SvgPlot::kLeft, y, frame.right(), y, light_css(Token::kOk), kSvgDotted);
    svg.text(frame.right() + 8, y + 4, "start", limit.label, svg_fill(Token::kOk));
  }
  TakenStretches taken;
  for (const MarkerView& marker : chart.markers) {
    if (!holds(chart, marker.x) || marker.label.empty()) continue;
    const double x = frame.x(marker.x);
    svg.line(x, SvgPlot::kTop, x, frame.bottom(), light_css(Token::kDim), kSvgDotted);
    const double width = 5 + 8 * static_cast<double>(letter_count(marker.label));
    const bool left = x + width > frame.right() && x - width >= SvgPlot::kLeft;
    if (taken.take(left ? x - width : x, left ? x : x + width))
      svg.text(left ? x - 5 : x + 5, SvgPlot::kTop + 10, left ? "end" : "start", marker.label);
  }
  for (const PointView& point : chart.points) {
    if (!holds(chart, point.x)) continue;
    svg.add(
        fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3\" fill=\"{}\" "
                    "stroke=\"{}\"/>\n",
                    frame.x(point.x), frame.y(point.y),
                    point.baseline ? "none" : light_css(Token::kHigh), light_css(Token::kHigh)));
  }
}

void add_legend(const ChartView& chart, const SvgPlot& frame, SvgImage& svg) {
  double y = SvgPlot::kTop + 12;
  for (const LineView& line : chart.lines) {
    if (line.hidden || line.columns.empty()) continue;
    svg.add(
        fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"10\" height=\"10\" fill=\"{}\"/>\n",
                    frame.right() + 10, y - 9, color_of(line)));
    svg.text(frame.right() + 25, y, "start", line.label.substr(0, line.label.find(' ')));
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
  const SvgPlot frame(chart.x, chart.y, width, height, 90, 40);
  SvgImage svg(width, height);
  frame.draw_axes(svg, chart.title + "  " + heading);
  svg.text(frame.right(), frame.bottom() + 33, "end", chart.x.unit);
  add_band(chart.band.columns, svg_fill(Token::kDim), frame, svg);
  for (const LineView& line : chart.lines)
    add_band(line.band, " fill=\"" + color_of(line) + "\"", frame, svg);
  const bool banded = !chart.band.columns.empty();
  for (const LineView& line : chart.lines)
    add_line(chart, line, frame, banded,
             !chart.smoothed.empty() && line.kind != LineKind::kBaseline, svg);
  for (const LineView& line : chart.smoothed) add_line(chart, line, frame, true, false, svg);
  add_marks(chart, frame, svg);
  add_legend(chart, frame, svg);
  return svg.take();
}

}  // namespace ringside::view
