#include <algorithm>
#include <array>
#include <cmath>

#include "trainer/data/generators.h"

namespace ringside::data {
namespace {

constexpr int kShapeSide = 32;
constexpr std::size_t kPlane = 32 * 32;

struct Point {
  double x;
  double y;
};
using Colour = std::array<double, 3>;

double length(Point p) { return std::sqrt(p.x * p.x + p.y * p.y); }

// Signed distance to a polygon, negative inside (Quilez, "2D distance functions").
double polygon(Point p, std::span<const Point> corners) {
  double nearest = 1e9;
  double sign = 1.0;
  for (std::size_t i = 0, j = corners.size() - 1; i < corners.size(); j = i++) {
    const Point e{corners[j].x - corners[i].x, corners[j].y - corners[i].y};
    const Point w{p.x - corners[i].x, p.y - corners[i].y};
    const double along = std::clamp((w.x * e.x + w.y * e.y) / (e.x * e.x + e.y * e.y), 0.0, 1.0);
    const Point off{w.x - e.x * along, w.y - e.y * along};
    nearest = std::min(nearest, off.x * off.x + off.y * off.y);
    const bool above = p.y >= corners[i].y;
    const bool below = p.y < corners[j].y;
    const bool left = e.x * w.y > e.y * w.x;
    if ((above && below && left) || (!above && !below && !left)) sign = -sign;
  }
  return sign * std::sqrt(nearest);
}

constexpr std::array<Point, 3> kTriangle{{{0.0, -1.0}, {0.866025, 0.5}, {-0.866025, 0.5}}};
constexpr std::array<Point, 4> kSquare{{{-0.8, -0.8}, {0.8, -0.8}, {0.8, 0.8}, {-0.8, 0.8}}};
constexpr std::array<Point, 4> kBar{{{-1.0, -0.3}, {1.0, -0.3}, {1.0, 0.3}, {-1.0, 0.3}}};
constexpr std::array<Point, 10> kStar{{{0.0, -1.0},
                                       {0.24687, -0.339787},
                                       {0.951057, -0.309017},
                                       {0.399444, 0.129787},
                                       {0.587785, 0.809017},
                                       {0.0, 0.42},
                                       {-0.587785, 0.809017},
                                       {-0.399444, 0.129787},
                                       {-0.951057, -0.309017},
                                       {-0.24687, -0.339787}}};
constexpr std::array<Point, 12> kPlus{{{-0.3, -1.0},
                                       {0.3, -1.0},
                                       {0.3, -0.3},
                                       {1.0, -0.3},
                                       {1.0, 0.3},
                                       {0.3, 0.3},
                                       {0.3, 1.0},
                                       {-0.3, 1.0},
                                       {-0.3, 0.3},
                                       {-1.0, 0.3},
                                       {-1.0, -0.3},
                                       {-0.3, -0.3}}};
constexpr std::array<Point, 7> kArrow{{{1.0, 0.0},
                                       {0.15, 0.8},
                                       {0.15, 0.28},
                                       {-1.0, 0.28},
                                       {-1.0, -0.28},
                                       {0.15, -0.28},
                                       {0.15, -0.8}}};

// Signed distance to a shape of radius 1, in the order of shape_names().
double shape(std::size_t label, Point p) {
  const double radius = length(p);
  switch (label) {
    case 0:
      return radius - 0.95;
    case 1:
      return std::abs(radius - 0.72) - 0.22;
    case 2:
      return polygon(p, kTriangle);
    case 3:
      return polygon(p, kSquare);
    case 4:
      return polygon(p, kStar);
    case 5:
      return polygon(p, kPlus);
    case 6:
      return std::max(radius - 0.95, 0.8 - length({p.x - 0.5, p.y}));
    case 7:
      return polygon(p, kArrow);
    case 8:
      return std::max(radius - 0.95, p.y - 0.05);
    default:
      return polygon(p, kBar);
  }
}

Colour random_colour(Random& random) {
  return {random.uniform(20.0, 235.0), random.uniform(20.0, 235.0), random.uniform(20.0, 235.0)};
}

double difference(const Colour& a, const Colour& b) {
  double sum = 0.0;
  for (std::size_t c = 0; c < 3; ++c) sum += (a[c] - b[c]) * (a[c] - b[c]);
  return std::sqrt(sum);
}

/// The image under construction: one colour per pixel.
using ShapeCanvas = std::array<Colour, kPlane>;

// Paints `colour` where `distance_px` (in pixels) is negative, with a soft edge one pixel wide.
template <class Distance>
void cover(ShapeCanvas& canvas, const Colour& colour, Distance distance_px) {
  for (int y = 0; y < kShapeSide; ++y) {
    for (int x = 0; x < kShapeSide; ++x) {
      const double there = std::clamp(
          0.5 - distance_px(Point{static_cast<double>(x), static_cast<double>(y)}), 0.0, 1.0);
      Colour& pixel = canvas[static_cast<std::size_t>(y * kShapeSide + x)];
      for (std::size_t c = 0; c < 3; ++c) pixel[c] += there * (colour[c] - pixel[c]);
    }
  }
}

// A gradient between two colours, then spots and lines as distractors.
void fill_background(ShapeCanvas& canvas, const Colour& near, const Colour& far, Random& random) {
  const auto [dx, dy] = random.direction();
  for (int y = 0; y < kShapeSide; ++y) {
    for (int x = 0; x < kShapeSide; ++x) {
      const double along = std::clamp(0.5 + ((x - 15.5) * dx + (y - 15.5) * dy) / 36.0, 0.0, 1.0);
      for (std::size_t c = 0; c < 3; ++c) {
        canvas[static_cast<std::size_t>(y * kShapeSide + x)][c] =
            near[c] + along * (far[c] - near[c]);
      }
    }
  }
  const std::size_t clutter = random.below(3);
  for (std::size_t i = 0; i < clutter; ++i) {
    const Colour colour = random_colour(random);
    const Point at{random.uniform(0.0, 31.0), random.uniform(0.0, 31.0)};
    const auto [nx, ny] = random.direction();
    const double size = random.uniform(0.6, 2.2);
    const bool is_line = random.chance(0.5);
    cover(canvas, colour, [&, nx = nx, ny = ny](Point p) {
      const Point off{p.x - at.x, p.y - at.y};
      return is_line ? std::abs(off.x * nx + off.y * ny) - 0.5 * size : length(off) - size;
    });
  }
}

}  // namespace

const std::vector<std::string>& shape_names() {
  static const std::vector<std::string> kNames{"circle",    "ring", "triangle", "square",
                                               "star",      "plus", "crescent", "arrow",
                                               "half-disc", "bar"};
  return kNames;
}

void generate_shape(Random& random, std::size_t label, std::span<std::uint8_t> pixels) {
  const Colour near = random_colour(random);
  Colour far = random_colour(random);
  for (std::size_t c = 0; c < 3; ++c) far[c] = near[c] + 0.5 * (far[c] - near[c]);
  Colour ink = random_colour(random);
  while (difference(ink, near) < 100.0 || difference(ink, far) < 100.0) ink = random_colour(random);

  ShapeCanvas canvas{};
  fill_background(canvas, near, far, random);
  // Rotated by up to 23 degrees; these terms of sine and cosine are accurate enough and equal on
  // all machines.
  const double angle = random.uniform(-0.4, 0.4);
  const double sine = angle - angle * angle * angle / 6.0;
  const double cosine = 1.0 - angle * angle / 2.0 + angle * angle * angle * angle / 24.0;
  const double width = random.uniform(8.0, 12.5);
  const double height = width * random.uniform(0.85, 1.15);
  const Point middle{random.uniform(13.0, 18.0), random.uniform(13.0, 18.0)};
  cover(canvas, ink, [&, cosine = cosine, sine = sine](Point p) {
    const Point off{p.x - middle.x, p.y - middle.y};
    const Point own{(off.x * cosine + off.y * sine) / width,
                    (off.y * cosine - off.x * sine) / height};
    return shape(label, own) * std::min(width, height);
  });

  const double grain = random.uniform(2.0, 14.0);
  for (std::size_t c = 0; c < 3; ++c) {
    for (std::size_t i = 0; i < kPlane; ++i) {
      const double value = canvas[i][c] + grain * random.bell();
      pixels[c * kPlane + i] = static_cast<std::uint8_t>(std::clamp(value, 0.0, 255.0));
    }
  }
}

}  // namespace ringside::data
