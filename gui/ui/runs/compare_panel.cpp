// Marked runs over one another: their curves, the time each took, and the settings that differ.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "gui/ui/chart/chart.h"
#include "gui/ui/runs/runs_panels.h"
#include "gui/ui/table.h"
#include "gui/ui/tone.h"
#include "gui/ui/widgets.h"
#include "gui/view/live/run_charts.h"
#include "gui/view/runs/runs_view.h"

namespace ringside::ui {
namespace {

constexpr ChartMargins kCompareMargins{54, 8, 24, 22, false};
constexpr float kLossHeight = 168;
constexpr float kAccuracyHeight = 138;

/// Letter and name over what it does; the colour stands at the left, dashed where it is used twice.
void draw_head(const view::ComparedHead& head, int place, const Rect& area) {
  const ImU32 color = run_color(place);
  if (run_is_dashed(place)) {
    dashed(ImVec2(area.x + 1, area.y), ImVec2(area.x + 1, area.bottom()), color, px(5), px(4),
           px(2));
  } else {
    fill({area.x, area.y, px(2), area.h}, color);
  }
  const float x = area.x + px(10);
  const float end = text_at(x, area.y + px(8), Type::kNumberBold, color, head.letter);
  text_fitted(end + px(8), area.y + px(8), area.right() - end - px(12), Type::kSmallBold,
              Token::kHigh, head.label);
  text_fitted(x, area.y + px(24), area.w - px(14), Type::kLabel, Token::kDim, head.hint);
}

float draw_heads(const view::CompareView& compare, const Rect& line, float y) {
  const float half = std::floor(line.w * 0.5F);
  for (std::size_t i = 0; i < compare.runs.size(); ++i) {
    const float x = i % 2 == 0 ? line.x : line.x + half;
    draw_head(compare.runs[i], static_cast<int>(i), {x, y, half, px(32)});
    if (i % 2 == 1 || i + 1 == compare.runs.size()) y += px(40);
  }
  line_h(line.x - px(12), line.right() + px(12), y, Token::kLine);
  return y;
}

float draw_caption(const std::string& title, const std::string& aside, const Rect& line, float y) {
  const float middle = y + px(15);
  const float end = text_at(line.x, middle, Type::kPanel, Token::kHigh, title);
  const std::string words = fitted(Type::kNumber, aside, line.right() - end - px(16));
  const float begin = text_right(line.right(), middle, Type::kNumber, Token::kDim, words);
  if (words != aside) note_cut({begin, middle - px(9), line.right() - begin, px(18)}, aside);
  return y + px(28);
}

float draw_times(const view::CompareView& compare, const Rect& line, float y) {
  if (compare.same_epochs.empty()) return y;
  y = draw_caption("Time for the same epochs",
                   compare.same_epochs + (compare.ratio.empty() ? "" : "  " + compare.ratio), line,
                   y);
  for (std::size_t i = 0; i < compare.runs.size(); ++i) {
    const view::ComparedHead& head = compare.runs[i];
    const ImU32 color = run_color(static_cast<int>(i));
    const float middle = y + px(9);
    text_at(line.x, middle, Type::kNumber, color, head.letter);
    const float times = text_right(line.right(), middle, Type::kNumber, Token::kDim, head.ratio);
    const float left = std::min(times, line.right() - px(48)) - px(8);
    const float begin = text_right(left, middle, Type::kNumber, Token::kHigh, head.time);
    const float room = std::min(begin, left - px(56)) - px(12) - (line.x + px(24));
    small_bar({line.x + px(24), std::floor(middle - px(4)), room, px(8)}, head.share, color);
    y += px(18);
  }
  return y + px(6);
}

float draw_differences(const view::CompareView& compare, const Rect& line, float y,
                       view::CommandQueue& commands) {
  line_h(line.x - px(12), line.right() + px(12), y, Token::kLine);
  const float top = y;
  y = draw_caption("What differs", compare.differs, line, y);
  const float title = line.x + text_width(Type::kPanel, "What differs");
  if (!compare.differences.rows.empty() && copy_link("Copy##differences", title, top + px(15)))
    commands.emplace_back(view::CopyText{view::table_tsv(compare.differences)});
  TableStyle style{.head_height = 20, .row_height = 22, .left = 0, .right = 0};
  style.head = [&](const view::TableColumn& column, const Rect& where) {
    const std::size_t run = view::column_index(compare.differences, column.key);
    if (run == 0) return false;
    text_at(where.x, where.middle_y(), Type::kNumber, run_color(static_cast<int>(run) - 1),
            column.short_label);
    return true;
  };
  const float rows = static_cast<float>(compare.differences.rows.size());
  const float height = px(style.head_height) + px(style.row_height) * rows;
  // A little over, so that no bar to scroll appears.
  draw_table("differences", compare.differences, {line.x, y, line.w, height + px(2)}, style);
  return y + height + px(6);
}

float draw_measure(const view::CompareView& compare, const Rect& line, float y,
                   view::CommandQueue& commands) {
  const float width = text_width(Type::kBody, view::label::kMeasurePair) + px(16);
  if (compare.runs.size() != 2 || width > line.w) return y;
  if (button(view::label::kMeasurePair, {line.x - px(8), y, width, px(26)}, {ButtonKind::kLink}))
    commands.emplace_back(view::MeasurePair{compare.runs[0].id, compare.runs[1].id});
  tooltip(view::label::kMeasurePairHint);
  return y + px(30);
}

/// A named value, chosen from a list of all that the runs logged. Nothing where they logged none.
float draw_metric(const view::CompareView& compare, const Rect& line, float y,
                  view::CommandQueue& commands) {
  if (compare.metrics.empty()) return y;
  std::vector<const char*> words{"None"};
  int on = 0;
  for (const std::string& name : compare.metrics) {
    if (name == compare.metric) on = static_cast<int>(words.size());
    words.push_back(name.empty() ? "(no name)" : name.c_str());
  }
  const float list = std::min(px(210), std::floor(line.w * 0.5F));
  const float title = text_width(Type::kPanel, "Metric") + px(12);
  Rect aside = line;
  aside.take_left(title + list);
  draw_caption("Metric", {}, line, y);
  const Rect where{line.x + title, y + px(4), list, px(22)};
  const int picked = drop_list("compared metric", where, words, on);
  if (picked != on) {
    const auto index = static_cast<std::size_t>(picked);
    commands.emplace_back(view::SetCompareMetric{picked == 0 ? "" : compare.metrics[index - 1]});
  }
  y = draw_caption({}, compare.metric_chart.aside, aside, y) + px(2);
  if (compare.metric.empty()) return y + px(4);
  draw_chart("Compared metric", compare.metric_chart, {line.x, y, line.w, px(kAccuracyHeight)},
             kCompareMargins);
  return y + px(kAccuracyHeight);
}

/// Everything between the head and the verdict; scrolls.
void draw_compared(const view::CompareView& compare, const Rect& body, float width,
                   view::CommandQueue& commands) {
  const ScrollArea scroll("compare body", body);
  const Rect line{scroll.content.x + px(12), 0, width, 0};
  float y = draw_heads(compare, line, scroll.content.y + px(8));
  y = draw_caption(compare.loss.title, compare.loss.aside, line, y);
  draw_chart("Compared loss", compare.loss, {line.x, y, line.w, px(kLossHeight)}, kCompareMargins);
  y = draw_caption(compare.accuracy.title, compare.accuracy.aside, line, y + px(kLossHeight));
  draw_chart("Compared accuracy", compare.accuracy, {line.x, y, line.w, px(kAccuracyHeight)},
             kCompareMargins);
  y = draw_metric(compare, line, y + px(kAccuracyHeight), commands);
  y = draw_times(compare, line, y + px(4));
  y = draw_differences(compare, line, y, commands);
  scroll.reach(draw_measure(compare, line, y, commands));
}

}  // namespace

Rect compare_plot(const Rect& panel) {
  return plot_rect({panel.x + px(12), panel.y, panel.w - px(24) - px(10), px(kLossHeight)},
                   kCompareMargins);
}

void draw_compare(const view::CompareView& compare, const view::RunsChoice& choice,
                  const Rect& area, view::CommandQueue& commands) {
  const PanelFrame panel("compare panel", area, "Compare", {},
                         segmented_width(view::kAxisNames) + px(86));
  int axis = static_cast<int>(choice.axis);
  const int before = axis;
  const float middle = panel.header.middle_y();
  const float left = panel.header.right() - segmented_width(view::kAxisNames);
  axis = segmented("compare axis", left, middle, view::kAxisNames, axis);
  if (axis != before) commands.emplace_back(view::SetCompareAxis{static_cast<view::XAxis>(axis)});
  const Rect clear{left - px(90), panel.header.y, px(82), panel.header.h};
  if (button(view::label::kClearMarks, clear, {ButtonKind::kLink}))
    commands.emplace_back(view::ClearMarks{});
  if (!compare.empty.empty()) {
    sentence_centered(panel.body.middle_x(), panel.body.middle_y(), compare.empty, kDimSentence);
    return;
  }
  Rect body = panel.body;
  const Rect foot = body.take_bottom(px(30));
  draw_compared(compare, body, area.w - px(34), commands);
  line_h(foot.x, foot.right(), foot.y, Token::kLine);
  sentence_at(foot.x + px(12), foot.middle_y(), foot.right() - px(36), compare.verdict,
              kDimSentence);
  draw_icon(compare.fair ? Icon::kTick : Icon::kWarning,
            ImVec2(foot.right() - px(20), foot.middle_y()), px(11),
            compare.fair ? Token::kOk : Token::kWarning);
}

}  // namespace ringside::ui
