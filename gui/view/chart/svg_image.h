// Builds an SVG image: marks in colours of the light theme on a panel, and a plot with two axes.
// Pure.
#pragma once

#include <string>
#include <utility>

#include "gui/view/chart/chart.h"
#include "gui/view/colors.h"

namespace ringside::view {

inline constexpr const char* kSvgDashed = " stroke-dasharray=\"5 4\"";
inline constexpr const char* kSvgDotted = " stroke-dasharray=\"2 3\"";

std::string svg_fill(Token token);

/// Attributes passed as `more` are inserted unchanged: " stroke-width=\"2\"".
class SvgImage {
 public:
  SvgImage(double width, double height);
  /// `anchor`: "start", "middle" or "end".
  void text(double x, double y, const char* anchor, const std::string& words,
            const std::string& more = {});
  void line(double x0, double y0, double x1, double y1, const std::string& color,
            const std::string& more = {});
  void path(const std::string& steps, const std::string& color, const std::string& more = {});
  void add(const std::string& mark) { svg_ += mark; }
  std::string take() { return std::move(svg_) + "</svg>\n"; }

 private:
  std::string svg_;
};

/// Converts values of two axes to positions in an image.
class SvgPlot {
 public:
  static constexpr double kLeft = 64, kTop = 44;
  /// `beside` and `below`: free space at the right and at the bottom.
  SvgPlot(const AxisView& x, const AxisView& y, int width, int height, double beside, double below)
      : x_(x), y_(y), width_(width - kLeft - beside), height_(height - kTop - below) {}
  double x(double value) const { return kLeft + axis_share(x_, value) * width_; }
  double y(double value) const;
  double y(float value) const { return y(static_cast<double>(value)); }
  double right() const { return kLeft + width_; }
  double bottom() const { return kTop + height_; }
  /// Draws the title of the image and both axes with their ticks.
  void draw_axes(SvgImage& svg, const std::string& title) const;

 private:
  const AxisView& x_;
  const AxisView& y_;
  double width_;
  double height_;
};

}  // namespace ringside::view
