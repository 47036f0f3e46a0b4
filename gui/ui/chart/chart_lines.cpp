#include "gui/ui/chart/chart_lines.h"

#include <algorithm>
#include <cmath>

#include "gui/ui/theme.h"
#include "gui/ui/widgets.h"

namespace ringside::ui {
namespace {

// Indices have 16 bits, which limits the rectangles between two flushes of the draw list.
constexpr std::size_t kMostRectangles = 16000;
// Maximum number of lines drawn as rectangles; with more an image is cheaper.
constexpr int kFewLines = 2;

std::vector<ImVec2> means(const Plot& plot, std::span<const view::ChartColumn> columns) {
  std::vector<ImVec2> points;
  points.reserve(columns.size());
  for (const view::ChartColumn& column : columns)
    points.emplace_back(plot.x_of(column.x), plot.y_of(static_cast<double>(column.mean)));
  return points;
}

/// True if neighbours are mostly within a pixel and a half of each other.
bool dense(const Plot& plot, const std::vector<view::ChartColumn>& columns) {
  if (columns.size() < 2) return false;
  const float width = plot.x_of(columns.back().x) - plot.x_of(columns.front().x);
  return width <= 1.5F * static_cast<float>(columns.size() - 1);
}

/// The pixel of a coordinate; a value that is not a number lies outside.
int whole(float place) {
  return place > -30000.0F ? static_cast<int>(std::floor(std::min(place, 30000.0F))) : -30000;
}

void draw_dot(ImVec2 at, ImU32 color, float half) {
  ImGui::GetWindowDrawList()->AddRectFilled(ImVec2(at.x - half, at.y - half),
                                            ImVec2(at.x + half, at.y + half), color);
}

/// `at`: length of the line so far, modulo a dash and its gap.
void draw_dashes_between(ImVec2 from, ImVec2 to, ImU32 color, float weight, float& at) {
  const float on = px(5);
  const float cycle = px(9);
  const float length = std::hypot(to.x - from.x, to.y - from.y);
  const auto point = [&](float share) {
    return ImVec2(from.x + (to.x - from.x) * share, from.y + (to.y - from.y) * share);
  };
  for (float done = 0; done < length;) {
    const bool drawing = at < on;
    const float piece = std::max(0.01F, std::min(length - done, (drawing ? on : cycle) - at));
    if (drawing) {
      ImGui::GetWindowDrawList()->AddLine(point(done / length), point((done + piece) / length),
                                          color, weight);
    }
    done += piece;
    at += piece;
    if (at >= cycle) at = 0;
  }
}

void draw_bars_as_rectangles(const std::vector<Bar>& bars) {
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const UnsmoothedTextures cheap;
  const ImVec2 white = ImGui::GetFontTexUvWhitePixel();
  for (std::size_t i = 0; i < bars.size(); ++i) {
    if (i % kMostRectangles == 0) {
      const auto count = static_cast<int>(std::min(bars.size() - i, kMostRectangles));
      list.PrimReserve(count * 6, count * 4);
    }
    const Bar& bar = bars[i];
    list.PrimRectUV(ImVec2(static_cast<float>(bar.left), static_cast<float>(bar.top)),
                    ImVec2(static_cast<float>(bar.right), static_cast<float>(bar.bottom)), white,
                    white, bar.color);
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

void draw_band(const Plot& plot, const std::vector<view::ChartColumn>& columns, ImU32 color) {
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const ImDrawFlags flags = list.Flags;
  list.Flags &= ~ImDrawFlags_AAFill;  // Soft edges would show between adjacent pieces.
  for (std::size_t i = 0; i + 1 < columns.size(); ++i) {
    const view::ChartColumn& a = columns[i];
    const view::ChartColumn& b = columns[i + 1];
    if (b.anew) continue;
    const float xa = plot.x_of(a.x);
    const float xb = plot.x_of(b.x);
    list.AddQuadFilled(ImVec2(xa, plot.y_of(static_cast<double>(a.high))),
                       ImVec2(xb, plot.y_of(static_cast<double>(b.high))),
                       ImVec2(xb, plot.y_of(static_cast<double>(b.low))),
                       ImVec2(xa, plot.y_of(static_cast<double>(a.low))), color);
  }
  list.Flags = flags;
}

bool ColumnLines::add(const std::vector<view::ChartColumn>& columns, ImU32 color, float weight) {
  if (!dense(plot_, columns)) return false;
  const int height = std::max(1, whole(weight + 0.5F));
  int x = whole(plot_.x_of(columns.front().x));
  float before = columns.front().first;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const view::ChartColumn& column = columns[i];
    // Extends to the end of the previous column, so that steep lines have no gaps.
    if (column.anew) before = column.first;
    const float high = std::max({column.high, column.first, before});
    const float low = std::min({column.low, column.first, before});
    before = column.last;
    const int top = whole(plot_.y_of(static_cast<double>(high)));
    const int bottom = std::max(whole(plot_.y_of(static_cast<double>(low))), top + height);
    // A column extends to the beginning of the next, which may be more than a pixel away.
    const int next = i + 1 < columns.size() ? whole(plot_.x_of(columns[i + 1].x)) : x + 1;
    const bool last = i + 1 == columns.size() || columns[i + 1].anew;
    bars_.push_back({x, top, last ? x + 1 : std::max(x + 1, std::min(next, x + 4)), bottom, color});
    x = next;
  }
  ++lines_;
  return true;
}

void ColumnLines::draw() {
  const Rect& area = plot_.area;
  const Rect seen{area.x, area.y - 1, area.w + 1, area.h + 2};
  if (lines_ <= kFewLines || !draw_bars_as_picture(bars_, seen)) draw_bars_as_rectangles(bars_);
  bars_.clear();
  lines_ = 0;
}

void draw_smooth(const Plot& plot, const std::vector<view::ChartColumn>& columns, ImU32 color,
                 float weight) {
  view::each_stretch(columns, [&](std::span<const view::ChartColumn> stretch) {
    const std::vector<ImVec2> points = means(plot, stretch);
    if (points.size() == 1) {
      draw_dot(points[0], color, weight);
    } else {
      ImGui::GetWindowDrawList()->AddPolyline(points.data(), static_cast<int>(points.size()), color,
                                              weight);
    }
  });
}

void draw_dashes(const Plot& plot, const std::vector<view::ChartColumn>& columns, ImU32 color,
                 float weight) {
  view::each_stretch(columns, [&](std::span<const view::ChartColumn> stretch) {
    const std::vector<ImVec2> points = means(plot, stretch);
    if (points.size() == 1) draw_dot(points[0], color, weight);
    float at = 0;
    for (std::size_t i = 0; i + 1 < points.size(); ++i)
      draw_dashes_between(points[i], points[i + 1], color, weight, at);
  });
}

}  // namespace ringside::ui
