// Loss, accuracy and step time: the headers with their switches, and what the mouse does in the
// plots.
#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <string_view>

#include "gui/ui/live/live_panels.h"
#include "gui/ui/menu.h"
#include "gui/ui/tone.h"
#include "gui/ui/widgets.h"
#include "gui/view/chart/chart_notes.h"
#include "gui/view/chart/x_scale.h"
#include "gui/view/live/run_charts.h"

namespace ringside::ui {
namespace {

constexpr float kMenuButton = 18;
constexpr ChartMargins kLossMargins{54, 16, 72, 26, false};
constexpr ChartMargins kAccuracyMargins{54, 14, 52, 26, false};
constexpr ChartMargins kStepMargins{54, 14, 52, 26, true};
constexpr std::array<const char*, 2> kScales{view::label::kLinear, view::label::kLogarithmic};
constexpr std::array<const char*, 2> kStepTimes{view::label::kCompute, view::label::kWholeStep};
constexpr std::array<const char*, 2> kSharedTabs{view::label::kAccuracy, view::label::kStepTime};

Rect below_header(const Rect& panel) {
  Rect body = panel;
  body.take_top(px(29));
  return body;
}

/// Draws a label and the value after it, brighter; ends at `right`.
float aside(float right, float middle_y, const std::string& text) {
  if (text.empty()) return right;
  const std::size_t digit = std::min(text.find_first_of("0123456789"), text.size());
  const float x =
      text_right(right, middle_y, Type::kNumberBold, color_of(Token::kHigh), text.substr(digit));
  return text_right(x, middle_y, Type::kSmall, color_of(Token::kDim), text.substr(0, digit)) -
         px(18);
}

/// Draws a switch that ends at `right`; returns its left edge.
template <std::size_t N>
float switch_at(const char* id, float right, float middle_y,
                const std::array<const char*, N>& words, int& on) {
  const float x = right - segmented_width(words);
  on = segmented(id, x, middle_y, words, on);
  return x - px(14);
}

/// The steps a chart shows now: step time has its own window until one is chosen.
model::Window window_of(const RunChart& run, const view::XScale& scale) {
  if (!run.own_window) return view::shown_window(run.model, run.choice);
  return {scale.step_of(run.chart.x.low), scale.step_of(run.chart.x.high)};
}

void zoom(const RunChart& run, const view::XScale& scale, const PlotHit& hit,
          view::CommandQueue& commands) {
  const model::Window now = window_of(run, scale);
  const double at = std::clamp(scale.step_of(hit.x), now.begin, now.end);
  const double factor = std::pow(0.8, static_cast<double>(hit.wheel));
  const double begin = at - (at - now.begin) * factor;
  const double end = at + (now.end - at) * factor;
  if (end - begin >= 4) commands.emplace_back(view::SetWindow{std::max(0.0, begin), end});
}

void pan(const RunChart& run, const view::XScale& scale, const PlotHit& hit,
         view::CommandQueue& commands) {
  const model::Window now = window_of(run, scale);
  const double moved = scale.step_of(hit.x) - scale.step_of(hit.x - hit.dragged);
  const double shift = std::min(moved, now.begin);
  commands.emplace_back(view::SetWindow{now.begin - shift, now.end - shift});
}

/// Cuts the button of the menu off the right end of a header; true when it was pressed.
bool take_menu_button(Rect& header) {
  const Rect where = header.take_right(px(kMenuButton), px(6));
  return menu_button("Chart menu", {where.x, where.middle_y() - px(10), where.w, px(20)});
}

/// All charts share the window and the cursor. `menu`: its button was pressed.
void use_mouse(const RunChart& run, const char* chart, const PlotHit& hit, bool menu,
               view::CommandQueue& commands) {
  const view::XScale scale(run.model, run.chart.axis);
  if (menu || hit.right_clicked) run.menu_step = hit.right_clicked ? scale.step_of(hit.x) : -1;
  command_menu("chart menu", menu || hit.right_clicked, commands, [&] {
    return view::run_chart_menu(
        run.chart, run.choice, chart,
        view::note_entry(run.model, run.context, run.choice, run.menu_step));
  });
  if (!hit.hovered) return;
  run.over_chart = true;
  const double step = std::max(0.0, std::floor(scale.step_of(hit.x) + 0.5));
  if (step != run.choice.cursor_step) commands.emplace_back(view::MoveCursor{step});
  if (hit.double_clicked) {
    commands.emplace_back(view::WholeRun{});
  } else if (hit.wheel != 0.0F) {
    zoom(run, scale, hit, commands);
  } else if (hit.dragged != 0.0) {
    pan(run, scale, hit, commands);
  }
}

float draw_chips(const view::ChartView& chart, float x, float right, float middle_y,
                 view::CommandQueue& commands) {
  for (const view::LineView& line : chart.lines) {
    if (line.kind != view::LineKind::kRank) continue;
    if (x + rank_chip_width(line.rank) > right) return x;
    const Hit hit = rank_chip_button(line.label.c_str(), x, middle_y, line.rank, line.hidden);
    tooltip(line.hidden ? "Click: show this rank"
                        : "Click: hide this rank. Double-click: show only it");
    if (hit.double_clicked) {
      commands.emplace_back(view::ShowOnlyRank{line.rank});
    } else if (hit.clicked) {
      commands.emplace_back(view::ToggleRank{line.rank});
    }
    x += rank_chip_width(line.rank) + px(6);
  }
  return x + px(6);
}

struct Legend {
  const char* word;
  view::LineKind kind;
  bool block;
};

void draw_legend(const view::ChartView& chart, float x, float right, float middle_y) {
  const auto has = [&chart](view::LineKind kind) {
    return std::ranges::any_of(chart.lines, [kind](const auto& line) { return line.kind == kind; });
  };
  const std::array<Legend, 3> entries{{{view::label::kMean, view::LineKind::kMean, false},
                                       {view::label::kBand, view::LineKind::kRank, true},
                                       {view::label::kBaseline, view::LineKind::kBaseline, false}}};
  const float y = std::floor(middle_y);
  for (const Legend& entry : entries) {
    if (entry.block ? chart.band.columns.empty() : !has(entry.kind)) continue;
    const float width = px(22) + text_width(Type::kLabel, entry.word) + px(12);
    if (x + width > right) return;
    if (entry.block) {
      fill({x, y - px(4), px(15), px(8)}, color_of(Token::kDim, 0.35F), 1);
    } else if (entry.kind == view::LineKind::kBaseline) {
      dashed(ImVec2(x, y + 0.5F), ImVec2(x + px(15), y + 0.5F), color_of(Token::kDim), px(4), px(3),
             1.4F);
    } else {
      fill({x, y - 1, px(15), px(2)}, color_of(Token::kHigh));
    }
    text_at(x + px(21), middle_y, Type::kLabel, color_of(Token::kText), entry.word);
    explain_word({x, y - px(10), width, px(20)}, entry.word);
    x += width;
  }
}

void step_time_switch(const RunChart& run, const Rect& header, view::CommandQueue& commands) {
  int whole = run.choice.whole_step ? 1 : 0;
  const int before = whole;
  switch_at("step time", header.right(), header.middle_y(), kStepTimes, whole);
  if (whole != before) commands.emplace_back(view::SetStepTimeWhole{whole == 1});
}

}  // namespace

Rect loss_plot(const Rect& panel) { return plot_rect(below_header(panel), kLossMargins); }
Rect accuracy_plot(const Rect& panel) { return plot_rect(below_header(panel), kAccuracyMargins); }
Rect step_time_plot(const Rect& panel) { return plot_rect(below_header(panel), kStepMargins); }

void draw_loss(const RunChart& run, const Rect& area, view::CommandQueue& commands) {
  PanelFrame panel("loss panel", area, run.chart.title, run.chart.subtitle,
                   segmented_width(view::kAxisNames) + px(kMenuButton));
  const bool menu = take_menu_button(panel.header);
  const float middle = panel.header.middle_y();
  const float left = panel.header.x;
  int axis = static_cast<int>(run.chart.axis);  // what it counts, whatever was asked for
  const int axis_before = axis;
  float right = switch_at("x axis", panel.header.right(), middle, view::kAxisNames, axis);
  if (axis != axis_before) commands.emplace_back(view::SetXAxis{static_cast<view::XAxis>(axis)});
  if (panel.header.w > px(700))
    right = text_right(right, middle, Type::kLabel, color_of(Token::kDim), "x axis") - px(16);
  // A switch without space can still be reached by its key and in the command palette.
  if (right - segmented_width(kScales) > left) {
    const float width = segmented_width(kScales);
    const Rect place{right - width, std::floor(middle - px(10)), width, px(20)};
    if (!run.chart.why_linear.empty()) note_cut(place, run.chart.why_linear);
    // The scale that is drawn is highlighted; the other one can still be chosen.
    const int drawn = run.chart.y.logarithmic ? 1 : 0;
    const auto pressed = pressed_segment("loss scale", place.x, middle, kScales, drawn);
    if (pressed) commands.emplace_back(view::SetLogScale{*pressed == 1});
    right = place.x - px(14);
  }
  if (right - px(90) > left) {
    if (const auto steps = smoothing_list(run.choice.smoothing, right, middle))
      commands.emplace_back(view::SetSmoothing{*steps});
  }
  const float chips = draw_chips(run.chart, left + px(8), right, middle, commands);
  if (right - chips > text_width(Type::kNumberBold, run.chart.aside) + px(16))
    right = aside(right - px(8), middle, run.chart.aside);
  draw_legend(run.chart, chips, right, middle);
  use_mouse(run, "loss", draw_chart("Loss plot", run.chart, panel.body, kLossMargins), menu,
            commands);
}

void draw_accuracy(const RunChart& run, const Rect& area, view::CommandQueue& commands) {
  PanelFrame panel("accuracy panel", area, run.chart.title, run.chart.subtitle,
                   text_width(Type::kNumberBold, run.chart.aside) + px(kMenuButton));
  const bool menu = take_menu_button(panel.header);
  aside(panel.header.right(), panel.header.middle_y(), run.chart.aside);
  use_mouse(run, "accuracy", draw_chart("Accuracy plot", run.chart, panel.body, kAccuracyMargins),
            menu, commands);
}

void draw_step_time(const RunChart& run, const Rect& area, view::CommandQueue& commands) {
  PanelFrame panel("step time panel", area, run.chart.title, run.chart.subtitle,
                   segmented_width(kStepTimes) + px(kMenuButton));
  const bool menu = take_menu_button(panel.header);
  step_time_switch(run, panel.header, commands);
  use_mouse(run, "step_time", draw_chart("Step time plot", run.chart, panel.body, kStepMargins),
            menu, commands);
}

void draw_shared_charts(const RunChart& accuracy, const RunChart& step_time, const Rect& area,
                        LiveMemory& memory, view::CommandQueue& commands) {
  const RunChart& run = memory.chart_tab == 0 ? accuracy : step_time;
  const float switches = segmented_width(kSharedTabs) + px(22 + kMenuButton + 6) +
                         (&run == &accuracy ? px(70) : segmented_width(kStepTimes));
  // The active tab has the same words as the title would have.
  const bool titled = area.w > switches + px(90);
  const PanelFrame panel("shared charts", area, titled ? std::string_view(run.chart.title) : "",
                         titled ? std::string_view(run.chart.subtitle) : "", switches);
  const float middle = panel.header.middle_y();
  Rect header = panel.header;
  const bool menu = take_menu_button(header);
  const float left = switch_at("chart", header.right(), middle, kSharedTabs, memory.chart_tab);
  header.w = left - header.x;
  if (&run == &accuracy) {
    if (text_width(Type::kNumberBold, run.chart.aside) < header.w)
      aside(header.right(), middle, run.chart.aside);
    use_mouse(run, "accuracy", draw_chart("Accuracy plot", run.chart, panel.body, kAccuracyMargins),
              menu, commands);
  } else {
    step_time_switch(run, header, commands);
    use_mouse(run, "step_time", draw_chart("Step time plot", run.chart, panel.body, kStepMargins),
              menu, commands);
  }
}

}  // namespace ringside::ui
