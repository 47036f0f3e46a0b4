// The table of ranks and, behind the other tab, the table of devices.
#include <algorithm>
#include <array>
#include <cmath>

#include "gui/ui/live_panels.h"
#include "gui/ui/table.h"
#include "gui/ui/tone.h"
#include "gui/ui/widgets.h"

namespace ringside::ui {
namespace {

enum RankCell {
  kRank,
  kState,
  kDevice,
  kUuid,
  kStep,
  kRate,
  kP50,
  kP95,
  kOwn,
  kLast,
  kLoss,
  kNorm,
  kUtilisation,
  kMemory,
  kHeat,
  kPower,
  kLink
};

// What leaves first on a small window has the highest `drop`: power, temperature, link, gradient
// norm, p95, UUID.
constexpr std::array<TableColumn, 17> kRankColumns{{
    {kRank, "Rank", 26, false, 0, 0},
    {kState, "State", 84, false, 0, 0},
    {kDevice, "Device", 34, true, 0, 0},
    {kUuid, "", 92, false, 1, 0},
    {kStep, "Step", 44, true, 0, 0},
    {kRate, "Samples/s", 58, true, 0, 0},
    {kP50, "Step p50 ms", 66, true, 0, 0},
    {kP95, "p95", 40, true, 2, 0},
    {kOwn, "Own work ms", 70, true, 0, 0},
    {kLast, "Arrived last %", 78, true, 0, 0},
    {kLoss, "Loss", 44, true, 0, 0},
    {kNorm, "Grad norm", 58, true, 3, 0},
    {kUtilisation, "Util %", 112, true, 0, 40},
    {kMemory, "Memory GiB", 130, true, 0, 70},
    {kHeat, "Temp °C", 48, true, 5, 0},
    {kPower, "Power W", 50, true, 6, 0},
    {kLink, "Link to next", 84, false, 4, 0},
}};

void text_cell(const PlacedColumn& column, float middle, const std::string& text, bool strong,
               ImU32 ink) {
  const Type type = strong ? Type::kNumberBold : Type::kNumber;
  if (column.right) {
    text_right(column.right_edge, middle, type, ink, text);
  } else {
    text_fitted(column.x, middle, column.right_edge - column.x, type, ink, text);
  }
}

void bar_cell(const PlacedColumn& column, float middle, double share, const std::string& text,
              const std::string& unit, float text_room) {
  float right = column.right_edge;
  if (!unit.empty()) right = text_right(right, middle, Type::kAxis, color(Token::kDim), unit);
  text_right(right, middle, Type::kNumber, color(Token::kHigh), text);
  const float bar_width = column.right_edge - text_room - column.x;
  if (!column.small && share >= 0 && bar_width > px(16)) {
    small_bar({column.x, std::floor(middle - px(3)), bar_width, px(6)}, share,
              color(Token::kSmallBar));
  }
}

const std::string* plain_cell(int id, const view::RankRow& row) {
  switch (id) {
    case kStep:
      return &row.step;
    case kRate:
      return &row.samples_per_s;
    case kP50:
      return &row.p50;
    case kP95:
      return &row.p95;
    case kOwn:
      return &row.own_work;
    case kLast:
      return &row.arrived_last;
    case kLoss:
      return &row.loss;
    case kNorm:
      return &row.grad_norm;
    case kHeat:
      return &row.temperature;
    case kPower:
      return &row.power;
    default:
      return nullptr;
  }
}

void draw_rank_cell(const PlacedColumn& column, const view::RankRow& row, float middle) {
  const bool all = row.rank < 0;
  switch (column.id) {
    case kRank:
      if (all) text_at(column.x, middle, Type::kSmallBold, color(Token::kHigh), "All");
      if (!all) rank_chip(column.x, middle, row.rank);
      return;
    case kState:
      if (!all) state_word(column.x, middle, row.state);
      return;
    case kDevice:
      text_right(column.right_edge, middle, Type::kNumber, color(Token::kHigh), row.device);
      return;
    case kUuid:
      text_fitted(column.x, middle, column.right_edge - column.x, Type::kNumber, color(Token::kDim),
                  row.device_id);
      return;
    case kUtilisation:
      bar_cell(column, middle, row.utilisation, row.utilisation_text, {}, px(36));
      return;
    case kMemory:
      bar_cell(column, middle, row.memory, row.memory_text, row.memory_total, px(68));
      return;
    case kLink:
      text_fitted(column.x, middle, px(110), Type::kNumber, color(Token::kText), row.link);
      return;
    default:
      break;
  }
  const std::string* text = plain_cell(column.id, row);
  const bool loud = row.late && (column.id == kOwn || column.id == kLast);
  if (text != nullptr)
    text_cell(column, middle, *text, all || loud, color(loud ? Token::kWarning : Token::kHigh));
}

void draw_rank_row(const std::vector<PlacedColumn>& columns, const view::RankRow& row,
                   const Rect& area) {
  if (row.late) fill(area, color(Token::kWarningTint, look().light ? 0.8F : 0.6F));
  line_h(area.x, area.right(), area.bottom() - 1, color(Token::kGrid));
  for (const PlacedColumn& column : columns) draw_rank_cell(column, row, area.middle_y());
}

/// Columns that say nothing on this machine are not offered.
std::vector<TableColumn> offered_columns(const view::RankTableView& table) {
  std::vector<TableColumn> columns(kRankColumns.begin(), kRankColumns.end());
  const bool one = !table.has_all;
  const bool links = std::any_of(table.rows.begin(), table.rows.end(),
                                 [](const auto& row) { return row.link.size() > 4; });
  std::erase_if(columns, [&](const TableColumn& column) {
    if (column.id == kLink) return !links;
    if (column.id == kLast) return one;
    return !table.gpus && (column.id == kUuid || column.id == kHeat || column.id == kPower);
  });
  return columns;
}

void draw_rank_rows(const view::RankTableView& table, Rect body) {
  if (!table.empty.empty() && table.rows.empty()) {
    sentence_centered(body.middle_x(), body.middle_y(), table.empty, kDimSentence);
    return;
  }
  const auto offered = offered_columns(table);
  const auto columns = fit_columns(offered, body.x + px(12), body.w - px(34), look().scale);
  const Rect heads = body.take_top(px(24));
  draw_heads(columns, heads);
  Rect all{};
  const float row_height = px(table.dense ? 20 : 23);
  if (table.has_all) all = body.take_bottom(px(24));
  const ScrollArea scroll("rank rows", body);
  float y = scroll.content.y;
  for (const view::RankRow& row : table.rows) {
    const Rect line{body.x, y, body.w, row_height};
    if (line.bottom() > body.y && line.y < body.bottom()) draw_rank_row(columns, row, line);
    y += row_height;
  }
  scroll.reach(y);
  if (!table.has_all) return;
  const ImVec2 clip_min(all.x, all.y);
  const ImVec2 clip_max(all.right(), all.bottom());
  ImGui::GetWindowDrawList()->PushClipRect(clip_min, clip_max, false);
  line_h(all.x, all.right(), all.y, color(Token::kLine));
  for (const PlacedColumn& column : columns) draw_rank_cell(column, table.all, all.middle_y());
  ImGui::GetWindowDrawList()->PopClipRect();
}

enum DeviceCell { kName, kId, kUsedBy, kLoad, kVram, kDegrees, kWatts, kClock, kThrottle };
constexpr std::array<TableColumn, 9> kDeviceColumns{{
    {kName, "Device", 150, false, 0, 0},
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
        text_fitted(column.x, middle, room, Type::kSmall, color(Token::kHigh), row.device);
        break;
      case kId:
        text_fitted(column.x, middle, room, Type::kNumber, color(Token::kDim), row.uuid);
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
        text_cell(column, middle, row.temperature, false, color(Token::kHigh));
        break;
      case kWatts:
        text_cell(column, middle, row.power, false, color(Token::kHigh));
        break;
      case kClock:
        text_cell(column, middle, row.clock, false, color(Token::kHigh));
        break;
      default:
        text_fitted(column.x, middle, room, Type::kSmall, color(Token::kWarning), row.throttle);
        break;
    }
  }
}

void draw_device_rows(const view::DeviceTableView& table, Rect body) {
  const Rect foot = body.take_bottom(px(26));
  if (!table.host.empty()) {
    line_h(foot.x, foot.right(), foot.y, color(Token::kLine));
    sentence_at(foot.x + px(12), foot.middle_y(), foot.right(), table.host, kSmallSentence);
  }
  if (table.rows.empty()) {
    sentence_centered(body.middle_x(), body.middle_y(), table.empty, kDimSentence);
    return;
  }
  const auto columns = fit_columns(kDeviceColumns, body.x + px(12), body.w - px(34), look().scale);
  draw_heads(columns, body.take_top(px(24)));
  const ScrollArea scroll("device rows", body);
  float y = scroll.content.y;
  for (const view::DeviceRow& row : table.rows) {
    draw_device_row(columns, row, y + px(11.5F));
    y += px(23);
  }
  scroll.reach(y);
}

constexpr std::array<const char*, 2> kTabs{"Ranks", "Devices"};

}  // namespace

void draw_tables(const view::RankTableView& ranks, const view::DeviceTableView& devices,
                 const Rect& area, LiveMemory& memory) {
  const bool first = memory.table_tab == 0;
  const PanelFrame panel("tables", area, first ? "Ranks" : "Devices",
                         first ? ranks.subtitle : std::string());
  const float x = panel.header.right() - segmented_width(kTabs);
  memory.table_tab = segmented("table", x, panel.header.middle_y(), kTabs, memory.table_tab);
  if (first) {
    draw_rank_rows(ranks, panel.body);
  } else {
    draw_device_rows(devices, panel.body);
  }
}

}  // namespace ringside::ui
