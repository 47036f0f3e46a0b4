// The chart of a study: axes, the ideal line, series with their markers, and labels that do not
// overlap.
#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "gui/ui/chart/chart.h"
#include "gui/ui/menu.h"
#include "gui/ui/scaling/scaling_page.h"
#include "gui/ui/tone.h"
#include "gui/ui/widgets.h"

namespace ringside::ui {
namespace {

constexpr ChartMargins kScalingMargins{48, 12, 56, 44, false};
constexpr float kMark = 10;

class ScalingPlot {
 public:
  ScalingPlot(const view::ScalingChart& chart, const Rect& area) : chart_(chart), area_(area) {}
  float x(double value) const {
    return area_.x + static_cast<float>(view::axis_share(chart_.x, value)) * area_.w;
  }
  float y(double value) const {
    return area_.bottom() - static_cast<float>(view::axis_share(chart_.y, value)) * area_.h;
  }
  ImVec2 at(double px, double py) const { return {x(px), y(py)}; }
  const Rect& area() const { return area_; }

 private:
  const view::ScalingChart& chart_;
  Rect area_;
};

bool overlap(const Rect& a, const Rect& b) {
  return a.x < b.right() && b.x < a.right() && a.y < b.bottom() && b.y < a.bottom();
}

void draw_axes(const view::ScalingChart& chart, const ScalingPlot& plot) {
  const Rect& area = plot.area();
  for (const view::Tick& tick : chart.y.ticks) {
    const float y = std::floor(plot.y(tick.at));
    line_h(area.x, area.right(), y, Token::kGrid);
    text_right(area.x - px(8), y, Type::kAxis, Token::kDim, tick.label);
  }
  float last = area.x - px(100);
  for (const view::Tick& tick : chart.x.ticks) {
    const float x = std::floor(plot.x(tick.at));
    line_v(x, area.y, area.bottom(), Token::kGrid);
    const float half = text_width(Type::kAxis, tick.label) * 0.5F;
    if (x - half < last + px(4)) continue;
    text_centered(x, area.bottom() + px(12), Type::kAxis, Token::kDim, tick.label);
    last = x + half;
  }
  line_v(area.x, area.y, area.bottom(), Token::kLine2);
  line_h(area.x, area.right(), area.bottom(), Token::kLine2);
  text_centered(area.middle_x(), area.bottom() + px(30), Type::kLabel, Token::kDim, chart.x.unit);
}

/// Draws the path as far as it lies inside the plot.
void draw_path(const ScalingPlot& plot, const std::vector<std::pair<double, double>>& points,
               ImU32 color, float on, float off) {
  const Rect& area = plot.area();
  for (std::size_t i = 1; i < points.size(); ++i) {
    const ImVec2 from = plot.at(points[i - 1].first, points[i - 1].second);
    const ImVec2 to = plot.at(points[i].first, points[i].second);
    if (to.y < area.y - 1 || to.x > area.right() + 1 || from.x < area.x - 1) continue;
    dashed(from, to, color, on, off);
  }
}

void draw_limits(const view::ScalingChart& chart, const ScalingPlot& plot) {
  for (const view::LimitView& limit : chart.limits) {
    const float y = std::floor(plot.y(limit.y));
    dashed(ImVec2(plot.area().x, y), ImVec2(plot.area().right(), y), Token::kDim, px(2), px(3));
    text_right(plot.area().right() - px(4), y + px(11), Type::kLabel, token_of(limit.tone),
               limit.label);
  }
}

void draw_bar(const ScalingPlot& plot, const view::ScalingDot& dot, ImU32 color) {
  const float x = std::floor(plot.x(dot.x));
  const float low = plot.y(dot.low);
  const float high = plot.y(dot.high);
  if (!(low - high > px(2))) return;
  line_v(x, high, low, color);
  for (const float y : {low, high}) line_h(x - px(4), x + px(5), std::floor(y), color);
}

/// Areas that labels must not cover. Labels never cover each other or a marker, and a line only if
/// no other position is free.
struct Obstacles {
  std::vector<Rect> taken;
  std::vector<Rect> lines;

  bool free(const Rect& where, bool of_lines) const {
    const auto hit = [&](const Rect& one) { return overlap(one, where); };
    return std::ranges::none_of(taken, hit) && (!of_lines || std::ranges::none_of(lines, hit));
  }
  /// Adds a line as short pieces, so that the rectangle round each is hardly higher than the line.
  void add_line(ImVec2 from, ImVec2 to) {
    const float pieces = std::max(1.0F, std::ceil(std::abs(to.x - from.x) / px(6)));
    const ImVec2 by((to.x - from.x) / pieces, (to.y - from.y) / pieces);
    for (float i = 0; i < pieces; ++i) {
      const float y = from.y + by.y * i;
      lines.push_back({from.x + by.x * i, std::min(y, y + by.y) - px(1), std::abs(by.x) + 1,
                       std::abs(by.y) + px(2)});
    }
  }
};

/// Draws the label of a point at the first free position around it. Without one the label is left
/// out, since the tooltip shows the same.
void draw_words(const ScalingPlot& plot, const view::ScalingSeries& series,
                const view::ScalingDot& dot, bool below, Obstacles& obstacles) {
  const float value = text_width(Type::kNumberBold, dot.value);
  const float gap = dot.aside.empty() ? 0 : px(6);
  const float width = value + gap + text_width(Type::kLabel, dot.aside);
  const float height = px(dot.problem.empty() ? 14 : 29);
  const float x = plot.x(dot.x);
  const float y = plot.y(dot.y);
  const float left = x - width - px(10);
  const float right = x + px(10);
  const float up = y - px(8) - height;
  const float down = y + px(6);
  std::array<ImVec2, 8> places{ImVec2(left, up),
                               ImVec2(right, down),
                               ImVec2(right, up),
                               ImVec2(left, down),
                               ImVec2(right, y - px(7)),
                               ImVec2(left, y - px(7)),
                               ImVec2(x - width * 0.5F, up - px(4)),
                               ImVec2(x - width * 0.5F, down + px(4))};
  if (below) std::swap(places[0], places[1]);
  const Rect& area = plot.area();
  const auto is_place = [&](const ImVec2& place, bool of_lines) {
    const bool inside = place.x >= area.x + px(2) && place.x + width <= area.right() + px(44) &&
                        place.y >= area.y - px(4) && place.y + height <= area.bottom() - px(2);
    return inside && obstacles.free({place.x, place.y, width, height}, of_lines);
  };
  const auto found = [&](bool of_lines) {
    return std::ranges::find_if(places,
                                [&](const ImVec2& place) { return is_place(place, of_lines); });
  };
  const auto* place = found(true);
  if (place == places.end()) place = found(false);
  if (place == places.end()) return;
  const Rect where{place->x, place->y, width, height};
  obstacles.taken.push_back(where);
  const float middle = where.y + px(7);
  text_at(where.x, middle, Type::kNumberBold, series.token, dot.value);
  text_at(where.x + value + gap, middle, Type::kLabel, Token::kDim, dot.aside);
  if (!dot.problem.empty())
    text_at(where.x, middle + px(15), Type::kLabel, Token::kError, dot.problem);
}

void draw_series(const ScalingPlot& plot, const view::ScalingSeries& series) {
  const ImU32 color = color_of(series.token);
  std::vector<ImVec2> points;
  for (const view::ScalingDot& dot : series.dots) points.push_back(plot.at(dot.x, dot.y));
  if (series.joined && points.size() > 1)
    ImGui::GetWindowDrawList()->AddPolyline(points.data(), static_cast<int>(points.size()), color,
                                            px(1.8F));
}

void draw_dots(const ScalingPlot& plot, const view::ScalingSeries& series,
               const std::string& selected, view::CommandQueue& commands) {
  const ImU32 color = color_of(series.token);
  for (const view::ScalingDot& dot : series.dots) {
    if (dot.key.empty() && dot.value.empty()) continue;  // the baseline, drawn with its own series
    draw_bar(plot, dot, color);
    const float x = plot.x(dot.x);
    const float y = plot.y(dot.y);
    draw_marker(series.marker, x, y, px(kMark), color, dot.hollow);
    if (dot.key == selected && !dot.key.empty())
      ImGui::GetWindowDrawList()->AddCircle(ImVec2(x, y), px(9), color_of(Token::kAccent), 0,
                                            px(1));
    const std::string id = "Point " + series.name + " " + std::to_string(std::lround(dot.x));
    const Hit hit = hit_area(id.c_str(), {x - px(8), y - px(8), px(16), px(16)});
    tooltip(dot.hint.c_str());
    if (hit.clicked && !dot.key.empty()) commands.emplace_back(view::SelectSetting{dot.key});
  }
}

void add_lines(const view::ScalingChart& chart, const ScalingPlot& plot, Obstacles& obstacles) {
  const auto add = [&](const ImVec2& from, const ImVec2& to) { obstacles.add_line(from, to); };
  for (std::size_t i = 1; i < chart.ideal.size(); ++i)
    add(plot.at(chart.ideal[i - 1].first, chart.ideal[i - 1].second),
        plot.at(chart.ideal[i].first, chart.ideal[i].second));
  for (const view::LimitView& limit : chart.limits)
    add(ImVec2(plot.area().x, plot.y(limit.y)), ImVec2(plot.area().right(), plot.y(limit.y)));
  for (const view::ScalingSeries& series : chart.series) {
    for (const view::ScalingDot& dot : series.dots)
      obstacles.lines.push_back({plot.x(dot.x) - px(4), plot.y(dot.high), px(9),
                                 std::max(0.0F, plot.y(dot.low) - plot.y(dot.high))});
    for (std::size_t i = 1; series.joined && i < series.dots.size(); ++i)
      add(plot.at(series.dots[i - 1].x, series.dots[i - 1].y),
          plot.at(series.dots[i].x, series.dots[i].y));
  }
}

/// Draws the legend at the upper left, where a rising curve is not, and adds its area to `taken`.
void draw_legend(const view::ScalingChart& chart, const Rect& area, bool low,
                 std::vector<Rect>& taken) {
  const auto told = std::ranges::count_if(chart.series, view::in_legend);
  const float lines = static_cast<float>(told) + (chart.goal ? 1.0F : 0.0F);
  float y = low ? area.bottom() - px(18) * lines - px(4) : area.y + px(16);
  for (const view::ScalingSeries& series : chart.series) {
    if (!view::in_legend(series)) continue;
    const float x = area.x + px(14);
    if (series.joined) line_h(x, x + px(20), std::floor(y), series.token);
    draw_marker(series.marker, x + px(10), y, px(9), color_of(series.token), series.published);
    const float end = text_at(x + px(30), y, Type::kSmall,
                              series.published ? Token::kDim : Token::kText, series.legend);
    taken.push_back({x, y - px(9), end - x, px(18)});
    y += px(18);
  }
  if (!chart.goal) return;
  draw_marker(view::Marker::kDisc, area.x + px(24), y, px(9), color_of(Token::kSeriesA), true);
  text_at(area.x + px(44), y, Type::kSmall, Token::kDim, "hollow: gate failed");
}

void draw_ideal(const view::ScalingChart& chart, const ScalingPlot& plot,
                std::vector<Rect>& taken) {
  if (chart.ideal.empty()) return;
  draw_path(plot, chart.ideal, color_of(Token::kDim), px(5), px(4));
  const auto& [x, y] = chart.ideal[chart.ideal.size() * 5 / 6];
  const float width = text_width(Type::kLabel, "ideal");
  const Rect where{plot.x(x) - width - px(12), plot.y(y) - px(14), width, px(14)};
  text_at(where.x, where.middle_y(), Type::kLabel, Token::kDim, "ideal");
  taken.push_back(where);
}

int choose_metric(const PanelFrame& panel, view::ScalingMetric metric) {
  std::array<const char*, static_cast<std::size_t>(view::ScalingMetric::kCount)> words{};
  for (std::size_t i = 0; i < words.size(); ++i)
    words[i] = view::name_of(static_cast<view::ScalingMetric>(i));
  const auto on = static_cast<int>(metric);
  const float width = segmented_width(words);
  const float middle = panel.header.middle_y();
  if (width <= panel.header.w)
    return segmented("scaling metric", panel.header.right() - width, middle, words, on);
  const float list = std::min(px(110), panel.header.w);
  return drop_list("scaling metric", {panel.header.right() - list, middle - px(11), list, px(22)},
                   words, on);
}

}  // namespace

void draw_marker(view::Marker marker, float x, float y, float size, ImU32 color, bool hollow) {
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float half = size * 0.5F;
  const ImU32 inside = hollow ? color_of(Token::kPanel) : color;
  const float weight = std::max(1.5F, px(1.6F));
  if (marker == view::Marker::kDisc) {
    list.AddCircleFilled(ImVec2(x, y), half, inside);
    if (hollow) list.AddCircle(ImVec2(x, y), half - weight * 0.5F, color, 0, weight);
  } else if (marker == view::Marker::kSquare) {
    const float side = half * 0.86F;
    list.AddRectFilled(ImVec2(x - side, y - side), ImVec2(x + side, y + side), inside);
    if (hollow)
      list.AddRect(ImVec2(x - side, y - side), ImVec2(x + side, y + side), color, 0.0F, weight);
  } else if (marker == view::Marker::kDiamond) {
    const float far = half * 1.2F;
    list.AddQuadFilled(ImVec2(x, y - far), ImVec2(x + far, y), ImVec2(x, y + far),
                       ImVec2(x - far, y), inside);
    if (hollow)
      list.AddQuad(ImVec2(x, y - far), ImVec2(x + far, y), ImVec2(x, y + far), ImVec2(x - far, y),
                   color, weight);
  } else {
    list.AddLine(ImVec2(x - half, y - half), ImVec2(x + half, y + half), color, weight * 1.5F);
    list.AddLine(ImVec2(x - half, y + half), ImVec2(x + half, y - half), color, weight * 1.5F);
  }
}

void draw_scaling_chart(const view::ScalingChart& chart, const view::ScalingInput& input,
                        const Rect& area, view::CommandQueue& commands) {
  PanelFrame panel("scaling chart", area, chart.title, chart.subtitle, px(354));
  const Rect dots = panel.header.take_right(px(18), px(6));
  const bool over = ImGui::IsWindowHovered(ImGuiHoveredFlags_ChildWindows) &&
                    panel.body.contains(ImGui::GetMousePos().x, ImGui::GetMousePos().y);
  const bool opened =
      menu_button("Chart menu", {dots.x, dots.middle_y() - px(10), dots.w, px(20)}) ||
      (over && ImGui::IsMouseClicked(ImGuiMouseButton_Right));
  command_menu("chart menu", opened, commands, view::scaling_chart_menu);
  const int picked = choose_metric(panel, input.metric);
  if (picked != static_cast<int>(input.metric))
    commands.emplace_back(view::SetScalingMetric{static_cast<view::ScalingMetric>(picked)});
  const ScalingPlot plot(chart, plot_rect(panel.body, kScalingMargins));
  if (plot.area().empty()) return;
  Obstacles obstacles;
  draw_axes(chart, plot);
  draw_ideal(chart, plot, obstacles.taken);
  for (const auto& curve : chart.curves)
    draw_path(plot, curve.points, color_of(curve.token, 0.6F), px(2), px(3));
  draw_limits(chart, plot);
  const bool falls = input.metric == view::ScalingMetric::kEfficiency;
  draw_legend(chart, plot.area(), falls, obstacles.taken);
  add_lines(chart, plot, obstacles);
  for (const auto& series : chart.series) draw_series(plot, series);
  for (const auto& series : chart.series) {
    draw_dots(plot, series, input.selected, commands);
    for (const auto& dot : series.dots)
      obstacles.taken.push_back({plot.x(dot.x) - px(5), plot.y(dot.y) - px(5), px(10), px(10)});
  }
  for (const auto& series : chart.series) {
    const bool below = series.name == "strong" || series.name == "dp";
    for (const auto& dot : series.dots) {
      const bool start = dot.key == "baseline-1" && chart.series.size() > 1;
      if ((!dot.key.empty() && !start) || series.published)
        draw_words(plot, series, dot, below, obstacles);
    }
  }
  if (!chart.empty.empty())
    sentence_centered(plot.area().middle_x(), plot.area().middle_y(), chart.empty, kDimSentence);
}

}  // namespace ringside::ui
