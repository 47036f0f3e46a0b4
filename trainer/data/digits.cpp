#include <algorithm>
#include <array>
#include <cmath>

#include "trainer/data/digit_strokes.h"
#include "trainer/data/generators.h"

namespace ringside::data {
namespace {

constexpr int kDigitSide = 28;
constexpr int kPiecesPerSpan = 6;
constexpr double kHandTremble = 0.019;  ///< relative to the box, per control point

/// Coverage of each pixel, 0 .. 1.
using Canvas = std::array<double, kDigitBytes>;

/// Maps the box of 1 x 1 to the canvas.
struct Placement {
  double xx, xy, yx, yy;
  double x0, y0;
  PenPoint apply(PenPoint p) const {
    const double x = p.x - 0.5;
    const double y = p.y - 0.5;
    return {x0 + xx * x + xy * y, y0 + yx * x + yy * y};
  }
};

// Rotates by up to 15 degrees, slants, stretches and moves. For such angles the first terms of sine
// and cosine suffice, and they are the same on every machine.
Placement random_placement(Random& random) {
  const double angle = 0.26 * std::clamp(0.45 * random.bell(), -1.0, 1.0);
  const double sine = angle - angle * angle * angle / 6.0;
  const double cosine = 1.0 - angle * angle / 2.0 + angle * angle * angle * angle / 24.0;
  const double slant = 0.12 * random.bell();
  const double width = random.uniform(14.0, 21.0);
  const double height = random.uniform(16.0, 22.0);
  const double middle = (kDigitSide - 1) / 2.0;
  return {width * cosine,
          height * (slant * cosine - sine),
          width * sine,
          height * (slant * sine + cosine),
          middle + 0.9 * random.bell(),
          middle + 0.9 * random.bell()};
}

double distance(PenPoint p, PenPoint a, PenPoint b) {
  const double dx = b.x - a.x;
  const double dy = b.y - a.y;
  const double length = dx * dx + dy * dy;
  const double along =
      length > 0.0 ? std::clamp(((p.x - a.x) * dx + (p.y - a.y) * dy) / length, 0.0, 1.0) : 0.0;
  const double ex = p.x - (a.x + along * dx);
  const double ey = p.y - (a.y + along * dy);
  return std::sqrt(ex * ex + ey * ey);
}

void draw_line(Canvas& canvas, PenPoint a, PenPoint b, double radius) {
  const double reach = radius + 1.0;
  const auto low = [&](double u, double v) {
    return std::clamp(static_cast<int>(std::floor(std::min(u, v) - reach)), 0, kDigitSide - 1);
  };
  const auto high = [&](double u, double v) {
    return std::clamp(static_cast<int>(std::ceil(std::max(u, v) + reach)), 0, kDigitSide - 1);
  };
  for (int y = low(a.y, b.y); y <= high(a.y, b.y); ++y) {
    for (int x = low(a.x, b.x); x <= high(a.x, b.x); ++x) {
      const double away = distance({static_cast<double>(x), static_cast<double>(y)}, a, b);
      double& pixel = canvas[static_cast<std::size_t>(y * kDigitSide + x)];
      pixel = std::max(pixel, std::clamp(radius + 0.5 - away, 0.0, 1.0));
    }
  }
}

// A point of the Catmull-Rom spline between b and c (Catmull and Rom, 1974).
PenPoint spline(PenPoint a, PenPoint b, PenPoint c, PenPoint d, double t) {
  const auto one = [t](double p, double q, double r, double s) {
    return 0.5 * (2.0 * q + t * ((r - p) + t * ((2.0 * p - 5.0 * q + 4.0 * r - s) +
                                                t * (3.0 * q - p - 3.0 * r + s))));
  };
  return {one(a.x, b.x, c.x, d.x), one(a.y, b.y, c.y, d.y)};
}

void draw_stroke(Canvas& canvas, const Stroke& stroke, const Placement& placement, double radius,
                 Random& random) {
  std::vector<PenPoint> points;
  for (const PenPoint& point : stroke.points) {
    points.push_back(placement.apply(
        {point.x + kHandTremble * random.bell(), point.y + kHandTremble * random.bell()}));
  }
  const std::size_t spans = points.size() - 1;
  for (std::size_t i = 0; i < spans; ++i) {
    if (!stroke.is_curve) {
      draw_line(canvas, points[i], points[i + 1], radius);
      continue;
    }
    const PenPoint before = points[i == 0 ? 0 : i - 1];
    const PenPoint after = points[std::min(i + 2, spans)];
    PenPoint from = points[i];
    for (int piece = 1; piece <= kPiecesPerSpan; ++piece) {
      const double t = static_cast<double>(piece) / kPiecesPerSpan;
      const PenPoint to = spline(before, points[i], points[i + 1], after, t);
      draw_line(canvas, from, to, radius);
      from = to;
    }
  }
}

// Specks of other writing near the edges, so that no single pixel gives the digit away.
void draw_specks(Canvas& canvas, Random& random) {
  const std::size_t specks = random.chance(0.4) ? 1 + random.below(2) : 0;
  for (std::size_t i = 0; i < specks; ++i) {
    const auto [dx, dy] = random.direction();
    const double middle = (kDigitSide - 1) / 2.0;
    const PenPoint a{middle + 13.0 * dx, middle + 13.0 * dy};
    const PenPoint b{a.x + random.uniform(-5.0, 5.0), a.y + random.uniform(-5.0, 5.0)};
    draw_line(canvas, a, b, random.uniform(0.4, 1.0));
  }
}

}  // namespace

void generate_digit(Random& random, std::size_t label, std::span<std::uint8_t> pixels) {
  Canvas canvas{};
  const auto& ways = digit_glyphs()[label];
  const Glyph& glyph = ways[random.below(ways.size())];
  const Placement placement = random_placement(random);
  const double radius = random.uniform(0.7, 1.7);
  for (const Stroke& stroke : glyph) draw_stroke(canvas, stroke, placement, radius, random);
  draw_specks(canvas, random);

  const double ink = random.uniform(170.0, 255.0);
  const double grain = random.uniform(0.0, 28.0);
  for (std::size_t i = 0; i < kDigitBytes; ++i) {
    const double value = ink * canvas[i] + grain * random.bell();
    pixels[i] = static_cast<std::uint8_t>(std::clamp(value, 0.0, 255.0));
  }
}

}  // namespace ringside::data
