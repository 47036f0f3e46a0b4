// Draws the parallel coordinates of a study of settings: a line for each combination, which opens
// its run when pressed, and the sentence that names the best one.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "gui/ui/scaling/scaling_page.h"
#include "gui/ui/tone.h"
#include "gui/ui/widgets.h"

namespace ringside::ui {
namespace {

constexpr float kNearLine = 6;  ///< distance at which the mouse hovers a line
constexpr float kMarkHit = 14;  ///< size of the control at a line's end
constexpr float kResultLine = 17;
constexpr float kHead = 34;  ///< height of the axes' names

/// Maps axes and values to positions on the screen.
class ParallelPlot {
 public:
  ParallelPlot(const view::ParallelView& view, const Rect& area) : view_(view), area_(area) {}

  float x(std::size_t axis) const { return std::floor(area_.x + gap() * static_cast<float>(axis)); }
  float y(double share) const { return area_.bottom() - static_cast<float>(share) * area_.h; }
  float gap() const { return area_.w / static_cast<float>(view_.axes.size() - 1); }
  const Rect& area() const { return area_; }
  ImVec2 end(const view::ParallelLine& line) const {
    return {x(line.end()), y(line.at[line.end()])};
  }
  /// Calls visit(from, to) for each pair of neighbouring axes where the line has both values.
  void each_piece(const view::ParallelLine& line, auto&& visit) const {
    for (std::size_t i = 1; i < line.at.size(); ++i) {
      if (std::isfinite(line.at[i - 1]) && std::isfinite(line.at[i]))
        visit(ImVec2(x(i - 1), y(line.at[i - 1])), ImVec2(x(i), y(line.at[i])));
    }
  }

 private:
  const view::ParallelView& view_;
  Rect area_;
};

float distance_to(const ImVec2& from, const ImVec2& to, const ImVec2& point) {
  const float dx = to.x - from.x;
  const float dy = to.y - from.y;
  const float share =
      ((point.x - from.x) * dx + (point.y - from.y) * dy) / std::max(dx * dx + dy * dy, 1.0F);
  const float along = std::clamp(share, 0.0F, 1.0F);
  return std::hypot(from.x + along * dx - point.x, from.y + along * dy - point.y);
}

/// Returns the line under the mouse, the upper one if there are two; null: none.
const view::ParallelLine* line_at(const view::ParallelView& view, const ParallelPlot& plot,
                                  const ImVec2& mouse) {
  const view::ParallelLine* found = nullptr;
  float nearest = px(kNearLine);
  for (const view::ParallelLine& line : view.lines) {
    plot.each_piece(line, [&](const ImVec2& from, const ImVec2& to) {
      const float distance = distance_to(from, to, mouse);
      if (distance > nearest) return;
      nearest = distance;
      found = &line;
    });
  }
  return found;
}

void open_line(const view::ParallelLine& line, view::CommandQueue& commands) {
  commands.emplace_back(view::SelectSetting{line.key});
  if (!line.run.empty()) commands.emplace_back(view::OpenRun{line.run});
}

ImU32 line_color(const view::ParallelLine& line) {
  if (!line.known) return color_of(Token::kDim);
  return mixed_over_panel(color_of(Token::kSeriesA),
                          0.3F + 0.7F * static_cast<float>(line.strength));
}

void draw_one(const ParallelPlot& plot, const view::ParallelLine& line, ImU32 color, float weight) {
  plot.each_piece(line, [&](const ImVec2& from, const ImVec2& to) {
    if (line.known) {
      ImGui::GetWindowDrawList()->AddLine(from, to, color, px(weight));
    } else {
      dashed(from, to, color, px(5), px(4));
    }
  });
}

/// Draws the mark at the end of a line, a control for the keyboard. True if it is hovered or
/// focused.
bool draw_end(const ParallelPlot& plot, const view::ParallelLine& line,
              view::CommandQueue& commands) {
  if (!std::isfinite(line.at[line.end()])) return false;
  const ImVec2 end = plot.end(line);
  const float half = px(kMarkHit / 2);
  const std::string id = "Combination " + line.key;
  const Hit hit = hit_area(id.c_str(), {end.x - half, end.y - half, 2 * half, 2 * half});
  const bool focused = ImGui::IsItemFocused() && ImGui::GetIO().NavVisible;
  tooltip(line.hint);
  draw_marker(view::Marker::kDisc, end.x, end.y, px(line.best ? 10 : 6), line_color(line),
              !line.known);
  if (hit.clicked) open_line(line, commands);
  return hit.hovered || focused;
}

/// Draws the axis' name above it and its ticks on the right, where lines are interrupted.
void draw_axis(const view::ParallelAxis& axis, const ParallelPlot& plot, std::size_t place,
               bool last) {
  const float x = plot.x(place);
  const Rect& area = plot.area();
  line_v(x, area.y, area.bottom(), Token::kLine2);
  const float room = last ? px(120) : plot.gap() - px(8);
  const float width = std::min(text_width(Type::kSmallBold, axis.label), room);
  text_fitted(std::floor(x - (place == 0 ? 0 : width * 0.5F)), area.y - px(18), width + 1,
              Type::kSmallBold, Token::kHigh, axis.label);
  for (const view::Tick& tick : axis.ticks) {
    const float y = std::floor(plot.y(tick.at));
    line_h(x - px(3), x + px(4), y, Token::kLine2);
    if (tick.label.empty()) continue;
    const float label = std::min(text_width(Type::kAxis, tick.label), plot.gap() * 0.6F);
    fill({x + px(6), y - px(7), label + px(4), px(14)}, Token::kPanel);
    text_fitted(x + px(8), y, label + 1, Type::kAxis, Token::kDim, tick.label);
  }
}

/// Draws the list that chooses the metric by which settings are ranked.
void choose_best(const view::ParallelView& view, const Rect& header, view::CommandQueue& commands) {
  if (view.metrics.size() < 2) return;
  std::vector<const char*> words;
  for (const view::MetricChoice& metric : view.metrics) words.push_back(metric.label.c_str());
  const Rect list{header.right() - px(110), std::floor(header.middle_y() - px(11)), px(110),
                  px(22)};
  text_right(list.x - px(8), header.middle_y(), Type::kSmall, Token::kDim, "best by");
  const int on = static_cast<int>(view.metric);
  const int picked = drop_list("best by", list, words, on);
  if (picked != on)
    commands.emplace_back(view::RankSettings{view.metrics[static_cast<std::size_t>(picked)].key});
}

}  // namespace

void draw_parallel(const view::ScalingView& study, const view::ScalingInput& input,
                   const Rect& area, view::CommandQueue& commands) {
  const view::ParallelView& view = study.parallel;
  const PanelFrame panel("parallel", area, view.title, view.subtitle, px(180));
  choose_best(view, panel.header, commands);
  Rect body = panel.body.inset(px(14), px(6));
  const Rect result = body.take_bottom(study.result.empty() ? 0 : px(3 * kResultLine), px(6));
  body.take_top(px(kHead));
  body.take_left(px(10));
  body.take_right(px(84));
  body.take_bottom(px(8));
  if (body.empty()) return;
  const ParallelPlot plot(view, body);
  ImGui::SetNextItemAllowOverlap();
  const Hit hit = hit_area("Combinations", body);
  const view::ParallelLine* meant =
      hit.hovered ? line_at(view, plot, ImGui::GetIO().MousePos) : nullptr;
  if (meant != nullptr) tooltip(meant->hint);
  if (meant != nullptr && hit.clicked) open_line(*meant, commands);
  for (const view::ParallelLine& line : view.lines)
    draw_one(plot, line, line_color(line), line.best ? 2.6F : 1.4F);
  for (std::size_t i = 0; i < view.axes.size(); ++i)
    draw_axis(view.axes[i], plot, i, i + 1 == view.axes.size());
  for (const view::ParallelLine& line : view.lines)
    if (draw_end(plot, line, commands)) meant = &line;
  for (const view::ParallelLine& line : view.lines)
    if (line.key == input.selected) draw_one(plot, line, color_of(Token::kAccent), 2.2F);
  if (meant != nullptr) draw_one(plot, *meant, color_of(Token::kHigh), 2.2F);
  sentence_wrapped(result.x, result.y, result.right(), px(kResultLine),
                   {{study.result, view::Style::kWords}}, kSmallSentence);
}

}  // namespace ringside::ui
