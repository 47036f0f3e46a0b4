#include "gui/ui/chart/chart.h"

#include <imgui_internal.h>

#include <algorithm>
#include <cmath>

#include "gui/ui/chart/chart_lines.h"
#include "gui/ui/tone.h"
#include "gui/ui/widgets.h"
#include "gui/view/chart/taken_stretches.h"
#include "gui/view/live/run_charts.h"

namespace ringside::ui {
namespace {

/// Calls row(y, label) and column(x, label) for each tick that lies in the plot.
template <class Row, class Column>
void each_tick(const Plot& plot, Row&& row, Column&& column) {
  const Rect& area = plot.area;
  for (const view::Tick& tick : plot.y.ticks) {
    const float y = std::floor(plot.y_of(tick.at));
    if (y >= area.y - 1 && y <= area.bottom() + 1) row(y, tick.label);
  }
  for (const view::Tick& tick : plot.x.ticks) {
    const float x = std::floor(plot.x_of(tick.at));
    if (x >= area.x - 1 && x <= area.right() + 1) column(x, tick.label);
  }
}

/// Small charts show marks without labels.
bool roomy(const Plot& plot) { return plot.area.h >= px(140); }

/// The area of the label "now": below the plot, where it may cover axis labels but never the newest
/// values. Empty if it is not drawn.
Rect now_word(const Plot& plot, const view::MarkerView& marker) {
  const float x = std::floor(plot.x_of(marker.x));
  if (marker.kind != view::MarkerKind::kNow || !roomy(plot)) return {};
  if (x < plot.area.x - 1 || x > plot.area.right() + 1) return {};
  const float width = text_width(Type::kSmallBold, marker.label) + px(8);
  return {std::floor(x - width * 0.5F), plot.area.bottom() + px(6), std::ceil(width), px(16)};
}

Rect now_word(const Plot& plot, const std::vector<view::MarkerView>& markers) {
  for (const view::MarkerView& marker : markers)
    if (const Rect word = now_word(plot, marker); !word.empty()) return word;
  return {};
}

/// `left` is the space beside the plot: labels that do not fit are left out, since a cut label
/// would show another number. `taken`: space that labels of the x axis must not use.
void draw_axes(const Plot& plot, float left, const Rect& taken) {
  const Rect& area = plot.area;
  {
    const UnsmoothedTextures cheap;
    each_tick(
        plot, [&](float y, const std::string&) { line_h(area.x, area.right(), y, Token::kGrid); },
        [&](float x, const std::string&) {
          line_v(x, area.y, area.bottom(), Token::kGrid);
          line_v(x, area.bottom(), area.bottom() + px(4), Token::kLine2);
        });
    line_h(area.x, area.right(), area.bottom(), Token::kLine2);
    line_v(area.x, area.y, area.bottom() + 1, Token::kLine2);
  }
  // Labels that would touch, as with large text in a small plot, are left out.
  float free_y = 1e9F;
  float free_x = -1e9F;
  each_tick(
      plot,
      [&](float y, const std::string& label) {
        if (std::abs(y - free_y) < px(12)) return;
        if (text_width(Type::kAxis, label) > left - px(8)) return;
        free_y = y;
        text_right(area.x - px(8), y + 0.5F, Type::kAxis, Token::kDim, label);
      },
      [&](float x, const std::string& label) {
        const float half = text_width(Type::kAxis, label) * 0.5F;
        if (x - half < free_x) return;
        if (!taken.empty() && x + half > taken.x && x - half < taken.right()) return;
        free_x = x + half + px(6);
        text_centered(x, area.bottom() + px(14), Type::kAxis, Token::kDim, label);
      });
}

ImU32 line_color(view::LineKind kind, Rank rank) {
  if (kind == view::LineKind::kRank) return rank_color(rank);
  if (kind == view::LineKind::kRun) return run_color(rank);
  return color_of(kind == view::LineKind::kMean ? Token::kHigh : Token::kDim);
}

ImU32 line_color(const view::LineView& line) {
  return line_color(line.kind, line.kind == view::LineKind::kRun ? line.run : line.rank);
}

void cross(ImVec2 center) { draw_icon(Icon::kCross, center, px(10), Token::kError); }

/// Colours repeat from the fifth run on, so those lines are dashed. A line of few values also shows
/// its points.
void draw_run_line(const Plot& plot, const view::LineView& line, ImU32 color) {
  const float weight = 1.6F * theme().scale;
  if (run_is_dashed(line.run)) {
    draw_dashes(plot, line.columns, color, weight);
  } else {
    draw_smooth(plot, line.columns, color, weight);
  }
  if (line.columns.size() > 80) return;
  const float half = px(2);
  for (const view::ChartColumn& column : line.columns) {
    const float x = plot.x_of(column.x);
    const float y = plot.y_of(static_cast<double>(column.last));
    ImGui::GetWindowDrawList()->AddRectFilled(ImVec2(x - half, y - half),
                                              ImVec2(x + half, y + half), color);
  }
}

/// If there is a band, which shows the extremes, the line of a rank passes through the means of
/// its columns. Otherwise columns are drawn together with those of their neighbours.
void draw_line(const Plot& plot, const view::LineView& line, bool banded, bool faint,
               ColumnLines& together) {
  const bool steps_back = faint && line.kind != view::LineKind::kBaseline;
  const ImU32 color = steps_back ? mixed_over_panel(line_color(line), 0.32F) : line_color(line);
  const float thin = 1.2F * theme().scale;
  if (line.kind == view::LineKind::kRank && !banded && together.add(line.columns, color, thin))
    return;
  together.draw();
  switch (line.kind) {
    case view::LineKind::kRank:
      draw_smooth(plot, line.columns, color, thin);
      break;
    case view::LineKind::kBaseline:
      draw_dashes(plot, line.columns, color, 1.4F * theme().scale);
      break;
    case view::LineKind::kMean:
      draw_smooth(plot, line.columns, color, steps_back ? thin : 2.2F * theme().scale);
      break;
    case view::LineKind::kRun:
      draw_run_line(plot, line, color);
      break;
  }
}

/// Crosses are drawn over all lines and partly outside the plot.
void draw_crosses(const Plot& plot, const view::LineView& line) {
  float last = -1e9F;
  for (const double x : line.nan_at) {
    const float at = plot.x_of(x);
    if (at - last < px(7)) continue;
    if (at >= plot.area.x && at <= plot.area.right()) cross(ImVec2(at, plot.area.y));
    last = at;
  }
  if (!line.ends_in_cross || line.columns.empty()) return;
  const view::ChartColumn& end = line.columns.back();
  cross(ImVec2(plot.x_of(end.x), plot.y_of(static_cast<double>(end.last))));
}

void draw_points(const Plot& plot, const std::vector<view::PointView>& points) {
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float r = 3.6F * theme().scale;
  for (const view::PointView& point : points) {
    const ImVec2 at(plot.x_of(point.x), plot.y_of(point.y));
    const ImVec2 top(at.x, at.y - r);
    const ImVec2 right(at.x + r, at.y);
    const ImVec2 bottom(at.x, at.y + r);
    const ImVec2 left(at.x - r, at.y);
    if (point.baseline) {
      list.AddQuad(top, right, bottom, left, color_of(Token::kDim), 1.2F * theme().scale);
    } else {
      list.AddQuadFilled(top, right, bottom, left, color_of(Token::kHigh));
    }
  }
}

void draw_limits(const Plot& plot, const std::vector<view::LimitView>& limits) {
  for (const view::LimitView& limit : limits) {
    const float y = std::floor(plot.y_of(limit.y)) + 0.5F;
    const ImU32 color = color_of(token_of(limit.tone));
    dashed(ImVec2(plot.area.x, y), ImVec2(plot.area.right(), y), color, px(2), px(3));
    text_at(plot.area.right() + px(8), y, Type::kLabel, color, limit.label);
  }
}

/// Labels of markers at the top of a chart; one that would overlap another is left out.
class MarkerWords {
 public:
  explicit MarkerWords(const Plot& plot) : plot_(plot) {}

  void put(float x, bool leftward, ImU32 color, const std::string& word) {
    const float width = text_width(Type::kLabel, word);
    // A label without space on the right of its mark is drawn on the left.
    const bool turned = !leftward && x + width > plot_.area.right();
    const float begin = leftward ? x - width : turned ? x - width - px(16) : x;
    if (!taken_.take(begin - px(3), begin + width + px(3))) return;
    text_at(begin, plot_.area.y + px(8), Type::kLabel, color, word);
  }

 private:
  const Plot& plot_;
  view::TakenStretches taken_;
};

void draw_lr_drop(const Plot& plot, const view::MarkerView& marker, float x, MarkerWords& words) {
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float top = plot.area.y - px(1);
  const float r = px(5);
  if (marker.planned) {
    list.AddTriangle(ImVec2(x - r, top - r), ImVec2(x + r, top - r), ImVec2(x, top + px(2)),
                     color_of(Token::kDim));
  } else {
    list.AddTriangleFilled(ImVec2(x - r, top - r), ImVec2(x + r, top - r), ImVec2(x, top + px(2)),
                           color_of(Token::kText));
  }
  if (!roomy(plot)) return;
  if (!marker.planned)
    dashed(ImVec2(x, top + px(2)), ImVec2(x, plot.area.bottom()), color_of(Token::kText, 0.55F),
           px(2), px(3));
  if (!marker.label.empty()) words.put(x + px(8), false, color_of(Token::kText), marker.label);
}

void draw_chart_marker(const Plot& plot, const view::MarkerView& marker, MarkerWords& words) {
  const float x = std::floor(plot.x_of(marker.x));
  if (x < plot.area.x - 1 || x > plot.area.right() + 1) return;
  switch (marker.kind) {
    case view::MarkerKind::kLrDrop:
      draw_lr_drop(plot, marker, x, words);
      break;
    case view::MarkerKind::kNow: {
      line_v(x, plot.area.y, plot.area.bottom(), color_of(Token::kAccent, 0.8F));
      const Rect box = now_word(plot, marker);
      if (box.empty()) break;
      fill(box, Token::kPanel, 2);
      text_centered(box.middle_x(), box.middle_y(), Type::kSmallBold, Token::kAccent, marker.label);
      break;
    }
    case view::MarkerKind::kFailure:
      cross(ImVec2(x, plot.area.y));
      break;
    case view::MarkerKind::kRestart:
      dashed(ImVec2(x, plot.area.y), ImVec2(x, plot.area.bottom()), Token::kWarning, px(2), px(3));
      words.put(x + px(6), false, color_of(Token::kWarning), marker.label);
      break;
    case view::MarkerKind::kStop:
      draw_icon(Icon::kStop, ImVec2(x, plot.area.y), px(9), Token::kDim);
      if (roomy(plot)) words.put(x - px(8), true, color_of(Token::kDim), marker.label);
      break;
    case view::MarkerKind::kNote: {
      // A pennant at the top of its mast.
      line_v(x, plot.area.y, plot.area.bottom(), color_of(Token::kAccent, 0.45F));
      const Rect pennant{x, plot.area.y, px(9), px(9)};
      ImGui::GetWindowDrawList()->AddTriangleFilled(
          ImVec2(x, pennant.y), ImVec2(pennant.right(), pennant.middle_y()),
          ImVec2(x, pennant.bottom()), color_of(Token::kAccent));
      note_cut(pennant.inset(-px(3), -px(3)), marker.label);
      break;
    }
    case view::MarkerKind::kCheckpoint:
      line_v(x, plot.area.bottom() - px(5), plot.area.bottom(), Token::kFaint);
      note_cut({x - px(4), plot.area.bottom() - px(8), px(8), px(12)}, marker.label);
      break;
    case view::MarkerKind::kEvaluation:
      draw_icon(Icon::kDiamond, ImVec2(x, plot.area.bottom()), px(7), Token::kDim);
      note_cut({x - px(4), plot.area.bottom() - px(8), px(8), px(12)}, marker.label);
      break;
  }
}

/// Draws labels at the right end of lines, moved apart so that none covers another.
void draw_line_ends(const Plot& plot, const view::ChartView& chart, bool ranks) {
  struct End {
    float y;
    ImU32 color;
    const std::string* word;
  };
  std::vector<End> ends;
  for (const view::LineView& line : chart.lines) {
    if (line.columns.empty() || line.hidden || line.kind == view::LineKind::kMean) continue;
    if (line.kind == view::LineKind::kRank && !ranks) continue;
    ends.push_back(
        {plot.y_of(static_cast<double>(line.columns.back().last)), line_color(line), &line.label});
  }
  std::sort(ends.begin(), ends.end(), [](const End& a, const End& b) { return a.y < b.y; });
  const float apart = px(13);
  for (std::size_t i = 1; i < ends.size(); ++i)
    ends[i].y = std::max(ends[i].y, ends[i - 1].y + apart);
  float limit = plot.area.bottom();
  for (auto end = ends.rbegin(); end != ends.rend(); ++end) {
    end->y = std::min(end->y, limit);
    limit = end->y - apart;
    // The baseline's value is in the read-out, so its first word is enough here.
    text_at(plot.area.right() + px(8), end->y, Type::kAxis, end->color,
            end->word->substr(0, end->word->find(' ')));
  }
}

float readout_rows(const view::ReadoutView& readout, std::size_t& ranks) {
  ranks = 0;
  for (const view::ReadoutRow& row : readout.rows)
    ranks += row.kind == view::LineKind::kRank ? 1U : 0U;
  return static_cast<float>((ranks + 1) / 2 + (readout.rows.size() - ranks));
}

void draw_readout_row(const view::ReadoutRow& row, float x, float right, float y) {
  if (row.kind == view::LineKind::kRank) {
    const float end = rank_chip(x, y, row.rank);
    text_at(end + px(8), y, Type::kNumber, Token::kHigh, row.value);
    return;
  }
  const ImU32 color = line_color(row.kind, row.rank);
  if (row.kind == view::LineKind::kBaseline) {
    dashed(ImVec2(x, std::floor(y) + 0.5F), ImVec2(x + px(20), std::floor(y) + 0.5F), color, px(5),
           px(4), 1.4F);
  } else {
    fill({x, std::floor(y) - 1, px(20), 2}, color);
  }
  text_at(x + px(28), y, Type::kLabel, Token::kText, row.label);
  text_right(right, y, Type::kNumber, Token::kHigh, row.value);
}

/// Places the box left of the cursor, so that the newest values stay visible; right of it if there
/// is no space, which does not cover the values at the end.
float readout_left(const Rect& plot, float cursor, float width) {
  const float away = px(12);
  const float edge = plot.x - px(40);
  const float left = cursor - away - width;
  const bool fits_right = cursor + away + width <= plot.x + plot.w * 0.75F;
  return left < edge && fits_right ? cursor + away : std::max(left, edge);
}

void draw_readout(const Plot& plot, const view::ReadoutView& readout) {
  const float x = std::floor(plot.x_of(readout.x));
  if (!readout.shown || x < plot.area.x || x > plot.area.right()) return;
  line_v(x, plot.area.y, plot.area.bottom(), color_of(Token::kText, 0.8F));
  if (readout.rows.empty()) return;
  std::size_t ranks = 0;
  const float rows = readout_rows(readout, ranks);
  const float line = px(21);
  float width = std::max(px(208), sentence_width(readout.head, kLabelSentence) + px(20));
  for (const view::ReadoutRow& row : readout.rows) {
    if (row.kind == view::LineKind::kRank) continue;
    const float words = text_width(Type::kLabel, row.label) + text_width(Type::kNumber, row.value);
    width = std::max(width, words + px(64));
  }
  Rect box{0, plot.area.y + px(4), width, px(30) + rows * line + px(4)};
  box.x = readout_left(plot.area, x, width);
  fill(box, Token::kRaised, 4);
  outline(box, Token::kLine2, 4);
  sentence_at(box.x + px(10), box.y + px(13), box.right() - px(6), readout.head, kLabelSentence);
  line_h(box.x, box.right(), box.y + px(26), Token::kLine);
  float y = box.y + px(30) + line * 0.5F;
  std::size_t seen = 0;
  for (const view::ReadoutRow& row : readout.rows) {
    const bool second = row.kind == view::LineKind::kRank && seen % 2 == 1;
    draw_readout_row(row, second ? box.x + box.w * 0.5F + px(4) : box.x + px(10),
                     box.right() - px(10), y);
    if (row.kind == view::LineKind::kRank) ++seen;
    const bool pair_open = row.kind == view::LineKind::kRank && seen % 2 == 1 && seen < ranks;
    if (!pair_open) y += line;
  }
}

/// Whether the wheel zooms. On a page that scrolls, it zooms only while Ctrl is held.
bool wheel_zooms() {
  for (const ImGuiWindow* window = ImGui::GetCurrentWindow(); window != nullptr;
       window = window->ParentWindow) {
    if (window->ScrollMax.y > 0) return ImGui::GetIO().KeyCtrl;
  }
  return true;
}

PlotHit read_mouse(const char* id, const Plot& plot) {
  const Hit hit = hit_area(id, plot.area);
  PlotHit result;
  const ImGuiIO& io = ImGui::GetIO();
  result.hovered = hit.hovered;
  result.x = plot.value_of_x(io.MousePos.x);
  result.double_clicked = hit.double_clicked;
  result.right_clicked = hit.hovered && ImGui::IsMouseClicked(ImGuiMouseButton_Right);
  if (hit.hovered && io.MouseWheel != 0.0F && wheel_zooms()) result.wheel = io.MouseWheel;
  if (hit.held && plot.area.w > 0) {
    result.dragged =
        static_cast<double>(io.MouseDelta.x / plot.area.w) * (plot.x.high - plot.x.low);
  }
  return result;
}

/// Writes into the middle of the plot why there is no line, wrapped if it is too wide.
void draw_reason(const view::Sentence& why, const Rect& area) {
  const float width = sentence_width(why, kDimSentence);
  if (width <= area.w) {
    sentence_centered(area.middle_x(), area.middle_y(), why, kDimSentence);
    return;
  }
  const float line = px(18);
  const float lines = std::ceil(width / area.w + 0.2F);  // lines break between words
  const float top = std::max(area.y, area.middle_y() - lines * line * 0.5F);
  sentence_wrapped(area.x + px(8), top, area.right(), line, why, kDimSentence);
}

}  // namespace

Rect plot_rect(const Rect& area, const ChartMargins& margins) {
  return {std::floor(area.x + px(margins.left)), std::floor(area.y + px(margins.top)),
          std::floor(std::max(1.0F, area.w - px(margins.left) - px(margins.right))),
          std::floor(std::max(1.0F, area.h - px(margins.top) - px(margins.bottom)))};
}

PlotHit draw_chart(const char* id, const view::ChartView& chart, const Rect& area,
                   const ChartMargins& margins) {
  const Plot plot{plot_rect(area, margins), chart.x, chart.y};
  const PlotHit hit = read_mouse(id, plot);
  draw_axes(plot, px(margins.left), now_word(plot, chart.markers));
  if (!chart.empty.empty()) {
    draw_reason(chart.empty, plot.area);
    return hit;
  }
  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.PushClipRect(ImVec2(plot.area.x, plot.area.y - 1),
                    ImVec2(plot.area.right() + 1, plot.area.bottom() + 1), true);
  draw_band(plot, chart.band.columns, color_of(Token::kDim, theme().light ? 0.22F : 0.28F));
  for (const view::LineView& line : chart.lines)
    draw_band(plot, line.band, mixed_over_panel(line_color(line), 0.22F));
  ColumnLines together(plot);
  for (const view::LineView& line : chart.lines) {
    if (line.hidden || line.columns.empty()) continue;
    draw_line(plot, line, !chart.band.columns.empty(), !chart.smoothed.empty(), together);
  }
  for (const view::LineView& line : chart.smoothed) draw_line(plot, line, true, false, together);
  together.draw();
  list.PopClipRect();
  draw_limits(plot, chart.limits);
  draw_points(plot, chart.points);
  for (const view::LineView& line : chart.lines) {
    if (!line.hidden) draw_crosses(plot, line);
  }
  MarkerWords words(plot);
  for (const view::MarkerView& marker : chart.markers) draw_chart_marker(plot, marker, words);
  draw_line_ends(plot, chart, margins.rank_ends);
  draw_readout(plot, chart.readout);
  return hit;
}

void draw_readout(const view::ChartView& chart, const view::ReadoutView& readout, const Rect& area,
                  const ChartMargins& margins) {
  draw_readout(Plot{plot_rect(area, margins), chart.x, chart.y}, readout);
}

std::optional<int> smoothing_list(int now, float& right, float middle_y) {
  const std::string word = view::smoothing_label(now);
  const float width = text_width(Type::kSmall, word) + px(10);
  const Rect where{right - width, std::floor(middle_y - px(10)), width, px(20)};
  const std::string id = word + "###smooth";
  if (button(id.c_str(), where, {now > 0 ? ButtonKind::kLink : ButtonKind::kPlain}))
    ImGui::OpenPopup("smoothing");
  tooltip("Mean over neighbouring steps; the raw lines stay behind it (S)");
  std::vector<std::string> words;
  for (const int steps : view::kSmoothings) words.push_back(view::smoothing_text(steps));
  const int picked = popup_list("smoothing", words);
  right = where.x - px(8);
  return picked >= 0 ? std::optional(view::kSmoothings[picked]) : std::nullopt;
}

void draw_spark_line(const Rect& area, const std::vector<float>& values, bool broke, ImU32 color) {
  float low = INFINITY;
  float high = -INFINITY;
  for (const float value : values) {
    if (!std::isfinite(value)) continue;
    low = std::min(low, value);
    high = std::max(high, value);
  }
  std::vector<ImVec2> points;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!std::isfinite(values[i])) continue;
    const float share = high > low ? (values[i] - low) / (high - low) : 0.5F;
    const float at =
        values.size() > 1 ? static_cast<float>(i) / static_cast<float>(values.size() - 1) : 0.0F;
    points.emplace_back(area.x + at * area.w, area.bottom() - share * area.h);
  }
  if (points.size() > 1) {
    ImGui::GetWindowDrawList()->AddPolyline(points.data(), static_cast<int>(points.size()), color,
                                            1.2F * theme().scale);
  }
  if (broke) {
    const ImVec2 end = points.empty() ? ImVec2(area.x + px(6), area.middle_y()) : points.back();
    draw_icon(Icon::kCross, ImVec2(end.x + px(6), end.y), px(8), Token::kError);
  }
}

}  // namespace ringside::ui
