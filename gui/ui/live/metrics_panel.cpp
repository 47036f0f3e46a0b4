// Small charts of the named values of a run, with search, order and pins.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>

#include "gui/model/run_model.h"
#include "gui/ui/live/live_panels.h"
#include "gui/ui/menu.h"
#include "gui/ui/tone.h"
#include "gui/ui/widgets.h"
#include "gui/view/chart/chart_notes.h"
#include "gui/view/chart/x_scale.h"

namespace ringside::ui {
namespace {

constexpr ChartMargins kMetricMargins{60, 6, 12, 22, false};
constexpr float kMetricsHead = 22;

/// The grid of chart cells, as wide as is readable; a few cells do not fill the width.
struct Cells {
  Cells(const Rect& body, std::size_t count)
      : across(static_cast<std::size_t>(std::max(1.0F, std::floor(body.w / px(230))))) {
    const std::size_t fill = std::min(across, std::max<std::size_t>(count, 4));
    width = std::floor(body.w / static_cast<float>(fill));
    rows = (count + across - 1) / across;
    const float fit = std::max(1.0F, std::floor(body.h / px(130)));
    height = std::max(px(112), std::floor(body.h / std::min(fit, static_cast<float>(rows))));
  }
  Rect at(const Rect& content, std::size_t index) const {
    return {content.x + width * static_cast<float>(index % across),
            content.y + height * static_cast<float>(index / across), width, height};
  }

  std::size_t across;
  std::size_t rows = 0;
  float width = 0;
  float height = 0;
};

void draw_controls(const Rect& header, view::MetricsChoice& choice) {
  const float middle = header.middle_y();
  const float order = segmented_width(view::kMetricOrders);
  float right = header.right();
  if (header.w >= order + px(90)) {
    const int now = static_cast<int>(choice.order);
    right -= order;
    choice.order = static_cast<view::MetricOrder>(
        segmented("metric order", right, middle, view::kMetricOrders, now));
    right -= px(10);
  }
  const float width = std::min(px(190), right - header.x);
  text_field("##metric search", {right - width, std::floor(middle - px(10)), width, px(20)},
             choice.search, Type::kSmall, {}, view::label::kSearchMetrics);
}

void draw_pin(const std::string& name, const Rect& area, view::MetricsChoice& choice) {
  const bool pinned = choice.is_pinned(name);
  const Hit hit = hit_area("Pin", area);
  tooltip(pinned ? "Unpin this chart" : "Pin this chart in front of the others");
  const Token color = pinned ? Token::kAccent : hit.hovered ? Token::kHigh : Token::kFaint;
  draw_icon(Icon::kPin, ImVec2(area.middle_x(), area.middle_y()), px(11), color_of(color));
  if (hit.clicked) choice.toggle_pin(name);
}

void draw_head(const view::ChartView& chart, const Rect& head) {
  const float middle = head.middle_y() + px(2);
  float right =
      text_right(head.right(), middle, Type::kNumberBold, color_of(Token::kHigh), chart.aside);
  if (right - head.x > px(120)) {
    right = text_right(right - px(6), middle, Type::kLabel, color_of(Token::kDim), chart.subtitle);
  }
  text_fitted(head.x, middle, right - head.x - px(8), Type::kSmall, color_of(Token::kText),
              chart.title);
}

void draw_metric(const view::LiveInput& live, const std::string& name, Rect cell, bool visible,
                 MetricsMemory& memory, view::CommandQueue& commands) {
  Rect head = cell.take_top(px(kMetricsHead)).inset(px(12), 0);
  const Rect pin = head.take_right(px(20), px(2));
  // A row outside of the view keeps its controls, so that the keyboard can reach it and scroll
  // there.
  draw_pin(name, {pin.x + px(4), pin.y + px(2), pin.w, pin.h}, memory.choice);
  if (!visible) return;
  const Rect plot = plot_rect(cell, kMetricMargins);
  const view::ChartView* chart = memory.charts.chart(
      {*live.model, live.context.id, live.number_revision, live.choice, live.context.notes}, name,
      static_cast<int>(plot.w), static_cast<int>(plot.h));
  if (chart == nullptr) return;
  draw_head(*chart, head);
  const PlotHit hit = draw_chart(("Metric " + name).c_str(), *chart, cell, kMetricMargins);
  if (hit.hovered || hit.right_clicked)
    memory.pointed_step = view::XScale(*live.model, chart->axis).step_of(hit.x);
  if (hit.right_clicked) memory.menu_step = memory.pointed_step;
  command_menu("chart menu", hit.right_clicked, commands, [&] {
    return view::run_chart_menu(
        *chart, live.choice, std::string(view::kMetricChart) + name,
        view::note_entry(*live.model, live.context, live.choice, memory.menu_step));
  });
  if (!hit.hovered) return;
  line_v(ImGui::GetMousePos().x, plot.y, plot.bottom(), color_of(Token::kText, 0.5F));
  note_cut(plot, view::metric_readout(*live.model, *live.model->scalars().find(name), live.choice,
                                      hit.x));
}

}  // namespace

void draw_words(const view::Sentence& words, const Rect& body) {
  const ScrollArea scroll("words", body);
  const float width = std::min(scroll.content.w - px(24), px(680));
  const float x = std::floor(scroll.content.middle_x() - width * 0.5F);
  scroll.reach(
      sentence_wrapped(x, scroll.content.y + px(14), x + width, px(19), words, kDimSentence));
}

void draw_metrics(const MetricsPanel& metrics, Rect header, Rect body, MetricsMemory& memory,
                  view::CommandQueue& commands) {
  const view::LiveInput& live = *metrics.live;
  memory.charts.begin_frame(live.context.id);
  memory.pointed_step = -1;
  if (!metrics.view.count.empty()) {
    // If the header has no room, the controls are below it.
    if (header.w < px(120)) header = body.take_top(px(28)).inset(px(10), 0);
    draw_controls(header, memory.choice);
  }
  if (metrics.view.names.empty()) {
    draw_words(metrics.view.empty, body);
    return;
  }
  const ScrollArea scroll("metrics", body);
  const Rect inside{scroll.content.x, scroll.content.y, scroll.content.w, body.h};
  const Cells cells(inside, metrics.view.names.size());
  for (std::size_t i = 0; i < metrics.view.names.size(); ++i) {
    const Rect cell = cells.at(inside, i);
    const bool near =
        cell.bottom() + cells.height > body.y && cell.y - cells.height < body.bottom();
    if (!near) continue;
    const std::string& name = metrics.view.names[i];
    ImGui::PushID(name.c_str(), name.c_str() + name.size());
    draw_metric(live, name, cell, cell.bottom() > body.y && cell.y < body.bottom(), memory,
                commands);
    ImGui::PopID();
    if (cell.x > inside.x)
      line_v(cell.x, cell.y + px(6), cell.bottom() - px(6), color_of(Token::kLine));
  }
  scroll.reach(inside.y + cells.height * static_cast<float>(cells.rows));
}

}  // namespace ringside::ui
