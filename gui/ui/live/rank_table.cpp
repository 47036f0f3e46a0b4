// Draws the table of ranks and, in other tabs, the grid, the devices and their use.
#include <array>
#include <cmath>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gui/ui/live/live_panels.h"
#include "gui/ui/table.h"
#include "gui/ui/tone.h"
#include "gui/ui/widgets.h"
#include "gui/view/window/palette.h"

namespace ringside::ui {
namespace {

constexpr float kStackWidth = 20;

/// Draws the button that shows the call stack of the row's rank, right of its cells.
void draw_stack_button(const view::Table& ranks, const view::TableRow& row, const Rect& line,
                       view::CommandQueue& commands) {
  const view::Cell& cell = view::cell_of(ranks, row, "stack");
  const Rect area{line.right() - px(kStackWidth + 20), std::floor(line.middle_y() - px(9)),
                  px(kStackWidth), px(18)};
  const std::string id = cell.text + "##" + row.key;
  const Hit hit = hit_area(id.c_str(), area);
  tooltip("Show the current call stack of this rank (K). Asks before it attaches a debugger");
  if (hit.hovered) fill(area, color_of(Token::kHover), 4);
  draw_icon(Icon::kList, ImVec2(area.middle_x(), area.middle_y()), px(11),
            color_of(hit.hovered ? Token::kHigh : Token::kDim));
  if (hit.clicked) commands.emplace_back(view::AskStack{row.cells.front().rank});
}

/// The whole row is a control: K shows the call stack; the right button or the menu key opens the
/// menu of the rank.
void draw_rank_row(const view::TableRow& row, bool stack, const Rect& line,
                   view::CommandQueue& commands) {
  ImGui::SetNextItemAllowOverlap();
  const std::string id = "Rank row " + row.key;
  const Hit hit = hit_area(id.c_str(), line);
  const bool focused = ImGui::IsItemFocused();
  if (hit.hovered || focused) fill(line, color_of(Token::kHover));
  const std::string menu = "Menu of " + row.key;
  const bool asked = (hit.hovered && ImGui::IsMouseClicked(ImGuiMouseButton_Right)) ||
                     (focused && ImGui::IsKeyPressed(ImGuiKey_Menu, false));
  if (asked) ImGui::OpenPopup(menu.c_str());
  const Rank rank = row.cells.front().rank;
  const bool key =
      focused && ImGui::GetIO().KeyMods == ImGuiMod_None && ImGui::IsKeyPressed(ImGuiKey_K, false);
  if (stack && key) commands.emplace_back(view::AskStack{rank});
  if (!ImGui::IsPopupOpen(menu.c_str())) return;
  const auto entries = view::rank_entries(rank, stack);
  std::vector<std::string> words;
  for (const view::PaletteEntry& entry : entries) words.push_back(entry.title);
  const int picked = popup_list(menu.c_str(), words);
  if (picked >= 0) commands.push_back(entries[static_cast<std::size_t>(picked)].command);
}

void draw_rank_rows(const view::RankTableView& ranks, const view::ColumnChoice& columns,
                    const Rect& body, view::TableSort& sort, view::CommandQueue& commands) {
  TableStyle style;
  const bool stacks = view::column_index(ranks.table, "stack") < ranks.table.columns.size();
  if (stacks) style.right += kStackWidth;
  style.behind = [&](std::size_t place, const Rect& line) {
    const view::TableRow& row = ranks.table.rows[place];
    const bool stack = stacks && !view::cell_of(ranks.table, row, "stack").text.empty();
    draw_rank_row(row, stack, line, commands);
    if (stack) draw_stack_button(ranks.table, row, line, commands);
  };
  style.row_height = ranks.dense ? 20 : 23;
  style.columns = &columns;
  style.sort = &sort;
  const std::string pressed = draw_table("rank rows", ranks.table, body, style);
  if (!pressed.empty()) sort = view::pressed_sort(sort, view::column_of(ranks.table, pressed));
}

void draw_devices(const view::DeviceTableView& devices, Rect body) {
  const Rect foot = body.take_bottom(px(26));
  if (!devices.host.empty()) {
    line_h(foot.x, foot.right(), foot.y, color_of(Token::kLine));
    sentence_at(foot.x + px(12), foot.middle_y(), foot.right(), devices.host, kSmallSentence);
  }
  draw_table("device rows", devices.table, body);
}

void draw_nodes(const view::Table& nodes, Rect body) {
  if (!nodes.notes.empty()) draw_foot(nodes.notes.front(), body);
  draw_table("node rows", nodes, body);
}

using Tab = view::TableTab;

using TabNames = std::array<const char*, static_cast<std::size_t>(Tab::kCount)>;

TabNames tab_names() {
  TabNames names{};
  for (std::size_t i = 0; i < names.size(); ++i) names[i] = view::name_of(static_cast<Tab>(i));
  return names;
}

/// The last tab, nodes, is shown if there are several nodes.
std::span<const char* const> tabs_of(const TabNames& names, const TableViews& views, Tab tab) {
  const bool nodes = views.nodes.rows.size() > 1 || tab == Tab::kNodes;
  return std::span(names).first(names.size() - (nodes ? 0 : 1));
}

/// Null if the tab has no table.
const view::Table* copied_table(const TableViews& views, Tab tab) {
  if (tab == Tab::kRanks) return &views.ranks.table;
  if (tab == Tab::kDevices) return &views.devices.table;
  if (tab == Tab::kGroups) return &views.groups.whole;
  return tab == Tab::kNodes ? &views.nodes : nullptr;
}

std::string_view subtitle_of(const TableViews& views, Tab tab) {
  if (tab == Tab::kGrid) return views.grid.title;
  if (tab == Tab::kMetrics) return views.metrics.view.count;
  return tab == Tab::kGroups ? views.groups.count : views.ranks.subtitle;
}

}  // namespace

void draw_foot(const std::string& text, Rect& body) {
  const Rect foot = body.take_bottom(px(24));
  line_h(foot.x, foot.right(), foot.y, color_of(Token::kLine));
  text_fitted(foot.x + px(12), foot.middle_y(), foot.w - px(24), Type::kSmall,
              color_of(Token::kDim), text);
}

Tab shown_table_tab(const LiveMemory& memory, std::size_t ranks) {
  return memory.table_tab.value_or(ranks >= view::kGridFrom ? Tab::kGrid : Tab::kRanks);
}

void draw_tables(const TableViews& views, const view::ColumnChoice& columns, const Rect& area,
                 LiveMemory& memory, view::CommandQueue& commands) {
  static const auto kNames = tab_names();
  const Tab tab = shown_table_tab(memory, views.ranks.table.rows.size());
  const auto tabs = tabs_of(kNames, views, tab);
  const bool closed = area.h <= px(30);
  // If the switch does not fit, its tabs are a list, with the active one as the title.
  const bool listed = area.w < segmented_width(tabs) + px(180);
  const float tabs_width = listed ? px(110) : segmented_width(tabs);
  const view::Table* copied = copied_table(views, tab);
  const bool copies = copied != nullptr;
  const float choose = tab == Tab::kRanks ? text_width(Type::kSmall, "Columns") + px(16) : 0;
  const float controls = tabs_width + px(34) + (copies ? px(74) : 0) + choose;
  const PanelFrame panel("tables", area, listed ? "" : view::name_of(tab), subtitle_of(views, tab),
                         tab == Tab::kGrid || tab == Tab::kMetrics ? px(560) : controls);
  const float middle = panel.header.middle_y();
  dock_button(view::Dock::kRanks, closed, {panel.header.right() - px(20), middle}, commands);
  const float x = panel.header.right() - px(28) - tabs_width;
  const int at = static_cast<int>(tab);
  const int picked =
      listed ? drop_list("table", {x, std::floor(middle - px(10)), tabs_width, px(20)}, tabs, at)
             : segmented("table", x, middle, tabs, at);
  if (picked != at) memory.table_tab = static_cast<Tab>(picked);
  if (closed) return;
  Rect header = panel.header;
  header.w = x - px(10) - header.x;
  if (copies) {
    const Rect copy{header.right() - px(64), std::floor(middle - px(10)), px(64), px(20)};
    if (button("Copy##table", copy, {ButtonKind::kNormal, Icon::kCopy}))
      commands.emplace_back(view::CopyText{view::table_tsv(*copied)});
    tooltip("The table for a spreadsheet");
    const Rect list{copy.x - px(8) - choose, copy.y, choose, copy.h};
    if (choose > 0 && list.x >= header.x) {
      const std::string changed = choose_columns(views.ranks.table, columns, list);
      if (!changed.empty()) commands.emplace_back(view::ToggleColumn{changed});
    }
  }
  if (tab == Tab::kRanks)
    draw_rank_rows(views.ranks, columns, panel.body, memory.rank_sort, commands);
  if (tab == Tab::kGrid) draw_rank_grid(views.grid, header, panel.body, memory, commands);
  if (tab == Tab::kDevices) draw_devices(views.devices, panel.body);
  if (tab == Tab::kGroups) draw_groups(views.groups, panel.body, memory.groups, commands);
  if (tab == Tab::kNodes) draw_nodes(views.nodes, panel.body);
  if (tab == Tab::kResources)
    draw_resources(views.resources, *views.metrics.live->model, panel.body,
                   memory.metrics.pointed_step);
  if (tab == Tab::kMetrics)
    draw_metrics(views.metrics, header, panel.body, memory.metrics, commands);
}

}  // namespace ringside::ui
