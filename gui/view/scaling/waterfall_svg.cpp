#include "gui/view/scaling/waterfall_svg.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "gui/view/chart/svg_image.h"

namespace ringside::view {
namespace {

constexpr double kLabels = 230, kNumbers = 170, kHead = 34, kRow = 30, kBar = 18, kAxis = 30;

void bar_text(SvgImage& svg, double x, double y, const char* anchor, Token token,
              const std::string& words, int size = 13) {
  svg.text(x, y, anchor, words, fmt::format(" font-size=\"{}\"", size) + svg_fill(token));
}

struct Plot {
  const AxisView& axis;
  double width;
  double x(double value) const {
    return kLabels + std::clamp(axis_share(axis, value), 0.0, 1.0) * width;
  }
};

void bar(SvgImage& svg, double from, double to, double top, const std::string& paint) {
  svg.add(fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.0f}\"{}/>\n",
                      std::min(from, to), top + (kRow - kBar) / 2,
                      std::max(1.0, std::abs(from - to)), kBar, paint));
}

void bar_line(SvgImage& svg, double x, double from, double to, Token token) {
  svg.line(x, from, x, to, light_css(token));
}

void numbers(SvgImage& svg, int width, double y, const std::string& x, const std::string& seconds) {
  bar_text(svg, width - 90, y, "end", Token::kHigh, x);
  bar_text(svg, width - 4, y, "end", Token::kText, seconds);
}

void end_row(SvgImage& svg, const Plot& plot, const WaterfallEnd& end, double top, Token token,
             int width) {
  const double y = top + kRow / 2 + 4;
  bar_text(svg, 4, y, "start", Token::kHigh, end.label);
  bar(svg, kLabels, plot.x(end.at), top, svg_fill(token));
  numbers(svg, width, y, end.x, end.seconds);
}

}  // namespace

std::string waterfall_svg(const WaterfallView& view, int width) {
  if (!view.shown) return {};
  const Plot plot{view.axis, width - kLabels - kNumbers};
  const double bottom = kHead + kRow * static_cast<double>(view.rows.size() + 2);
  SvgImage svg(width, bottom + kAxis);
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
        row.hollow ? " fill=\"none\" stroke=\"" + light_css(Token::kDim) + "\""
                   : svg_fill(row.gain ? Token::kOk : token_of(row.paint)));
    numbers(svg, width, top + kRow / 2 + 4, row.x, row.seconds);
    top += kRow;
  }
  bar_line(svg, plot.x(view.measured.at), top - (kRow - kBar) / 2, top + (kRow - kBar) / 2,
           Token::kDim);
  end_row(svg, plot, view.measured, top, Token::kSeriesA, width);
  return svg.take();
}

}  // namespace ringside::view
