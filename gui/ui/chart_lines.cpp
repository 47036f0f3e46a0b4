#include "gui/ui/chart_lines.h"

#include <algorithm>
#include <cmath>

#include "gui/ui/theme.h"

namespace ringside::ui {
namespace {

// Indices are 16 bits wide: so many rectangles fit between two flushes of the draw list.
constexpr std::size_t kMostRectangles = 16000;

float middle_of(const Plot& plot, const view::ChartColumn& column) {
  return (plot.y_of(static_cast<double>(column.low)) +
          plot.y_of(static_cast<double>(column.high))) *
         0.5F;
}

std::vector<ImVec2> middles(const Plot& plot, const std::vector<view::ChartColumn>& columns) {
  std::vector<ImVec2> points;
  points.reserve(columns.size());
  for (const view::ChartColumn& column : columns)
    points.emplace_back(plot.x_of(column.x), middle_of(plot, column));
  return points;
}

/// True when neighbours are mostly within a pixel and a half of each other.
bool dense(const Plot& plot, const std::vector<view::ChartColumn>& columns) {
  if (columns.size() < 2) return false;
  const float width = plot.x_of(columns.back().x) - plot.x_of(columns.front().x);
  return width <= 1.5F * static_cast<float>(columns.size() - 1);
}

void put_rectangles(const Plot& plot, const std::vector<view::ChartColumn>& columns,
                    std::size_t begin, std::size_t end, ImU32 ink, float weight) {
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const auto count = static_cast<int>(end - begin);
  list.PrimReserve(count * 6, count * 4);
  const ImVec2 white = ImGui::GetFontTexUvWhitePixel();
  const float height = std::max(1.0F, std::floor(weight + 0.5F));
  for (std::size_t i = begin; i < end; ++i) {
    const view::ChartColumn& column = columns[i];
    float top = plot.y_of(static_cast<double>(column.high));
    float bottom = plot.y_of(static_cast<double>(column.low));
    if (i >
        0) {  // Reach halfway to where the column before ended, so that steep lines stay closed.
      const float before = plot.y_of(static_cast<double>(columns[i - 1].last));
      const float here = plot.y_of(static_cast<double>(column.first));
      top = std::min(top, std::min(before, here));
      bottom = std::max(bottom, std::max(before, here));
    }
    top = std::floor(top);
    bottom = std::max(std::floor(bottom), top + height);
    const float x = std::floor(plot.x_of(column.x));
    // Up to where the next begins: columns need not lie a pixel apart.
    const float next = i + 1 < columns.size() ? std::floor(plot.x_of(columns[i + 1].x)) : x + 1;
    const float right = std::max(x + 1, std::min(next, x + 4));
    list.PrimRectUV(ImVec2(x, top), ImVec2(right, bottom), white, white, ink);
  }
}

}  // namespace

float Plot::y_of(double value) const {
  const double share = std::clamp(view::axis_share(y, value), -0.2, 1.2);
  return area.bottom() - static_cast<float>(share) * area.h;
}

double Plot::value_of_x(float pixel) const {
  const double share = area.w > 0 ? static_cast<double>((pixel - area.x) / area.w) : 0.0;
  if (x.logarithmic && x.low > 0) return x.low * std::pow(x.high / x.low, share);
  return x.low + share * (x.high - x.low);
}

void draw_band(const Plot& plot, const std::vector<view::ChartColumn>& columns, ImU32 ink) {
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const ImDrawFlags flags = list.Flags;
  list.Flags &= ~ImDrawFlags_AAFill;  // Soft edges would show between neighbouring pieces.
  for (std::size_t i = 0; i + 1 < columns.size(); ++i) {
    const view::ChartColumn& a = columns[i];
    const view::ChartColumn& b = columns[i + 1];
    const float xa = plot.x_of(a.x);
    const float xb = plot.x_of(b.x);
    list.AddQuadFilled(ImVec2(xa, plot.y_of(static_cast<double>(a.high))),
                       ImVec2(xb, plot.y_of(static_cast<double>(b.high))),
                       ImVec2(xb, plot.y_of(static_cast<double>(b.low))),
                       ImVec2(xa, plot.y_of(static_cast<double>(a.low))), ink);
  }
  list.Flags = flags;
}

void draw_columns(const Plot& plot, const std::vector<view::ChartColumn>& columns, ImU32 ink,
                  float weight) {
  if (columns.empty()) return;
  if (!dense(plot, columns)) {
    draw_smooth(plot, columns, ink, weight);
    return;
  }
  for (std::size_t begin = 0; begin < columns.size(); begin += kMostRectangles) {
    put_rectangles(plot, columns, begin, std::min(columns.size(), begin + kMostRectangles), ink,
                   weight);
  }
}

void draw_smooth(const Plot& plot, const std::vector<view::ChartColumn>& columns, ImU32 ink,
                 float weight) {
  const std::vector<ImVec2> points = middles(plot, columns);
  ImDrawList& list = *ImGui::GetWindowDrawList();
  if (points.size() == 1) {
    list.AddRectFilled(ImVec2(points[0].x - weight, points[0].y - weight),
                       ImVec2(points[0].x + weight, points[0].y + weight), ink);
    return;
  }
  list.AddPolyline(points.data(), static_cast<int>(points.size()), ink, weight);
}

void draw_dashes(const Plot& plot, const std::vector<view::ChartColumn>& columns, ImU32 ink,
                 float weight) {
  const std::vector<ImVec2> points = middles(plot, columns);
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float on = px(5);
  const float cycle = px(9);
  float at = 0;  // length so far, within the cycle
  for (std::size_t i = 0; i + 1 < points.size(); ++i) {
    const ImVec2 from = points[i];
    const ImVec2 to = points[i + 1];
    const float length = std::hypot(to.x - from.x, to.y - from.y);
    for (float done = 0; done < length;) {
      const bool drawing = at < on;
      const float piece = std::max(0.01F, std::min(length - done, (drawing ? on : cycle) - at));
      if (drawing) {
        const auto point = [&](float share) {
          return ImVec2(from.x + (to.x - from.x) * share, from.y + (to.y - from.y) * share);
        };
        list.AddLine(point(done / length), point((done + piece) / length), ink, weight);
      }
      done += piece;
      at += piece;
      if (at >= cycle) at = 0;
    }
  }
}

}  // namespace ringside::ui
