// Small charts of device and host metrics, side by side.
#include <algorithm>
#include <cmath>
#include <cstddef>

#include "gui/ui/live/live_panels.h"
#include "gui/ui/tone.h"
#include "gui/ui/widgets.h"
#include "gui/view/chart/x_scale.h"

namespace ringside::ui {
namespace {

constexpr ChartMargins kResourceMargins{54, 6, 12, 22, false};

/// Places charts side by side as long as each can be read, otherwise in several rows.
Rect piece_of(const Rect& body, std::size_t index, std::size_t count) {
  const float fit = std::floor(body.w / px(170));
  const auto across = static_cast<std::size_t>(
      std::clamp(fit, 1.0F, static_cast<float>(std::max<std::size_t>(1, count))));
  const std::size_t rows = (count + across - 1) / across;
  const float width = std::floor(body.w / static_cast<float>(across));
  const float height = std::max(px(112), std::floor(body.h / static_cast<float>(rows)));
  return {body.x + width * static_cast<float>(index % across),
          body.y + height * static_cast<float>(index / across), width, height};
}

}  // namespace

Rect resource_plot(const Rect& panel) {
  Rect body = panel;
  body.take_top(px(29));
  Rect piece = piece_of(body, 0, view::kMostResourceCharts);
  piece.take_top(px(22));
  return plot_rect(piece, kResourceMargins);
}

void draw_resources(const std::vector<view::ChartView>& charts, const model::RunModel& model,
                    const Rect& body, double& pointed_step) {
  if (charts.empty()) {
    const view::Sentence words{
        {"Neither devices nor hosts have been sampled yet.", view::Style::kDim}};
    sentence_centered(body.middle_x(), body.middle_y(), words, kDimSentence);
    return;
  }
  const ScrollArea scroll("resource charts", body);
  const Rect inside{scroll.content.x, scroll.content.y, body.w, body.h};
  for (std::size_t i = 0; i < charts.size(); ++i) {
    Rect piece = piece_of(inside, i, charts.size());
    if (piece.x > inside.x)
      line_v(piece.x, piece.y + px(6), piece.bottom() - px(6), color_of(Token::kLine));
    const float bottom = piece.bottom();
    const Rect head = piece.take_top(px(22));
    const float end = text_fitted(head.x + px(12), head.middle_y() + px(2), head.w - px(16),
                                  Type::kSmall, color_of(Token::kText), charts[i].title);
    text_fitted(end + px(10), head.middle_y() + px(2), head.right() - end - px(16),
                Type::kNumberBold, color_of(Token::kHigh), charts[i].aside);
    const PlotHit hit = draw_chart(charts[i].title.c_str(), charts[i], piece, kResourceMargins);
    const view::XScale scale(model, charts[i].axis);
    if (hit.hovered && scale.axis() == charts[i].axis) pointed_step = scale.step_of(hit.x);
    if (i + 1 == charts.size()) scroll.reach(bottom);
  }
}

}  // namespace ringside::ui
