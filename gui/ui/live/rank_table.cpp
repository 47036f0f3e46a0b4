// The table of ranks and, behind the other tab, the table of devices.
#include <algorithm>
#include <array>
#include <cmath>

#include "gui/ui/live/live_panels.h"
#include "gui/ui/table.h"
#include "gui/ui/tone.h"
#include "gui/ui/widgets.h"
#include "gui/view/tsv.h"

namespace ringside::ui {
namespace {

using Cell = view::RankColumn;

constexpr int id_of(Cell cell) { return static_cast<int>(cell); }

// What leaves first on a small window has the highest `drop`: power, temperature, link, gradient
// norm, p95, UUID; on a still smaller one what the grid and the other tabs show as well.
constexpr std::array<TableColumn, 17> kRankColumns{{
    {id_of(Cell::kRank), "Rank", 30, false, 0, 0},
    {id_of(Cell::kState), "State", 84, false, 0, 0},
    {id_of(Cell::kDevice), "Device", 38, true, 7, 0},
    {id_of(Cell::kUuid), "", 92, false, 8, 0},
    {id_of(Cell::kStep), "Step", 44, true, 0, 0},
    {id_of(Cell::kRate), "Samples/s", 58, true, 3, 0},
    {id_of(Cell::kP50), "Step p50 ms", 70, true, 4, 0},
    {id_of(Cell::kP95), "p95", 40, true, 9, 0},
    {id_of(Cell::kOwn), "Compute ms", 74, true, 1, 0},
    {id_of(Cell::kLast), "Last to arrive %", 96, true, 2, 0},
    {id_of(Cell::kLoss), "Loss", 44, true, 0, 0},
    {id_of(Cell::kNorm), "Grad norm", 58, true, 10, 0},
    {id_of(Cell::kUtilisation), "Util %", 112, true, 6, 40},
    {id_of(Cell::kMemory), "Memory GiB", 130, true, 5, 70},
    {id_of(Cell::kHeat), "Temp °C", 48, true, 12, 0},
    {id_of(Cell::kPower), "Power W", 50, true, 13, 0},
    {id_of(Cell::kLink), "Link to next", 84, false, 11, 0},
}};

void text_cell(const PlacedColumn& column, float middle, const std::string& text, bool strong,
               ImU32 color) {
  const Type type = strong ? Type::kNumberBold : Type::kNumber;
  if (column.right) {
    text_right(column.right_edge, middle, type, color, text);
  } else {
    text_fitted(column.x, middle, column.right_edge - column.x, type, color, text);
  }
}

void bar_cell(const PlacedColumn& column, float middle, double share, const std::string& text,
              const std::string& unit, float text_room) {
  float right = column.right_edge;
  if (!unit.empty()) right = text_right(right, middle, Type::kAxis, color_of(Token::kDim), unit);
  text_right(right, middle, Type::kNumber, color_of(Token::kHigh), text);
  const float bar_width = column.right_edge - text_room - column.x;
  if (!column.small && share >= 0 && bar_width > px(16)) {
    small_bar({column.x, std::floor(middle - px(3)), bar_width, px(6)}, share,
              color_of(Token::kSmallBar));
  }
}

void draw_rank_cell(const PlacedColumn& column, const view::RankRow& row, float middle) {
  const bool all = row.rank < 0;
  const auto cell = static_cast<Cell>(column.id);
  switch (cell) {
    case Cell::kRank:
      if (all) text_at(column.x, middle, Type::kSmallBold, color_of(Token::kHigh), "All");
      if (!all) rank_chip(column.x, middle, row.rank);
      return;
    case Cell::kState:
      if (!all) state_word(column.x, middle, row.state);
      return;
    case Cell::kDevice:
      text_right(column.right_edge, middle, Type::kNumber, color_of(Token::kHigh), row.device);
      return;
    case Cell::kUuid:
      text_fitted(column.x, middle, column.right_edge - column.x, Type::kNumber,
                  color_of(Token::kDim), row.device_id);
      return;
    case Cell::kUtilisation:
      bar_cell(column, middle, row.utilisation, row.utilisation_text, {}, px(36));
      return;
    case Cell::kMemory:
      bar_cell(column, middle, row.memory, row.memory_text, row.memory_total, px(68));
      return;
    case Cell::kLink:
      text_fitted(column.x, middle, px(110), Type::kNumber, color_of(Token::kText), row.link);
      return;
    default:
      break;
  }
  const bool loud = row.late && (cell == Cell::kOwn || cell == Cell::kLast);
  text_cell(column, middle, view::cell_text(row, cell), all || loud,
            color_of(loud ? Token::kWarning : Token::kHigh));
}

void draw_rank_row(const std::vector<PlacedColumn>& columns, const view::RankRow& row,
                   const Rect& area) {
  if (row.late) fill(area, color_of(Token::kWarningTint, theme().light ? 0.8F : 0.6F));
  line_h(area.x, area.right(), area.bottom() - 1, color_of(Token::kGrid));
  for (const PlacedColumn& column : columns) draw_rank_cell(column, row, area.middle_y());
}

/// Columns that say nothing on this machine are not offered.
std::vector<TableColumn> offered_columns(const view::RankTableView& table) {
  std::vector<TableColumn> columns(kRankColumns.begin(), kRankColumns.end());
  const bool one = !table.has_all;
  const bool links = std::any_of(table.rows.begin(), table.rows.end(),
                                 [](const auto& row) { return row.link.size() > 4; });
  std::erase_if(columns, [&](const TableColumn& column) {
    if (column.id == id_of(Cell::kLink)) return !links;
    if (column.id == id_of(Cell::kLast)) return one;
    return !table.gpus && (column.id == id_of(Cell::kUuid) || column.id == id_of(Cell::kHeat) ||
                           column.id == id_of(Cell::kPower));
  });
  return columns;
}

/// A head that is pressed again turns the order round.
void choose_order(int pressed, view::RankSort& sort) {
  if (pressed < 0) return;
  const auto column = static_cast<Cell>(pressed);
  const bool again = sort.chosen && sort.column == column;
  const bool names = column == Cell::kRank || column == Cell::kState || column == Cell::kDevice;
  sort = {true, column, again ? !sort.descending : !names};
}

/// Which of them are shown is chosen from a list; the rank itself always is.
void choose_columns(const view::RankTableView& table, const ColumnSet& hidden, const Rect& where,
                    view::CommandQueue& commands) {
  if (button("Columns", where, {ButtonKind::kPlain})) ImGui::OpenPopup("columns");
  ImGui::SetNextWindowPos(ImVec2(where.x, where.bottom()), ImGuiCond_Appearing);
  const float most = std::max(px(60), ImGui::GetIO().DisplaySize.y - px(16));
  ImGui::SetNextWindowSizeConstraints(ImVec2(px(150), 0), ImVec2(px(150), most));
  if (!ImGui::BeginPopup("columns")) return;
  for (const TableColumn& column : offered_columns(table)) {
    if (column.id == id_of(Cell::kRank)) continue;
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const char* word = *column.head == '\0' ? "UUID" : column.head;
    const auto index = static_cast<std::size_t>(column.id);
    bool on = !hidden.at(index);
    if (tick_box(word, at.x, at.y + px(11), on, word))
      commands.emplace_back(view::ToggleColumn{index});
    ImGui::SetCursorScreenPos(ImVec2(at.x, at.y + px(22)));
    ImGui::Dummy(ImVec2(1, 1));
  }
  ImGui::EndPopup();
}

void draw_rank_rows(const view::RankTableView& table, const ColumnSet& hidden, Rect body,
                    view::RankSort& sort) {
  if (!table.empty.empty() && table.rows.empty()) {
    sentence_centered(body.middle_x(), body.middle_y(), table.empty, kDimSentence);
    return;
  }
  auto offered = offered_columns(table);
  std::erase_if(offered, [&hidden](const TableColumn& column) {
    return hidden.at(static_cast<std::size_t>(column.id));
  });
  const auto columns = fit_columns(offered, body.x + px(12), body.w - px(34), theme().scale);
  const Rect heads = body.take_top(px(24));
  const int on = sort.chosen ? id_of(sort.column) : -1;
  choose_order(draw_sort_heads(columns, heads, on, sort.descending, [](int) { return true; }),
               sort);
  Rect all{};
  const float row_height = px(table.dense ? 20 : 23);
  if (table.has_all) all = body.take_bottom(px(24));
  {
    const ScrollArea scroll("rank rows", body);
    float y = scroll.content.y;
    for (const view::RankRow& row : table.rows) {
      const Rect line{body.x, y, body.w, row_height};
      if (line.bottom() > body.y && line.y < body.bottom()) draw_rank_row(columns, row, line);
      y += row_height;
    }
    scroll.reach(y);
  }
  if (!table.has_all) return;
  line_h(all.x, all.right(), all.y, color_of(Token::kLine));
  for (const PlacedColumn& column : columns) draw_rank_cell(column, table.all, all.middle_y());
}

enum DeviceCell { kName, kId, kUsedBy, kLoad, kVram, kDegrees, kWatts, kClock, kThrottle };
constexpr std::array<TableColumn, 9> kDeviceColumns{{
    {kName, "Device", 150, false, 0, 90},
    {kId, "UUID", 110, false, 3, 0},
    {kUsedBy, "Rank", 30, false, 0, 0},
    {kLoad, "Util %", 130, true, 0, 40},
    {kVram, "Memory GiB", 140, true, 0, 74},
    {kDegrees, "Temp °C", 52, true, 2, 0},
    {kWatts, "Power W", 52, true, 2, 0},
    {kClock, "Clock MHz", 62, true, 1, 0},
    {kThrottle, "Slowed by", 150, false, 1, 0},
}};

void draw_device_row(const std::vector<PlacedColumn>& columns, const view::DeviceRow& row,
                     float middle) {
  for (const PlacedColumn& column : columns) {
    const float room = column.right_edge - column.x;
    switch (column.id) {
      case kName:
        text_fitted(column.x, middle, room, Type::kSmall, color_of(Token::kHigh), row.device);
        break;
      case kId:
        text_fitted(column.x, middle, room, Type::kNumber, color_of(Token::kDim), row.uuid);
        break;
      case kUsedBy:
        if (row.rank >= 0) rank_chip(column.x, middle, row.rank);
        break;
      case kLoad:
        bar_cell(column, middle, row.utilisation, row.utilisation_text, {}, px(36));
        break;
      case kVram:
        bar_cell(column, middle, row.memory, row.memory_text, row.memory_total, px(70));
        break;
      case kDegrees:
        text_cell(column, middle, row.temperature, false, color_of(Token::kHigh));
        break;
      case kWatts:
        text_cell(column, middle, row.power, false, color_of(Token::kHigh));
        break;
      case kClock:
        text_cell(column, middle, row.clock, false, color_of(Token::kHigh));
        break;
      default:
        text_fitted(column.x, middle, room, Type::kSmall, color_of(Token::kWarning), row.throttle);
        break;
    }
  }
}

void draw_device_rows(const view::DeviceTableView& table, Rect body) {
  const Rect foot = body.take_bottom(px(26));
  if (!table.host.empty()) {
    line_h(foot.x, foot.right(), foot.y, color_of(Token::kLine));
    sentence_at(foot.x + px(12), foot.middle_y(), foot.right(), table.host, kSmallSentence);
  }
  if (table.rows.empty()) {
    sentence_centered(body.middle_x(), body.middle_y(), table.empty, kDimSentence);
    return;
  }
  const auto columns = fit_columns(kDeviceColumns, body.x + px(12), body.w - px(34), theme().scale);
  draw_heads(columns, body.take_top(px(24)));
  const ScrollArea scroll("device rows", body);
  float y = scroll.content.y;
  for (const view::DeviceRow& row : table.rows) {
    draw_device_row(columns, row, y + px(11.5F));
    y += px(23);
  }
  scroll.reach(y);
}

constexpr std::array<const char*, 4> kTabs{"Ranks", "Grid", "Devices", "Resources"};
enum Tab { kRanksTab, kGridTab, kDevicesTab, kResourcesTab };

std::string table_text(const TableViews& views, int tab) {
  return tab == kDevicesTab ? view::device_table_tsv(views.devices)
                            : view::rank_table_tsv(views.ranks);
}

}  // namespace

int shown_table_tab(const LiveMemory& memory, std::size_t ranks) {
  if (memory.table_tab >= 0) return memory.table_tab;
  return ranks >= view::kGridFrom ? kGridTab : kRanksTab;
}

void draw_tables(const TableViews& views, const ColumnSet& hidden, const Rect& area,
                 LiveMemory& memory, view::CommandQueue& commands) {
  const int tab = shown_table_tab(memory, views.ranks.rows.size());
  const bool closed = area.h <= px(30);
  // Without room for the switch its words are a list, and the one that is on is the title.
  const bool listed = area.w < segmented_width(kTabs) + px(180);
  const float tabs_width = listed ? px(110) : segmented_width(kTabs);
  const bool copies = tab == kRanksTab || tab == kDevicesTab;
  const float choose = tab == kRanksTab ? text_width(Type::kSmall, "Columns") + px(16) : 0;
  const float controls = tabs_width + px(34) + (copies ? px(74) : 0) + choose;
  const PanelFrame panel("tables", area, listed ? "" : kTabs[static_cast<std::size_t>(tab)],
                         tab == kGridTab ? views.grid.title : views.ranks.subtitle,
                         tab == kGridTab ? px(560) : controls);
  const float middle = panel.header.middle_y();
  dock_button(view::Dock::kRanks, closed, {panel.header.right() - px(20), middle}, commands);
  const float x = panel.header.right() - px(28) - tabs_width;
  const int picked =
      listed ? drop_list("table", {x, std::floor(middle - px(10)), tabs_width, px(20)}, kTabs, tab)
             : segmented("table", x, middle, kTabs, tab);
  if (picked != tab) memory.table_tab = picked;
  if (closed) return;
  Rect header = panel.header;
  header.w = x - px(10) - header.x;
  if (copies) {
    const Rect copy{header.right() - px(64), std::floor(middle - px(10)), px(64), px(20)};
    if (button("Copy##table", copy, {ButtonKind::kNormal, Icon::kCopy}))
      commands.emplace_back(view::CopyText{table_text(views, tab)});
    tooltip("The table for a spreadsheet");
    const Rect list{copy.x - px(8) - choose, copy.y, choose, copy.h};
    if (choose > 0 && list.x >= header.x) choose_columns(views.ranks, hidden, list, commands);
  }
  if (tab == kRanksTab) draw_rank_rows(views.ranks, hidden, panel.body, memory.rank_sort);
  if (tab == kGridTab) draw_rank_grid(views.grid, header, panel.body, memory, commands);
  if (tab == kDevicesTab) draw_device_rows(views.devices, panel.body);
  if (tab == kResourcesTab) draw_resources(views.resources, panel.body);
}

}  // namespace ringside::ui
