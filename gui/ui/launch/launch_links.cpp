// The matrix of links between GPUs, with its legend.
#include <algorithm>
#include <cmath>

#include "gui/ui/launch/launch_panels.h"
#include "gui/ui/tone.h"
#include "gui/ui/widgets.h"

namespace ringside::ui {
namespace {

constexpr float kCell = 36;
constexpr float kLinkRow = 24;
constexpr float kLinkHead = 28;
constexpr float kLegendRow = 22;

Token token_of_link(view::LinkKind kind) {
  switch (kind) {
    case view::LinkKind::kNvlink:
      return Token::kLinkNvlink;
    case view::LinkKind::kSwitch:
      return Token::kLinkSwitch;
    case view::LinkKind::kNode:
      return Token::kLinkNode;
    case view::LinkKind::kSystem:
      return Token::kLinkSystem;
    case view::LinkKind::kUnknown:
      break;
  }
  return Token::kInput;
}

/// Prints the link type in every cell, so that colour is not its only carrier. `picked`: both
/// devices are selected.
void draw_cell(const std::string& word, bool picked, const Rect& area) {
  const Rect inner = area.inset(px(1), px(1));
  const view::LinkKind kind = view::link_kind(word);
  fill(inner, token_of_link(kind), 2);
  const bool bright = kind == view::LinkKind::kNvlink;
  const Token color = bright ? Token::kChipText : Token::kHigh;
  text_centered(inner.middle_x(), inner.middle_y(), picked ? Type::kNumberBold : Type::kAxis, color,
                word);
  if (picked) outline(inner, Token::kAccent, 2);
}

void draw_legend(const view::LinkMatrix& links, const Rect& area) {
  float y = area.y;
  for (const view::LinkLegend& entry : links.legend) {
    fill({area.x, y + px(4), px(14), px(14)}, token_of_link(entry.kind), 2);
    text_at(area.x + px(22), y + px(11), Type::kNumberBold, Token::kHigh, entry.word);
    text_fitted(area.x + px(66), y + px(11), area.w - px(66), Type::kSmall, Token::kDim,
                entry.meaning);
    y += px(kLegendRow);
  }
  if (!links.slowest.empty())
    sentence_wrapped(area.x, y + px(8), area.right(), px(17), links.slowest, kSmallSentence);
}

}  // namespace

float links_height(const view::LinkMatrix& links) {
  const std::size_t gpus = links.table.rows.size();
  if (gpus == 0) return 0;
  const float matrix = px(kLinkHead) + px(kLinkRow) * static_cast<float>(gpus);
  const float legend = px(kLegendRow) * static_cast<float>(links.legend.size()) + px(52);
  return px(kLinkHead) + std::max(matrix, legend) + px(8);
}

void draw_links(const view::LinkMatrix& links, const Rect& area, view::CommandQueue& commands) {
  const auto& rows = links.table.rows;
  if (rows.empty()) return;
  Rect rest = area;
  const Rect title = rest.take_top(px(kLinkHead));
  const float words = text_at(title.x, title.middle_y(), Type::kSmallBold, Token::kHigh, "Links");
  if (copy_link(view::label::kCopyLinks, words, title.middle_y()))
    commands.emplace_back(view::CopyText{view::table_tsv(links.table)});
  const auto count = static_cast<float>(rows.size());
  const float cell = std::floor(std::min(px(kCell), (rest.w * 0.62F - px(20)) / count));
  const float left = rest.x + px(20);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const ImU32 color = color_of(links.picked[i] ? Token::kHigh : Token::kDim);
    const auto at = static_cast<float>(i);
    text_centered(left + cell * (at + 0.5F), rest.y + px(kLinkHead) * 0.5F, Type::kNumber, color,
                  rows[i].key);
    const float y = rest.y + px(kLinkHead) + px(kLinkRow) * at;
    text_right(left - px(6), y + px(kLinkRow) * 0.5F, Type::kNumber, color, rows[i].key);
    for (std::size_t j = 0; j < rows.size(); ++j)
      draw_cell(rows[i].cells[j + 1].text, i != j && links.picked[i] && links.picked[j],
                {left + cell * static_cast<float>(j), y, cell, px(kLinkRow)});
  }
  hit_area(view::label::kLinks, {left, rest.y + px(kLinkHead), cell * count, px(kLinkRow) * count});
  tooltip("As in `nvidia-smi topo -m`: the path from the GPU of the row to that of the column");
  const float legend = left + cell * count + px(20);
  draw_legend(links, {legend, rest.y + px(4), rest.right() - legend, rest.h});
}

}  // namespace ringside::ui
