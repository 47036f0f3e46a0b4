// The grid of owners: the strip of the whole data set, the cells, and mouse input.
#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "gui/ui/cutter.h"
#include "gui/ui/sampler/sampler_panels.h"
#include "gui/ui/tone.h"
#include "gui/ui/widgets.h"

namespace ringside::ui {
namespace {

using Queue = view::CommandQueue;

constexpr float kLeft = 62;    // column of epochs
constexpr float kRight = 72;   // column of reassigned samples
constexpr float kTop = 84;     // header of the panel, strip, heads
constexpr float kBottom = 26;  // labels below the grid
/// Minimum cell width that has room for the rank.
constexpr float kWordWidth = 22;
constexpr float kWordHeight = 15;
/// Maximum distance of a click from a mark of the strip, since one pixel covers many samples.
constexpr float kNear = 6;

void draw_controls(const view::SamplerGridView& grid, const Rect& header, Queue& commands) {
  std::array<std::string, view::kSamplesPerCell.size()> texts;
  std::array<const char*, view::kSamplesPerCell.size()> words{};
  int on = 0;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    texts[i] = std::to_string(view::kSamplesPerCell[i]);
    words[i] = texts[i].c_str();
    if (view::kSamplesPerCell[i] == grid.per_cell) on = static_cast<int>(i);
  }
  const float x = header.right() - segmented_width(words);
  const int picked = segmented("samples per cell", x, header.middle_y(), words, on);
  if (x - header.x > px(120))
    text_right(x - px(8), header.middle_y(), Type::kLabel, Token::kDim, "samples per cell");
  if (picked != on)
    commands.emplace_back(
        view::SetSamplesPerCell{view::kSamplesPerCell[static_cast<std::size_t>(picked)]});
}

/// Draws the whole data set: where samples were drawn twice, and the part shown in the grid.
void draw_overview(const view::SamplerGridView& grid, const Rect& bar, Queue& commands) {
  const float middle = bar.middle_y();
  text_at(bar.x - px(kLeft - 14), middle, Type::kSmall, Token::kDim, "All");
  fill(bar, Token::kInput, 2);
  const auto at = [&bar](double share) {
    return std::floor(bar.x + bar.w * static_cast<float>(share));
  };
  for (const double share : grid.twice) line_v(at(share), bar.y, bar.bottom(), Token::kDim);
  float free_from = bar.x;
  for (const view::Tick& tick : grid.overall) {
    const float x = at(tick.at);
    const float end = x + text_width(Type::kAxis, tick.label);
    if (x < free_from || end > bar.right()) continue;
    text_at(x, bar.bottom() + px(11), Type::kAxis, Token::kDim, tick.label);
    free_from = end + px(8);
  }
  const float left = at(grid.seen_begin);
  const Rect seen{left - 1, bar.y - px(3), std::max(px(6), at(grid.seen_end) - left + 2),
                  bar.h + px(6)};
  outline(seen, Token::kAccent, 2);
  const Hit hit = hit_area("All samples", bar.inset(0, -px(4)));
  tooltip("Click or drag: show these samples");
  if (!hit.clicked && !(hit.held && ImGui::IsMouseDragging(ImGuiMouseButton_Left))) return;
  const auto width = static_cast<double>(std::max(1.0F, bar.w));
  double share = std::clamp(static_cast<double>(ImGui::GetIO().MousePos.x - bar.x) / width, 0., 1.);
  for (const double mark : grid.twice) {
    if (!hit.clicked || std::abs(mark - share) * width > static_cast<double>(px(kNear))) continue;
    share = mark;
    break;
  }
  const auto wanted = static_cast<std::int64_t>(share * static_cast<double>(grid.dataset_size));
  commands.emplace_back(
      view::ScrollSamples{std::max<std::int64_t>(0, wanted - grid.columns * grid.per_cell / 2)});
}

/// Colours of the ranks blended over the panel, computed once per frame.
std::vector<ImU32> cell_colors(const view::SamplerGridView& grid) {
  std::vector<ImU32> colors;
  for (const Rank rank : grid.colors) colors.push_back(rank_color(rank));
  return colors;
}

ImU32 color_of_cell(const analysis::OwnedCell& cell, const std::vector<ImU32>& colors) {
  const auto owner = static_cast<std::size_t>(cell.owner);
  const float most = static_cast<float>(cell.owned) / static_cast<float>(cell.samples);
  const float share = cell.samples == 1 ? 1.0F : 0.4F + 0.6F * most;
  return mixed_over_panel(owner < colors.size() ? colors[owner] : 0, kCellShare * share);
}

void draw_unvisited(const Rect& cell) {
  outline(cell, Token::kLine2);
  ImGui::GetWindowDrawList()->AddLine(ImVec2(cell.x + 1, cell.bottom() - 1),
                                      ImVec2(cell.right() - 1, cell.y + 1), color_of(Token::kDim));
}

void draw_cell(const analysis::OwnedCell& cell, const std::vector<ImU32>& colors,
               const Rect& area) {
  if (cell.owner == kNoRank) {
    draw_unvisited(area);
    return;
  }
  fill(area, color_of_cell(cell, colors));
  if (cell.samples == 1 && cell.other != kNoRank) {
    const auto other = static_cast<std::size_t>(cell.other);
    const float half = std::floor(area.w * 0.5F);
    if (other < colors.size()) fill({area.x + half, area.y, area.w - half, area.h}, colors[other]);
    outline(area.inset(-1, -1), Token::kHigh, 2);
  } else if (cell.twice > 0) {
    fill({area.right() - px(4), area.y, px(4), px(4)}, Token::kHigh);
  }
  if (cell.unvisited > 0) fill({area.x, area.bottom() - px(4), px(4), px(4)}, Token::kPanel);
  if (cell.samples > 1 || area.w < px(kWordWidth) || area.h < px(kWordHeight)) return;
  const std::string word = view::rank_label(cell.owner);
  if (text_width(Type::kAxis, word) + px(4) <= area.w)
    text_centered(area.middle_x(), area.middle_y(), Type::kAxis, Token::kChipText, word);
}

void draw_attempt(const std::string& words, ImU32 color, const Rect& line) {
  const float middle = line.middle_y();
  const float width = std::min(line.w, text_width(Type::kSmallBold, words) + px(16));
  const float x = line.middle_x();
  line_h(line.x - px(kLeft - 14), x - width * 0.5F, middle, color);
  line_h(x + width * 0.5F, line.right() + px(kRight - 16), middle, color);
  text_fitted(x - width * 0.5F + px(8), middle, width - px(8), Type::kSmallBold, color, words);
}

void draw_row(const view::SamplerRow& row, const std::vector<ImU32>& colors, Token found,
              const Rect& line, float cell_w, Queue& commands) {
  const float middle = line.middle_y();
  const Rect label{line.x - px(kLeft - 10), line.y, px(kLeft - 14), line.h};
  const std::string id = "Epoch " + row.epoch + "##" + std::to_string(row.pass);
  if (hit_area(id.c_str(), label).clicked) commands.emplace_back(view::PickEpoch{row.pass});
  tooltip("Show the first samples of this epoch and of the one before");
  if (row.picked) fill({label.x - px(4), label.y, px(2), label.h - 1}, Token::kAccent);
  const Token tone = row.repeated ? found : row.picked ? Token::kHigh : Token::kDim;
  text_right(label.x + px(22), middle, Type::kAxis, tone, row.epoch);
  if (row.repeated) draw_icon(Icon::kRepeat, ImVec2(label.x + px(34), middle), px(9), found);
  text_right(line.right() + px(kRight - 16), middle, row.still ? Type::kNumberBold : Type::kNumber,
             row.still ? found : Token::kText, row.moved);
  if (row.cells.empty()) text_at(line.x, middle, Type::kLabel, Token::kFaint, "not kept any more");
  for (std::size_t i = 0; i < row.cells.size(); ++i) {
    const float x = line.x + cell_w * static_cast<float>(i);
    draw_cell(row.cells[i], colors, {x, line.y, cell_w - 1, line.h - 1});
  }
}

void draw_labels(const view::SamplerGridView& grid, const GridPlace& place) {
  const Rect& cells = place.cells;
  const float heads = cells.y - px(11);
  text_at(cells.x - px(kLeft - 14), heads, Type::kLabel, Token::kDim, "Epoch");
  const bool moves = std::any_of(grid.rows.begin(), grid.rows.end(),
                                 [](const auto& row) { return !row.moved.empty(); });
  if (moves)
    text_right(cells.right() + px(kRight - 16), heads, Type::kLabel, Token::kDim, "Moved %");
  const float bottom = cells.y + place.cell_h * static_cast<float>(grid.rows.size()) + px(11);
  float free_from = cells.x - px(20);
  for (const view::Tick& tick : grid.below) {
    const float x = cells.x + place.cell_w * (static_cast<float>(tick.at) + 0.5F);
    const float half = text_width(Type::kAxis, tick.label) * 0.5F;
    if (x - half < free_from || x + half > cells.right() + px(24)) continue;
    text_centered(x, bottom, Type::kAxis, Token::kDim, tick.label);
    free_from = x + half + px(10);
  }
}

/// Handles tooltips, selection, and moving with wheel and mouse.
void use_mouse(const view::SamplerGridView& grid, const GridPlace& place, SamplerMemory& memory,
               Queue& commands) {
  const Hit hit = hit_area("Owners", place.cells);
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const auto column = static_cast<std::int64_t>((mouse.x - place.cells.x) / place.cell_w);
  const auto row = static_cast<std::int64_t>((mouse.y - place.cells.y) / place.cell_h);
  const bool dragged = memory.dragged_from >= 0;
  if (!hit.held) memory.dragged_from = -1;
  if (hit.held && ImGui::IsMouseDragging(ImGuiMouseButton_Left, px(3))) {
    if (memory.dragged_from < 0) memory.dragged_from = grid.first_sample;
    const float moved = ImGui::GetMouseDragDelta(ImGuiMouseButton_Left, px(3)).x / place.cell_w;
    commands.emplace_back(view::ScrollSamples{std::max<std::int64_t>(
        0, memory.dragged_from - static_cast<std::int64_t>(moved) * grid.per_cell)});
    return;
  }
  if (!hit.hovered || row < 0 || column < 0) return;
  const bool more_rows = grid.all_rows > static_cast<std::int64_t>(grid.rows.size());
  if (more_rows) ImGui::SetItemKeyOwner(ImGuiKey_MouseWheelY);  // the page does not scroll as well
  const std::string hint =
      view::cell_hint(grid, static_cast<std::size_t>(row), static_cast<std::size_t>(column));
  if (!hint.empty()) tooltip(hint);
  const bool known = row < static_cast<std::int64_t>(grid.rows.size());
  if (hit.clicked && !dragged && known && grid.rows[static_cast<std::size_t>(row)].pass >= 0)
    commands.emplace_back(view::PickEpoch{grid.rows[static_cast<std::size_t>(row)].pass});
  const float wheel = ImGui::GetIO().MouseWheel;
  if (wheel != 0 && more_rows)
    commands.emplace_back(view::ScrollEpochs{memory.row_at(wheel > 0 ? -3 : 3)});
  const float sideways = ImGui::GetIO().MouseWheelH;
  if (sideways != 0)
    commands.emplace_back(view::ScrollSamples{memory.beside(sideways > 0 ? -1 : 1)});
}

}  // namespace

GridPlace grid_place(const Rect& panel, float scale, std::int64_t cells, std::int64_t rows) {
  const Scale s{scale};
  GridPlace place;
  place.cells = {panel.x + s(kLeft), panel.y + s(kTop), panel.w - s(kLeft + kRight),
                 panel.h - s(kTop + kBottom)};
  place.cells.w = std::max(place.cells.w, s(20));
  place.cells.h = std::max(place.cells.h, s(13));
  const auto each = [](float length, std::int64_t count) {
    return std::floor(length / static_cast<float>(std::max<std::int64_t>(1, count)));
  };
  const float all = each(place.cells.w, cells);
  place.cell_w =
      all < s(8) ? s(10) : std::min(all, s(120));  // 8 to 10 wide if that shows all cells
  place.cell_h = std::clamp(each(place.cells.h, rows), s(13), s(40));
  place.columns = std::max<std::int64_t>(
      1, static_cast<std::int64_t>(std::floor(place.cells.w / place.cell_w)));
  const auto shown = static_cast<float>(std::clamp<std::int64_t>(cells, 1, place.columns));
  place.overview = {place.cells.x, panel.y + s(40), shown * place.cell_w - 1, s(10)};
  place.rows = std::max<std::int64_t>(
      1, static_cast<std::int64_t>(std::floor(place.cells.h / place.cell_h)));
  return place;
}

void draw_owner_grid(const view::SamplerGridView& grid, const GridPlace& place, const Rect& area,
                     SamplerMemory& memory, Queue& commands) {
  const float controls = px(230);
  const PanelFrame panel("owners", area, view::label::kOwnership, grid.subtitle, controls);
  if (!grid.empty.empty()) {
    const Rect room = panel.body.inset(px(24), 0);
    const float line = px(20);
    if (sentence_width(grid.empty, kDimSentence) <= room.w) {
      sentence_centered(room.middle_x(), room.middle_y(), grid.empty, kDimSentence);
    } else {
      sentence_wrapped(room.x, room.middle_y() - line, room.right(), line, grid.empty,
                       kDimSentence);
    }
    return;
  }
  draw_controls(grid, panel.header, commands);
  draw_overview(grid, place.overview, commands);
  draw_labels(grid, place);
  const std::vector<ImU32> colors = cell_colors(grid);
  const Token found = token_of(grid.found);
  for (std::size_t i = 0; i < grid.rows.size(); ++i) {
    const auto& row = grid.rows[i];
    const float y = place.cells.y + place.cell_h * static_cast<float>(i);
    const Rect line{place.cells.x, y, place.cells.w, place.cell_h};
    if (row.pass >= 0) {
      draw_row(row, colors, found, line, place.cell_w, commands);
      continue;
    }
    const bool broke = i + 1 < grid.rows.size() && grid.rows[i + 1].repeated;
    draw_attempt(row.epoch, color_of(broke ? found : Token::kInfo), line);
  }
  use_mouse(grid, place, memory, commands);
}

}  // namespace ringside::ui
