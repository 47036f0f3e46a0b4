// Small charts of what devices and hosts did, side by side.
#include <cmath>

#include "gui/ui/live_panels.h"
#include "gui/ui/tone.h"
#include "gui/ui/widgets.h"

namespace ringside::ui {
namespace {

constexpr ChartMargins kMargins{38, 6, 12, 22, false};

Rect piece_of(const Rect& body, std::size_t index, std::size_t count) {
  const float width = std::floor(body.w / static_cast<float>(std::max<std::size_t>(1, count)));
  return {body.x + width * static_cast<float>(index), body.y, width, body.h};
}

}  // namespace

Rect resource_plot(const Rect& panel) {
  Rect body = panel;
  body.take_top(px(29 + 22));
  return plot_rect(piece_of(body, 0, view::kMostResourceCharts), kMargins);
}

void draw_resources(const std::vector<view::ChartView>& charts, const Rect& body) {
  if (charts.empty()) {
    const view::Sentence words{
        {"Neither devices nor hosts have been sampled yet.", view::Style::kDim}};
    sentence_centered(body.middle_x(), body.middle_y(), words, kDimSentence);
    return;
  }
  for (std::size_t i = 0; i < charts.size(); ++i) {
    Rect piece = piece_of(body, i, charts.size());
    if (i > 0) line_v(piece.x, piece.y + px(6), piece.bottom() - px(6), color(Token::kLine));
    const Rect head = piece.take_top(px(22));
    const float end = text_at(head.x + px(12), head.middle_y() + px(2), Type::kSmall,
                              color(Token::kText), charts[i].title);
    text_fitted(end + px(10), head.middle_y() + px(2), head.right() - end - px(16),
                Type::kNumberBold, color(Token::kHigh), charts[i].aside);
    draw_chart(charts[i].title.c_str(), charts[i], piece, kMargins);
  }
}

}  // namespace ringside::ui
