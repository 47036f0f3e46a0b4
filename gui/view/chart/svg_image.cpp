#include "gui/view/chart/svg_image.h"

#include <fmt/format.h>

#include <algorithm>

#include "gui/view/markup.h"
#include "gui/view/short_number.h"

namespace ringside::view {

std::string svg_fill(Token token) { return " fill=\"" + light_css(token) + "\""; }

SvgImage::SvgImage(double width, double height)
    : svg_(fmt::format(
          "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" "
          "viewBox=\"0 0 {0:.0f} {1:.0f}\" font-family=\"Inter, sans-serif\" font-size=\"12\"{2}>\n"
          "<rect width=\"{0:.0f}\" height=\"{1:.0f}\"{3}/>\n",
          width, height, svg_fill(Token::kText), svg_fill(Token::kPanel))) {}

void SvgImage::text(double x, double y, const char* anchor, const std::string& words,
                    const std::string& more) {
  svg_ += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\"{}>{}</text>\n", x, y,
                      anchor, more, markup_text(words));
}

void SvgImage::line(double x0, double y0, double x1, double y1, const std::string& color,
                    const std::string& more) {
  svg_ += fmt::format(
      "<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"{}\"{}/>\n", x0, y0,
      x1, y1, color, more);
}

void SvgImage::path(const std::string& steps, const std::string& color, const std::string& more) {
  svg_ += fmt::format("<path d=\"{}\" fill=\"none\" stroke=\"{}\"{}/>\n", steps, color, more);
}

double SvgPlot::y(double value) const {
  return kTop + (1 - std::clamp(axis_share(y_, value), -0.02, 1.02)) * height_;
}

void SvgPlot::draw_axes(SvgImage& svg, const std::string& title) const {
  svg.text(kLeft, 24, "start", title,
           " font-weight=\"600\" font-size=\"14\"" + svg_fill(Token::kHigh));
  for (const Tick& tick : y_.ticks) {
    svg.line(kLeft, y(tick.at), right(), y(tick.at), light_css(Token::kLine));
    // Characters of this size are at most 8 wide.
    if (static_cast<double>(letter_count(tick.label)) * 8 <= kLeft - 8)
      svg.text(kLeft - 8, y(tick.at) + 4, "end", tick.label);
  }
  for (const Tick& tick : x_.ticks) {
    svg.line(x(tick.at), bottom(), x(tick.at), bottom() + 4, light_css(Token::kLine2));
    svg.text(x(tick.at), bottom() + 17, "middle", tick.label);
  }
  svg.path(fmt::format("M{:.1f} {:.1f}V{:.1f}H{:.1f}", kLeft, kTop, bottom(), right()),
           light_css(Token::kLine2));
}

}  // namespace ringside::view
