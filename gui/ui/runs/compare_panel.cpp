// Draws the comparison of marked runs: their curves, results, times, and the settings that differ.
#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "gui/ui/chart/chart.h"
#include "gui/ui/menu.h"
#include "gui/ui/runs/runs_panels.h"
#include "gui/ui/table.h"
#include "gui/ui/tone.h"
#include "gui/ui/widgets.h"
#include "gui/view/live/run_charts.h"
#include "gui/view/runs/runs_view.h"

namespace ringside::ui {
namespace {

constexpr const char* kFoldRepeats = "Fold repeats";
constexpr ChartMargins kCompareMargins{54, 8, 24, 22, false};
constexpr std::array<const char*, 2> kCompareScales{view::label::kLinear,
                                                    view::label::kLogarithmic};
constexpr float kLossHeight = 168;
constexpr float kAccuracyHeight = 138;

/// The state of a comparison while it is drawn.
struct Comparison {
  const view::CompareView& view;
  const view::CompareChoice& choice;
  RunsMemory& memory;
  view::CommandQueue& commands;
  /// The charts drawn so far; read-outs are drawn over them afterwards. The mouse is over at most
  /// one.
  struct Drawn {
    const view::ChartView* chart;
    Rect area;
    bool hovered;
  };
  std::vector<Drawn> drawn{};
  Rect body{};           ///< visible area of the charts
  std::string opened{};  ///< key of the chart whose menu button was pressed

  void choose(const view::CompareChoice& wanted) const {
    commands.emplace_back(view::SetCompare{wanted});
  }
};

/// Draws letter, number and name above the description; the colour mark on the left is dashed if
/// two runs share a colour. A press compares the other runs with this one.
void draw_head(const Comparison& to, std::size_t place, const Rect& area) {
  const view::ComparedHead& head = to.view.runs[place];
  const ImU32 color = run_color(static_cast<int>(place));
  const Hit hit = hit_area(("Baseline " + head.letter).c_str(), area);
  tooltip("Hold the others against this run (B: the next)");
  if (hit.hovered) fill(area, Token::kHover, 3);
  if (hit.clicked) {
    view::CompareChoice wanted = to.choice;
    wanted.baseline = head.id;
    to.choose(wanted);
  }
  if (run_is_dashed(static_cast<int>(place))) {
    dashed(ImVec2(area.x + 1, area.y), ImVec2(area.x + 1, area.bottom()), color, px(5), px(4),
           px(2));
  } else {
    fill({area.x, area.y, px(2), area.h}, color);
  }
  const float x = area.x + px(10);
  const float line = area.y + px(8);
  float end = text_at(x, line, Type::kNumberBold, color, head.letter) + px(8);
  end = text_fitted(end, line, area.right() - end - px(4), Type::kSmallBold, Token::kHigh,
                    head.label) +
        px(8);
  if (area.right() - end > px(30))
    text_fitted(end, line, area.right() - end - px(4), Type::kSmall, Token::kText, head.own);
  const std::string hint = head.hint + (place == to.view.baseline ? ", baseline" : "") +
                           (head.note.empty() ? "" : ", " + head.note);
  text_fitted(x, area.y + px(24), area.w - px(14), Type::kLabel, Token::kDim, hint);
}

constexpr float kHeadHeight = 40;

float draw_heads(const Comparison& to, const Rect& line, float y) {
  const float half = std::floor(line.w * 0.5F);
  const std::size_t runs = to.view.runs.size();
  for (std::size_t i = 0; i < runs; ++i) {
    const float x = i % 2 == 0 ? line.x : line.x + half;
    draw_head(to, i, {x, y, half - px(4), px(32)});
    if (i % 2 == 1 || i + 1 == runs) y += px(kHeadHeight);
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

float draw_differences(const Comparison& to, const Rect& line, float y) {
  const view::CompareView& compare = to.view;
  line_h(line.x - px(12), line.right() + px(12), y, Token::kLine);
  const float top = y;
  y = draw_caption("What differs", compare.differs, line, y);
  const float title = line.x + text_width(Type::kPanel, "What differs");
  if (!compare.differences.rows.empty() && copy_link("Copy##differences", title, top + px(15)))
    to.commands.emplace_back(view::CopyText{view::table_tsv(compare.differences)});
  bool only = to.choice.only_differing;
  if (tick_box("Only what differs", line.x, y + px(11), only, "Only what differs")) {
    view::CompareChoice wanted = to.choice;
    wanted.only_differing = only;
    to.choose(wanted);
  }
  y += px(24);
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
  // A little higher than needed, so that no scroll bar appears.
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

/// Draws the caption of a chart, followed by its menu button.
float draw_chart_caption(Comparison& to, const std::string& key, const std::string& title,
                         const std::string& aside, const Rect& line, float y) {
  Rect words = line;
  const Rect button = words.take_right(px(18), px(6));
  if (menu_button(("Menu of " + key).c_str(), {button.x, y + px(5), button.w, px(20)}))
    to.opened = key;
  return draw_caption(title, aside, words, y);
}

/// Draws a chart that shares the cursor, zoom and pan with the others.
float draw_compared_chart(Comparison& to, const char* id, const std::string& key,
                          const view::ChartView& chart, const Rect& area) {
  const PlotHit hit = draw_chart(id, chart, area, kCompareMargins);
  to.drawn.push_back({&chart, area, hit.hovered});
  const float caption = px(28);
  const Rect whole{area.x, area.y - caption, area.w, area.h + caption};
  if (whole.y >= to.body.y && whole.bottom() <= to.body.bottom())
    to.memory.chart_areas[std::string(view::kComparedChart) + key] = whole;
  command_menu(("menu of " + key).c_str(), hit.right_clicked || to.opened == key, to.commands,
               [&] { return view::compare_chart_menu(to.choice, key); });
  if (!hit.hovered) return area.bottom();
  to.memory.compared_x = hit.x;
  view::CompareChoice wanted = to.choice;
  if (hit.double_clicked) wanted.low = wanted.high = 0;
  if (hit.wheel != 0.0F)
    wanted = view::zoomed(wanted, chart, hit.x, static_cast<double>(hit.wheel));
  if (hit.dragged != 0.0) wanted = view::moved(wanted, chart, hit.dragged);
  if (wanted != to.choice) to.choose(wanted);
  return area.bottom();
}

/// Draws a box with all values at the cursor, and a line at the same x in the other charts.
void draw_readouts(const Comparison& to) {
  const bool any = std::ranges::any_of(to.drawn, &Comparison::Drawn::hovered);
  if (!any) to.memory.compared_x.reset();
  if (!any) return;
  const auto names = view::readout_names(to.view);
  for (const Comparison::Drawn& drawn : to.drawn) {
    view::ReadoutView readout = view::compare_readout(*drawn.chart, names, *to.memory.compared_x);
    if (!drawn.hovered) readout.rows.clear();
    draw_readout(*drawn.chart, readout, drawn.area, kCompareMargins);
  }
}

/// Draws a list of all charts, starting with `none`; returns the key of the chosen one.
std::string chart_list(const char* id, const view::CompareView& compare, std::size_t from,
                       const char* none, const std::string& now, const Rect& where) {
  std::vector<const char*> words{none};
  int on = 0;
  for (std::size_t i = from; i < compare.charts.size(); ++i) {
    if (compare.charts[i].key == now) on = static_cast<int>(words.size());
    words.push_back(compare.charts[i].title.c_str());
  }
  const auto picked = static_cast<std::size_t>(drop_list(id, where, words, on));
  return picked == 0 ? std::string() : compare.charts[from + picked - 1].key;
}

/// Draws the chart of another metric, chosen from a list.
float draw_metric(Comparison& to, const Rect& line, float y) {
  constexpr std::size_t kOwnPlaces = 2;  // loss and accuracy have their own charts
  if (to.view.charts.size() <= kOwnPlaces) return y;
  const float list = std::min(px(210), std::floor(line.w * 0.5F));
  const float title = text_width(Type::kPanel, "Metric") + px(12);
  Rect aside = line;
  aside.take_left(title + list);
  draw_caption("Metric", {}, line, y);
  view::CompareChoice wanted = to.choice;
  wanted.metric = chart_list("compared metric", to.view, kOwnPlaces, "None", to.view.metric,
                             {line.x + title, y + px(4), list, px(22)});
  if (wanted.metric != to.view.metric) to.choose(wanted);
  const std::string& key = to.view.metric;
  if (key.empty()) return y + px(34);
  y = draw_chart_caption(to, key, {}, to.view.metric_chart.aside, aside, y) + px(2);
  return draw_compared_chart(to, "Compared metric", key, to.view.metric_chart,
                             {line.x, y, line.w, px(kAccuracyHeight)});
}

float draw_figures(const Comparison& to, const Rect& line, float y) {
  line_h(line.x - px(12), line.right() + px(12), y, Token::kLine);
  const view::Table& figures = to.view.figures;
  const float top = y;
  y = draw_caption(figures.title, figures.notes.front(), line, y);
  if (copy_link("Copy##figures", line.x + text_width(Type::kPanel, figures.title), top + px(15)))
    to.commands.emplace_back(view::CopyText{view::table_tsv(figures)});
  const std::size_t runs = to.view.runs.size();
  TableStyle style{.head_height = 20, .row_height = 22, .left = 0, .right = 0};
  style.cell = [&](const view::TableColumn& column, std::size_t place, const Rect& where) {
    if (column.key != "run") return false;
    const auto& text = view::cell_of(figures, figures.rows[place], "run").text;
    text_fitted(where.x, where.middle_y(), where.w, Type::kNumber,
                run_color(static_cast<int>(place % runs)), text);
    return true;
  };
  const float rows = static_cast<float>(figures.rows.size());
  const float height = px(style.head_height) + px(style.row_height) * rows;
  draw_table("figures", figures, {line.x, y, line.w, height + px(2)}, style);
  return y + height + px(6);
}

/// Draws everything between head and verdict; it scrolls.
void draw_compared(Comparison& to, const Rect& body, float width) {
  const ScrollArea scroll("compare body", body);
  const view::CompareView& compare = to.view;
  to.body = body;
  const Rect line{scroll.content.x + px(12), 0, width, 0};
  float y = draw_heads(to, line, scroll.content.y + px(8));
  if (!compare.chart.empty()) {
    y = draw_chart_caption(to, compare.chart, compare.alone.title, compare.alone.aside, line, y);
    draw_compared_chart(to, "Compared alone", compare.chart, compare.alone,
                        {line.x, y, line.w, body.bottom() - y - px(4)});
    draw_readouts(to);
    return;
  }
  y = draw_chart_caption(to, "loss", compare.loss.title, compare.loss.aside, line, y);
  y = draw_compared_chart(to, "Compared loss", "loss", compare.loss,
                          {line.x, y, line.w, px(kLossHeight)});
  y = draw_chart_caption(to, "accuracy", compare.accuracy.title, compare.accuracy.aside, line, y);
  y = draw_compared_chart(to, "Compared accuracy", "accuracy", compare.accuracy,
                          {line.x, y, line.w, px(kAccuracyHeight)});
  y = draw_metric(to, line, y);
  y = draw_figures(to, line, y + px(4));
  y = draw_times(compare, line, y + px(4));
  y = draw_differences(to, line, y);
  scroll.reach(draw_measure(compare, line, y, to.commands));
  draw_readouts(to);
}

/// Draws the switches: which chart fills the panel, and the options of all charts.
void draw_switches(const Comparison& to, const Rect& area) {
  view::CompareChoice wanted = to.choice;
  const float middle = area.middle_y();
  float right = area.right();
  const float scales = segmented_width(kCompareScales);
  wanted.logarithmic =
      segmented("compare scale", right - scales, middle, kCompareScales, wanted.logarithmic) == 1;
  right -= scales + px(10);
  if (const auto steps = smoothing_list(wanted.smoothing, right, middle)) wanted.smoothing = *steps;
  const float fold = to.view.repeats ? text_width(Type::kBody, kFoldRepeats) + px(36) : 0;
  const float list = std::min(px(210), right - fold - area.x - px(12));
  if (to.view.repeats)
    tick_box(kFoldRepeats, area.x + list + px(12), middle, wanted.fold_repeats, kFoldRepeats);
  wanted.chart = chart_list("compared chart", to.view, 0, "All charts", to.view.chart,
                            {area.x, middle - px(11), list, px(22)});
  if (wanted.chart == to.view.chart) wanted.chart = to.choice.chart;
  if (wanted != to.choice) to.choose(wanted);
}

}  // namespace

Rect compare_plot(const Rect& panel, bool alone, std::size_t runs) {
  const float heads = px(kHeadHeight) * static_cast<float>((runs + 1) / 2);
  const float height = alone ? panel.h - px(126) - heads : px(kLossHeight);
  return plot_rect({panel.x + px(12), panel.y, panel.w - px(24) - px(10), height}, kCompareMargins);
}

void draw_compare(const view::CompareView& compare, const view::CompareChoice& choice,
                  const Rect& area, RunsMemory& memory, view::CommandQueue& commands) {
  const PanelFrame panel("compare panel", area, "Compare", {},
                         segmented_width(view::kAxisNames) + px(86));
  memory.chart_areas.clear();
  Comparison to{compare, choice, memory, commands};
  int axis = static_cast<int>(choice.axis);
  const int before = axis;
  const float middle = panel.header.middle_y();
  const float left = panel.header.right() - segmented_width(view::kAxisNames);
  axis = segmented("compare axis", left, middle, view::kAxisNames, axis);
  if (axis != before) {
    view::CompareChoice wanted = choice;
    wanted.axis = static_cast<view::XAxis>(axis);
    wanted.low = wanted.high = 0;
    to.choose(wanted);
  }
  const Rect clear{left - px(90), panel.header.y, px(82), panel.header.h};
  if (button(view::label::kClearMarks, clear, {ButtonKind::kLink}))
    commands.emplace_back(view::ClearMarks{});
  if (!compare.empty.empty()) {
    sentence_centered(panel.body.middle_x(), panel.body.middle_y(), compare.empty, kDimSentence);
    return;
  }
  Rect body = panel.body;
  const Rect foot = body.take_bottom(px(30));
  draw_switches(to, body.take_top(px(32)).inset(px(12), 0));
  draw_compared(to, body, area.w - px(34));
  line_h(foot.x, foot.right(), foot.y, Token::kLine);
  sentence_at(foot.x + px(12), foot.middle_y(), foot.right() - px(36), compare.verdict,
              kDimSentence);
  draw_icon(compare.fair ? Icon::kTick : Icon::kWarning,
            ImVec2(foot.right() - px(20), foot.middle_y()), px(11),
            compare.fair ? Token::kOk : Token::kWarning);
}

}  // namespace ringside::ui
