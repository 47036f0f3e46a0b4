// Draws the parallel coordinates of a study of settings as SVG.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "gui/view/chart/svg_image.h"
#include "gui/view/report/scaling_files.h"

namespace ringside::view {
namespace {

constexpr double kLeftRoom = 40, kRightRoom = 90, kTopRoom = 74, kBottomRoom = 24;

/// Positions of axes and values in the image.
struct ParallelFrame {
  double width;
  double height;
  std::size_t axes;

  double x(std::size_t axis) const {
    const double gaps = std::max<double>(1, static_cast<double>(axes) - 1);
    return kLeftRoom + (width - kLeftRoom - kRightRoom) * static_cast<double>(axis) / gaps;
  }
  double y(double share) const {
    return height - kBottomRoom - share * (height - kTopRoom - kBottomRoom);
  }
};

/// Returns the path of a line, interrupted where one of its values is unknown.
std::string steps_of(const ParallelLine& line, const ParallelFrame& frame) {
  std::string steps;
  bool joined = false;
  for (std::size_t i = 0; i < line.at.size(); ++i) {
    if (std::isfinite(line.at[i]))
      steps += fmt::format("{}{:.1f} {:.1f}", joined ? "L" : "M", frame.x(i), frame.y(line.at[i]));
    joined = std::isfinite(line.at[i]);
  }
  return steps;
}

void add_line(const ParallelLine& line, const ParallelFrame& frame, SvgImage& svg) {
  const std::string color = light_css(line.known ? Token::kSeriesA : Token::kDim);
  const std::string opacity =
      fmt::format(" stroke-opacity=\"{:.2f}\"", 0.25 + 0.75 * line.strength);
  svg.path(steps_of(line, frame), color,
           !line.known ? kSvgDashed
           : line.best ? " stroke-width=\"2.6\""
                       : opacity + " stroke-width=\"1.4\"");
  if (!line.best) return;
  const double x = frame.x(line.at.size() - 1);
  svg.add(fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"4.5\" fill=\"{}\"/>\n", x,
                      frame.y(line.at.back()), color));
}

void add_axis(const ParallelAxis& axis, double x, const ParallelFrame& frame, SvgImage& svg) {
  svg.line(x, frame.y(0), x, frame.y(1), light_css(Token::kLine2));
  svg.text(x, kTopRoom - 18, "middle", axis.label, svg_fill(Token::kHigh));
  for (const Tick& tick : axis.ticks) {
    svg.line(x - 3, frame.y(tick.at), x + 3, frame.y(tick.at), light_css(Token::kLine2));
    svg.text(x + 8, frame.y(tick.at) + 4, "start", tick.label,
             " paint-order=\"stroke\" stroke-width=\"4\" stroke=\"" + light_css(Token::kPanel) +
                 "\"" + svg_fill(Token::kText));
  }
}

}  // namespace

std::string parallel_svg(const ParallelView& view, const std::string& heading, int width,
                         int height) {
  const ParallelFrame frame{static_cast<double>(width), static_cast<double>(height),
                            view.axes.size()};
  SvgImage svg(width, height);
  svg.text(kLeftRoom, 24, "start", view.title + (heading.empty() ? "" : "  " + heading),
           " font-weight=\"600\" font-size=\"14\"" + svg_fill(Token::kHigh));
  for (const ParallelLine& line : view.lines) add_line(line, frame, svg);
  for (std::size_t i = 0; i < view.axes.size(); ++i) add_axis(view.axes[i], frame.x(i), frame, svg);
  return svg.take();
}

}  // namespace ringside::view
