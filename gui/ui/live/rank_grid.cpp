// All ranks as cells: larger amounts are brighter, and a shape marks ranks in an unusual state.
#include <algorithm>
#include <cmath>
#include <vector>

#include "gui/ui/live/live_panels.h"
#include "gui/ui/tone.h"
#include "gui/ui/widgets.h"

namespace ringside::ui {
namespace {

/// Largest cell size that fits, in whole pixels.
float cell_side(std::size_t count, const Rect& body) {
  const auto fits = [&](float side) {
    const float columns = std::floor(body.w / side);
    const float rows = std::floor(body.h / side);
    return columns * rows >= static_cast<float>(count);
  };
  float side = px(44);
  while (side > px(8) && !fits(side)) side -= 1;
  return side;
}

void draw_cell(const view::GridCell& cell, const Rect& area) {
  const Rect inner{area.x, area.y, area.w - 1, area.h - 1};
  fill(inner, cell.share < 0 ? color_of(Token::kGrid) : amount_color(cell.share));
  if (area.w >= px(26)) {
    const bool bright = cell.share > 0.55;
    text_centered(inner.middle_x(), inner.middle_y() - (cell.odd ? px(6) : 0), Type::kAxis,
                  bright ? IM_COL32(12, 14, 17, 255) : IM_COL32(236, 238, 241, 255),
                  view::rank_label(cell.rank));
  }
  if (!cell.odd) return;
  outline(inner, color_of(token_of(cell.tone)));
  const ImVec2 at(inner.middle_x(), inner.middle_y() + (area.w >= px(26) ? px(8) : 0));
  const float size = std::min(px(12), area.w * 0.7F);
  ImGui::GetWindowDrawList()->AddCircleFilled(at, size * 0.72F, color_of(Token::kPanel));
  draw_icon(icon_of(cell.shape), at, size, color_of(token_of(cell.tone)));
}

/// The colour scale from the smallest to the largest amount of a cell; ends at `right`.
void draw_amounts(const view::RankGridView& grid, float right, float middle) {
  const float at = text_right(right, middle, Type::kAxis, color_of(Token::kDim), grid.high);
  for (int i = 0; i < 40; ++i) {
    fill({at - px(8) - px(80) + px(2) * static_cast<float>(i), middle - px(4), px(2), px(8)},
         amount_color(grid.most * static_cast<double>(i) / 39));
  }
  text_right(at - px(96), middle, Type::kAxis, color_of(Token::kDim), grid.low);
}

}  // namespace

void draw_rank_grid(const view::RankGridView& grid, const Rect& header, Rect body,
                    LiveMemory& memory, view::CommandQueue& commands) {
  std::vector<const char*> words;
  for (const view::TableColumn& column : grid.choices) words.push_back(column.label.c_str());
  const float width = px(130);
  const float x = header.right() - width;
  const float middle = header.middle_y();
  if (!words.empty()) {
    const int now = static_cast<int>(grid.chosen);
    const int picked =
        drop_list("grid metric", {x, std::floor(middle - px(10)), width, px(20)}, words, now);
    if (picked != now) memory.grid_metric = grid.choices[static_cast<std::size_t>(picked)].key;
  }
  if (grid.cells.empty()) {
    sentence_centered(body.middle_x(), body.middle_y(), grid.empty, kDimSentence);
    return;
  }
  if (grid.most >= 0 && x - header.x > px(240)) draw_amounts(grid, x - px(20), middle);
  constexpr float kLeastHeight = 120;
  if (!grid.percentiles.empty() && body.h >= px(kLeastHeight)) draw_foot(grid.percentiles, body);
  const ScrollArea scroll("grid", body.inset(px(10), px(6)));
  const Rect& inside = scroll.content;
  const float side = cell_side(grid.cells.size(), inside);
  const auto columns = static_cast<std::size_t>(std::max(1.0F, std::floor(inside.w / side)));
  for (std::size_t i = 0; i < grid.cells.size(); ++i) {
    const view::GridCell& cell = grid.cells[i];
    const Rect area{inside.x + side * static_cast<float>(i % columns),
                    inside.y + side * static_cast<float>(i / columns), side, side};
    const std::string id = "Cell " + view::rank_label(cell.rank);
    const Hit hit = hit_area(id.c_str(), area);
    tooltip(cell.hint + ". Click: show only this rank in the charts");
    draw_cell(cell, area);
    if (hit.clicked) commands.emplace_back(view::ShowOnlyRank{cell.rank});
  }
  scroll.reach(inside.y + side * std::ceil(static_cast<float>(grid.cells.size()) /
                                           static_cast<float>(columns)));
}

}  // namespace ringside::ui
