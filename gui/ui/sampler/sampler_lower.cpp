// The panels below the grid: padded and exact accuracy, how many samples were reassigned, and
// shards.
#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "gui/ui/sampler/sampler_panels.h"
#include "gui/ui/table.h"
#include "gui/ui/tone.h"
#include "gui/ui/widgets.h"
#include "gui/view/chart/taken_stretches.h"

namespace ringside::ui {
namespace {

constexpr float kAxisHeight = 70;
constexpr float kNoteHeight = 26;
constexpr float kLegendHeight = 74;
/// Maximum number of ranks whose marks have labels, which would otherwise overlap.
constexpr std::size_t kNamedMarks = 8;

/// Height of a table: heads, rows, totals.
float table_height(const view::Table& table) {
  const auto rows = static_cast<float>(table.rows.size());
  const auto totals = static_cast<float>(table.totals.size());
  return px(24) + rows * px(23) + totals * px(24) + px(4);
}

/// Exact accuracies on one line, with a mark for each rank and one for all ranks.
void draw_marks(const view::ValidationView& view, const Rect& area) {
  const float line = area.y + px(40);
  const Rect axis{area.x + px(62), line, area.w - px(90), 1};
  text_at(area.x, line, Type::kLabel, Token::kDim, "Exact %");
  line_h(axis.x, axis.right(), line, Token::kLine2);
  for (const view::Tick& tick : view.ticks) {
    const float x = axis.x + axis.w * static_cast<float>(tick.at);
    line_v(x, line, line + px(4), Token::kLine2);
    text_centered(x, line + px(14), Type::kAxis, Token::kDim, tick.label);
  }
  const bool named = view.marks.size() <= kNamedMarks + 1;
  // Labels of ranks that are close together are drawn one above the other.
  std::array<view::TakenStretches, 2> names;
  const auto name = [&](float x, const std::string& word, ImU32 color, bool above) {
    const float half = text_width(Type::kAxis, word) * 0.5F + px(2);
    for (std::size_t level = above ? 1 : 0; level < names.size(); ++level) {
      if (!names[level].take(static_cast<double>(x - half), static_cast<double>(x + half)))
        continue;
      text_centered(x, line - px(level == 0 ? 19 : 31), Type::kAxis, color, word);
      return;
    }
  };
  for (auto one = view.marks.rbegin(); one != view.marks.rend(); ++one) {  // all ranks first
    const auto& mark = *one;
    const float x = std::floor(axis.x + axis.w * static_cast<float>(mark.at));
    if (mark.rank == kNoRank) {
      const ImU32 color = color_of(Token::kOk);
      ImGui::GetWindowDrawList()->AddTriangleFilled(ImVec2(x - px(4), line - px(10)),
                                                    ImVec2(x + px(4), line - px(10)),
                                                    ImVec2(x, line - px(2)), color);
      name(x, "all", color, true);
      continue;
    }
    fill({x - px(1), line - px(12), px(3), px(12)}, rank_color(mark.rank));
    if (named) name(x, view::rank_label(mark.rank), rank_color(mark.rank), false);
  }
}

void draw_bars(const view::MovedView& view, const Rect& plot) {
  const float step = plot.w / static_cast<float>(std::max<std::size_t>(1, view.bars.size()));
  const float width = std::max(1.0F, std::min(step - (step > 4 ? 1 : 0), px(28)));
  for (std::size_t i = 0; i < view.bars.size(); ++i) {
    const auto& bar = view.bars[i];
    if (!std::isfinite(bar.share)) continue;
    const float x = std::floor(plot.x + step * (static_cast<float>(i) + 0.5F) - width * 0.5F);
    const float height =
        std::max(px(2), std::floor(plot.h * static_cast<float>(std::clamp(bar.share, 0.0, 1.0))));
    fill({x, plot.bottom() - height, width, height},
         bar.still ? token_of(view.found) : Token::kSmallBar);
  }
  view::TakenStretches labels;
  for (const view::Tick& tick : view.ticks) {
    const float x = plot.x + step * (static_cast<float>(tick.at) + 0.5F);
    const float half = text_width(Type::kAxis, tick.label) * 0.5F + px(3);
    if (labels.take(static_cast<double>(x - half), static_cast<double>(x + half)))
      text_centered(x, plot.bottom() + px(11), Type::kAxis, Token::kDim, tick.label);
  }
}

void draw_legend(const view::SamplerView& view, const view::SamplerGridView& grid,
                 const Rect& area) {
  float x = area.x;
  float y = area.y + px(10);
  text_at(x, y, Type::kLabel, Token::kDim, "Legend");
  x += px(56);
  const float left = x;
  const auto word = [&](const std::string& text, float width) {
    text_fitted(x + px(16), y, area.right() - x - px(16), Type::kLabel, Token::kText, text);
    x += width;
  };
  const bool wide = grid.by_node || static_cast<float>(view.legend.size()) * px(66) < area.w;
  const char* const kind = grid.by_node ? "node " : wide ? "rank " : "r";
  for (const Rank rank : view.legend) {
    if (x + px(52) > area.right()) break;
    fill({x, y - px(5), px(10), px(10)}, mixed_over_panel(rank_color(rank), kCellShare));
    word(kind + std::to_string(rank), px(wide ? 66 : 42));
  }
  const float second = left + px(190);
  x = left;
  y += px(22);
  const auto half = [&](float at, Rank rank) {
    fill({at, y - px(5), px(5), px(10)}, mixed_over_panel(rank_color(rank), kCellShare));
  };
  half(x, 0);
  half(x + px(5), 1);
  outline({x - 1, y - px(6), px(12), px(12)}, Token::kHigh, 2);
  word("visited twice, by both ranks", second - left);
  outline({x, y - px(5), px(10), px(10)}, Token::kLine2);
  ImGui::GetWindowDrawList()->AddLine(ImVec2(x, y + px(5)), ImVec2(x + px(10), y - px(5)),
                                      color_of(Token::kDim));
  word("unvisited", 0);
  x = left;
  y += px(22);
  draw_icon(Icon::kRepeat, ImVec2(x + px(5), y), px(10), token_of(grid.found));
  word("order repeated", second - left);
  line_v(x + px(5), y - px(5), y + px(5), Token::kDim);
  word("visited twice in some epoch", 0);
}

}  // namespace

void draw_validation(const view::ValidationView& view, const Rect& body) {
  if (view.table.rows.empty()) {
    sentence_centered(body.middle_x(), body.middle_y(), view.table.empty, kDimSentence);
    return;
  }
  Rect rest = body;
  const float spare = body.h - table_height(view.table);
  const bool note = spare > px(kNoteHeight) && !view.table.notes.empty();
  if (note) {
    const Rect line = rest.take_bottom(px(kNoteHeight));
    text_fitted(line.x + px(14), line.middle_y() - px(2), line.w - px(28), Type::kLabel,
                Token::kDim, view.table.notes.front());
  }
  if (spare > px(kNoteHeight + kAxisHeight) && !view.marks.empty()) {
    rest.take_bottom(std::floor((spare - px(kNoteHeight + kAxisHeight)) * 0.5F));
    draw_marks(view, rest.take_bottom(px(kAxisHeight)).inset(px(14), 0));
  }
  Rect table = rest;
  table.h = std::min(rest.h, table_height(view.table));
  draw_table("validation rows", view.table, table);
}

void draw_moved(const view::MovedView& view, const Rect& header, const Rect& body) {
  if (!view.empty.empty()) {
    sentence_centered(body.middle_x(), body.middle_y(), view.empty, kDimSentence);
    return;
  }
  if (header.w > px(90)) {
    const float x = text_right(header.right(), header.middle_y(), Type::kNumberBold,
                               view.still ? token_of(view.found) : Token::kHigh, view.now);
    text_right(x - px(6), header.middle_y(), Type::kSmall, Token::kDim, "now");
  }
  Rect plot{body.x + px(42), body.y + px(16), body.w - px(58), body.h - px(16 + 42)};
  for (int percent = 0; percent <= 100; percent += 25) {
    const float y = std::floor(plot.bottom() - plot.h * static_cast<float>(percent) / 100);
    line_h(plot.x, plot.right(), y, percent == 0 ? Token::kLine2 : Token::kGrid);
    text_right(plot.x - px(8), y, Type::kAxis, Token::kDim, std::to_string(percent));
  }
  draw_bars(view, plot);
  const float expected = std::floor(plot.bottom() - plot.h * static_cast<float>(view.expected));
  dashed(ImVec2(plot.x, expected), ImVec2(plot.right(), expected), Token::kText, px(2), px(3));
  text_right(plot.right(), std::max(expected - px(9), body.y + px(8)), Type::kLabel, Token::kText,
             view.expected_text);
  text_centered(plot.middle_x(), plot.bottom() + px(27), Type::kLabel, Token::kDim, "epoch");
}

void draw_shards(const view::SamplerView& view, const view::SamplerGridView& grid,
                 const Rect& body) {
  Rect rest = body;
  const float spare = body.h - table_height(view.shards);
  if (spare > px(kLegendHeight) && !view.shards.rows.empty())
    draw_legend(view, grid, rest.take_bottom(px(kLegendHeight)).inset(px(14), 0));
  Rect table = rest;
  if (!view.shards.rows.empty()) table.h = std::min(rest.h, table_height(view.shards));
  draw_table("shard rows", view.shards, table);
}

}  // namespace ringside::ui
