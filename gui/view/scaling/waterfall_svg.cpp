#include "gui/view/scaling/waterfall_svg.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "gui/view/colors.h"
#include "gui/view/report/markup.h"

namespace ringside::view {
namespace {

constexpr double kLabels = 230, kNumbers = 170, kHead = 34, kRow = 30, kBar = 18, kAxis = 30;

Token token_of(const WaterfallRow& row) {
  if (row.gain) return Token::kOk;
  switch (row.paint) {
    case Paint::kDataWait:
      return Token::kDataWait;
    case Paint::kForward:
      return Token::kForward;
    case Paint::kBackward:
      return Token::kBackward;
    case Paint::kWaitSlowest:
      return Token::kWaitSlowest;
    case Paint::kAllReduce:
      return Token::kAllReduce;
    case Paint::kOptimizer:
      return Token::kOptimizer;
    case Paint::kEvaluation:
      return Token::kEvaluation;
    case Paint::kOther:
      break;
  }
  return Token::kOther;
}

void bar_text(std::string& svg, double x, double y, const char* anchor, Token token,
              const std::string& words, int size = 13) {
  svg += fmt::format(
      "<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\" font-size=\"{}\" fill=\"{}\">{}</text>\n",
      x, y, anchor, size, light_css(token), markup_text(words));
}

/// Where the bars lie.
struct Plot {
  const AxisView& axis;
  double width;
  double x(double value) const {
    return kLabels + std::clamp(axis_share(axis, value), 0.0, 1.0) * width;
  }
};

void bar(std::string& svg, double from, double to, double top, const std::string& paint) {
  svg += fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.0f}\" {}/>\n",
                     std::min(from, to), top + (kRow - kBar) / 2,
                     std::max(1.0, std::abs(from - to)), kBar, paint);
}

void bar_line(std::string& svg, double x, double from, double to, Token token) {
  svg += fmt::format("<path d=\"M{0:.1f} {1:.1f}V{2:.1f}\" stroke=\"{3}\" fill=\"none\"/>\n", x,
                     from, to, light_css(token));
}

void numbers(std::string& svg, int width, double y, const std::string& x,
             const std::string& seconds) {
  bar_text(svg, width - 90, y, "end", Token::kHigh, x);
  bar_text(svg, width - 4, y, "end", Token::kText, seconds);
}

void end_row(std::string& svg, const Plot& plot, const WaterfallEnd& end, double top, Token token,
             int width) {
  const double y = top + kRow / 2 + 4;
  bar_text(svg, 4, y, "start", Token::kHigh, end.label);
  bar(svg, kLabels, plot.x(end.at), top, "fill=\"" + light_css(token) + "\"");
  numbers(svg, width, y, end.x, end.seconds);
}

}  // namespace

std::string waterfall_svg(const WaterfallView& view, int width) {
  if (!view.shown) return {};
  const Plot plot{view.axis, width - kLabels - kNumbers};
  const double bottom = kHead + kRow * static_cast<double>(view.rows.size() + 2);
  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1:.0f}\" "
      "viewBox=\"0 0 {0} {1:.0f}\" font-family=\"Inter, sans-serif\">\n"
      "<rect width=\"{0}\" height=\"{1:.0f}\" fill=\"{2}\"/>\n",
      width, bottom + kAxis, light_css(Token::kPanel));
  bar_text(svg, 4, 20, "start", Token::kHigh, view.title + ", " + view.subtitle, 15);
  for (const Tick& tick : view.axis.ticks) {
    bar_line(svg, plot.x(tick.at), kHead, bottom, Token::kLine);
    bar_text(svg, plot.x(tick.at), bottom + 18, "middle", Token::kDim, tick.label, 11);
  }
  end_row(svg, plot, view.ideal, kHead, Token::kLine2, width);
  double top = kHead + kRow;
  for (const WaterfallRow& row : view.rows) {
    bar_text(svg, 4, top + kRow / 2 + 4, "start", Token::kText, row.label);
    bar_line(svg, plot.x(row.from), top - (kRow - kBar) / 2, top + (kRow - kBar) / 2, Token::kDim);
    bar(svg, plot.x(row.from), plot.x(row.to), top,
        row.hollow ? "fill=\"none\" stroke=\"" + light_css(Token::kDim) + "\""
                   : "fill=\"" + light_css(token_of(row)) + "\"");
    numbers(svg, width, top + kRow / 2 + 4, row.x, row.seconds);
    top += kRow;
  }
  bar_line(svg, plot.x(view.measured.at), top - (kRow - kBar) / 2, top + (kRow - kBar) / 2,
           Token::kDim);
  end_row(svg, plot, view.measured, top, Token::kSeriesA, width);
  return svg + "</svg>\n";
}

}  // namespace ringside::view
