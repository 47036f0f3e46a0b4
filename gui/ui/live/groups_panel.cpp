// The device mesh as a grid of ranks beside the table of process groups, or above it in an area
// that is higher than wide; a verdict line about the rank that delays others comes first.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "gui/ui/item_watch.h"
#include "gui/ui/live/live_panels.h"
#include "gui/ui/side_scroll.h"
#include "gui/ui/table.h"
#include "gui/ui/tone.h"
#include "gui/ui/widgets.h"

namespace ringside::ui {
namespace {

constexpr float kMargin = 12;
constexpr float kHeads = 18;  // the names of the dimensions, or the numbers below them

/// Sizes of the cells of the mesh and of the labels around them.
struct MeshSizes {
  float width = 0;
  float height = 0;
  float left = 0;  ///< labels of the rows
  float top = 0;
  std::size_t columns = 1;
  std::size_t lines = 1;

  float whole_width() const { return left + width * static_cast<float>(columns); }
  float whole_height() const { return top + height * static_cast<float>(lines); }
};

/// `words`: there is room for the labels of the marks, not only for the marks.
MeshSizes mesh_sizes(const view::MeshView& mesh, float room, bool words) {
  MeshSizes sizes;
  const float label = text_width(Type::kNumber, view::rank_label(mesh.cells.back().rank));
  sizes.width = std::floor(label) + px(words ? 94 : 22);
  sizes.height = px(24);
  const std::size_t count = mesh.cells.size();
  if (!mesh.across.empty()) sizes.top = px(kHeads);
  if (mesh.columns.empty()) {
    const float fit = std::max(1.0F, std::floor(room / sizes.width));
    sizes.columns = std::min(count, static_cast<std::size_t>(fit));
    sizes.lines = (count + sizes.columns - 1) / sizes.columns;
    return sizes;
  }
  sizes.columns = mesh.columns.size();
  sizes.lines = mesh.rows.size();
  sizes.top += px(kHeads);
  float widest = text_width(Type::kAxis, mesh.down);
  for (const std::string& row : mesh.rows) widest = std::max(widest, text_width(Type::kAxis, row));
  sizes.left = widest + px(10);
  return sizes;
}

void draw_mesh_cell(const view::MeshCell& cell, bool faded, bool words, const Rect& area) {
  const bool loud = cell.tone == view::Tone::kWarning || cell.tone == view::Tone::kError;
  const Token ground = loud          ? tint_of(cell.tone)
                       : cell.chosen ? Token::kAccentTint
                                     : Token::kRaised;
  fill(area, color_of(ground), 3);
  if (loud || cell.chosen) outline(area, color_of(loud ? token_of(cell.tone) : Token::kAccent), 3);
  if (loud && cell.chosen) outline(area.inset(px(2), px(2)), color_of(Token::kAccent), 2);
  const float middle = area.middle_y();
  const ImU32 strong = color_of(faded && !loud ? Token::kFaint : Token::kHigh);
  const ImU32 color = color_of(token_of(cell.tone));
  const std::string label = view::rank_label(cell.rank);
  if (cell.shape == view::Shape::kNone) {
    text_centered(area.middle_x(), middle, Type::kNumber, strong, label);
  } else if (words) {
    const float end = text_at(area.x + px(7), middle, Type::kNumber, strong, label);
    draw_icon(icon_of(cell.shape), ImVec2(end + px(11), middle), px(9), color);
    text_at(end + px(19), middle, Type::kAxis, color, cell.word);
  } else {
    text_centered(area.middle_x() - px(6), middle, Type::kNumber, strong, label);
    draw_icon(icon_of(cell.shape), ImVec2(area.right() - px(8), middle), px(9), color);
  }
}

void draw_mesh_heads(const view::MeshView& mesh, const MeshSizes& sizes, float x, float y) {
  const ImU32 dim = color_of(Token::kDim);
  const float grid = x + sizes.left;
  const float line = px(kHeads);
  if (!mesh.across.empty()) text_at(grid + px(4), y + line * 0.5F, Type::kAxis, dim, mesh.across);
  if (mesh.columns.empty()) return;
  text_at(x, y + line * 1.5F, Type::kAxis, dim, mesh.down);
  for (std::size_t i = 0; i < mesh.columns.size(); ++i) {
    const float middle = grid + sizes.width * (static_cast<float>(i) + 0.5F);
    text_centered(middle, y + line * 1.5F, Type::kAxis, dim, mesh.columns[i]);
  }
  for (std::size_t i = 0; i < mesh.rows.size(); ++i) {
    const float middle = y + sizes.top + sizes.height * (static_cast<float>(i) + 0.5F);
    text_right(grid - px(6), middle, Type::kAxis, dim, mesh.rows[i]);
  }
}

void draw_mesh(const view::MeshView& mesh, Rect area, bool words, view::CommandQueue& commands) {
  const MeshSizes sizes = mesh_sizes(mesh, area.w, words);
  const SideScroll side("mesh", area, sizes.whole_width());
  const ScrollArea scroll("mesh", area);
  const ScrolledTexts scrolled;
  const float x = area.x - side.offset();
  const float y = scroll.content.y;
  draw_mesh_heads(mesh, sizes, x, y);
  for (std::size_t i = 0; i < mesh.cells.size(); ++i) {
    const view::MeshCell& cell = mesh.cells[i];
    const bool wraps = mesh.columns.empty();
    const auto column = static_cast<float>(wraps ? i % sizes.columns : cell.column);
    const auto line = static_cast<float>(wraps ? i / sizes.columns : cell.row);
    const Rect place{x + sizes.left + sizes.width * column, y + sizes.top + sizes.height * line,
                     sizes.width - px(3), sizes.height - px(3)};
    // Includes one row beyond the visible ones, so that the keyboard can move to it.
    if (place.bottom() + sizes.height < area.y || place.y - sizes.height > area.bottom()) continue;
    const std::string id = "Mesh " + view::rank_label(cell.rank);
    const Hit hit = hit_area(id.c_str(), place);
    tooltip(cell.hint + ". Click: show only this rank in the charts");
    draw_mesh_cell(cell, mesh.any_chosen && !cell.chosen, words, place);
    if (hit.hovered) outline(place, color_of(Token::kText), 3);
    if (hit.clicked) commands.emplace_back(view::ShowOnlyRank{cell.rank});
  }
  scroll.reach(y + sizes.whole_height());
}

/// Areas of the mesh and the table; the mesh is empty if there is no room for it.
struct GroupParts {
  Rect mesh;
  Rect table;
  bool words = false;
};

GroupParts parts_of(const view::GroupsView& groups, Rect body) {
  constexpr float kLeastTableWidth = 420;
  GroupParts parts;
  const bool beside = body.w >= px(kLeastTableWidth + 150);
  if (!beside && body.h < px(200)) return {{}, body};
  const float room =
      beside ? std::max(px(150), std::min(body.w * 0.45F, body.w - px(kLeastTableWidth)))
             : body.w - px(2 * kMargin);
  const float most = beside ? body.h - px(8) : body.h * 0.5F;
  for (const bool words : {true, false}) {
    const MeshSizes sizes = mesh_sizes(groups.mesh, room, words);
    const bool fits = sizes.whole_width() <= room && sizes.whole_height() <= most;
    if (!fits && words) continue;
    parts.words = words;
    const float width = std::min(room, sizes.whole_width() + (fits ? 0 : px(14)));
    const float height = std::min(most, sizes.whole_height() + px(4));
    parts.mesh = beside ? body.take_left(width + px(2 * kMargin), 0).inset(px(kMargin), px(4))
                        : body.take_top(height, px(4)).inset(px(kMargin), 0);
    break;
  }
  parts.table = body;
  return parts;
}

/// Draws the verdict in one line, cut if it is too long, or in full if the panel is high. Cuts its
/// height off `body`.
void draw_verdict(const view::GroupsView& groups, Rect& body) {
  if (groups.verdict.empty()) return;
  const float x = body.x + px(kMargin + 18);
  const float right = body.right() - px(kMargin);
  const bool wraps =
      body.h >= px(190) && sentence_width(groups.verdict, kSmallSentence) > right - x;
  const Rect line = body.take_top(px(wraps ? 44 : 26));
  draw_icon(icon_of(groups.shape), ImVec2(body.x + px(kMargin + 6), line.y + px(13)), px(12),
            color_of(token_of(groups.tone)));
  if (wraps) {
    sentence_wrapped(x, line.y + px(4), right, px(18), groups.verdict, kSmallSentence);
  } else {
    sentence_at(x, line.middle_y(), right, groups.verdict, kSmallSentence);
  }
  line_h(line.x, line.right(), line.bottom() - 1, color_of(Token::kLine));
}

void draw_group_rows(const view::GroupsView& groups, const Rect& area, view::GroupsChoice& choice) {
  using view::Fold;
  const bool folds = std::any_of(groups.folds.begin(), groups.folds.end(),
                                 [](Fold fold) { return fold != Fold::kNone; });
  const std::vector<view::TableRow>& rows = groups.table.rows;
  std::size_t pressed = rows.size();
  TableStyle style;
  style.behind = [&](std::size_t place, const Rect& line) {
    const Hit hit = hit_area(("Group row " + rows[place].key).c_str(), line);
    const bool on = choice.chosen == rows[place].key;
    if (on || hit.hovered) fill(line, color_of(on ? Token::kSelected : Token::kHover));
    if (on) fill({line.x, line.y, px(3), line.h}, color_of(Token::kAccent));
    if (hit.clicked) pressed = place;
  };
  style.cell = [&](const view::TableColumn& column, std::size_t place, const Rect& where) {
    if (!folds || column.key != "group") return false;
    const Fold fold = groups.folds[place];
    if (fold == Fold::kClosed || fold == Fold::kOpen) {
      draw_icon(fold == Fold::kOpen ? Icon::kChevronDown : Icon::kChevronRight,
                ImVec2(where.x + px(5), where.middle_y()), px(9), color_of(Token::kDim));
    }
    const float indent = px(fold == Fold::kInside ? 28 : 16);
    text_fitted(where.x + indent, where.middle_y(), where.w - indent, Type::kSmall,
                color_of(Token::kText), view::cell_of(groups.table, rows[place], "group").text);
    return true;
  };
  draw_table("group rows", groups.table, area, style);
  if (pressed < rows.size()) view::press_group_row(choice, groups, pressed);
}

}  // namespace

void draw_groups(const view::GroupsView& groups, Rect body, view::GroupsChoice& choice,
                 view::CommandQueue& commands) {
  draw_verdict(groups, body);
  GroupParts parts{{}, body};
  if (!groups.mesh.cells.empty()) parts = parts_of(groups, body);
  if (!parts.mesh.empty()) draw_mesh(groups.mesh, parts.mesh, parts.words, commands);
  if (!groups.empty.empty()) {
    draw_words(groups.empty, parts.table);
  } else {
    draw_group_rows(groups, parts.table, choice);
  }
}

}  // namespace ringside::ui
