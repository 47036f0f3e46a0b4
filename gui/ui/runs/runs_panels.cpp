#include "gui/ui/runs/runs_panels.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

#include "gui/ui/chart/chart.h"
#include "gui/ui/table.h"
#include "gui/ui/tone.h"
#include "gui/ui/widgets.h"
#include "gui/view/tsv.h"

namespace ringside::ui {
namespace {

enum RunCell {
  kMark,
  kRun,
  kState,
  kWhat,
  kRanks,
  kGlobal,
  kLossLine,
  kAccuracy,
  kTime,
  kSpeedup,
  kTags,
  kStarted
};

constexpr std::array<TableColumn, 12> kRunColumns{{
    {kMark, "", 18, false, 0, 0},
    {kRun, "Run", 44, false, 0, 0},
    {kState, "State", 84, false, 0, 0},
    {kWhat, "What", 180, false, 0, 130},
    {kRanks, "GPUs", 36, true, 2, 0},
    {kGlobal, "Global", 44, true, 7, 0},
    {kLossLine, "Loss", 84, false, 4, 0},
    {kAccuracy, "Best val %", 60, true, 3, 0},
    {kTime, "Time", 50, true, 1, 0},
    {kSpeedup, "Speedup", 52, true, 5, 0},
    {kTags, "Tags", 86, false, 8, 0},
    {kStarted, "Started", 62, true, 6, 0},
}};

/// What a click on the head sorts by; nothing for the line and the tags.
int sort_of(int cell) {
  switch (cell) {
    case kRun:
      return static_cast<int>(view::RunColumn::kRun);
    case kState:
      return static_cast<int>(view::RunColumn::kState);
    case kWhat:
      return static_cast<int>(view::RunColumn::kWhat);
    case kRanks:
      return static_cast<int>(view::RunColumn::kRanks);
    case kGlobal:
      return static_cast<int>(view::RunColumn::kGlobal);
    case kAccuracy:
      return static_cast<int>(view::RunColumn::kAccuracy);
    case kTime:
      return static_cast<int>(view::RunColumn::kTime);
    case kSpeedup:
      return static_cast<int>(view::RunColumn::kSpeedup);
    case kStarted:
      return static_cast<int>(view::RunColumn::kStarted);
    default:
      return -1;
  }
}

int cell_of(view::RunColumn column) {
  for (const TableColumn& entry : kRunColumns) {
    if (sort_of(entry.id) == static_cast<int>(column)) return entry.id;
  }
  return -1;
}

void draw_number(const PlacedColumn& column, float middle, const std::string& text) {
  const bool dash = text == "–";
  text_right(column.right_edge, middle, Type::kNumber,
             color_of(dash ? Token::kFaint : Token::kHigh), text);
}

void draw_tags(const PlacedColumn& column, float middle, const std::vector<std::string>& tags) {
  float x = column.x;
  for (const std::string& word : tags) {
    const std::string cut = fitted(Type::kLabel, word, column.right_edge - x - px(12));
    if (x + tag_width(cut) > column.right_edge + 1) return;
    const float end = tag(x, middle, cut);
    if (cut != word) note_cut({x, middle - px(8), end - x, px(16)}, word);
    x = end + px(6);
  }
}

void draw_run_cell(const PlacedColumn& column, const view::RunRow& row, float middle) {
  const float room = column.right_edge - column.x;
  switch (column.id) {
    case kMark:
      break;
    case kRun:
      text_at(column.x, middle, Type::kNumberBold, color_of(Token::kHigh), row.number);
      break;
    case kState:
      state_word(column.x, middle, row.state);
      break;
    case kWhat:
      text_fitted(column.x, middle, room, Type::kSmall, color_of(Token::kText), row.title);
      break;
    case kRanks:
      draw_number(column, middle, row.ranks);
      break;
    case kGlobal:
      draw_number(column, middle, row.global);
      break;
    case kLossLine:
      draw_spark_line({column.x, std::floor(middle - px(9)), px(84), px(18)}, row.loss,
                      row.loss_broke,
                      row.series >= 0 ? run_color(row.series) : color_of(Token::kDim));
      break;
    case kAccuracy:
      draw_number(column, middle, row.accuracy);
      break;
    case kTime:
      draw_number(column, middle, row.time);
      break;
    case kSpeedup:
      draw_number(column, middle, row.speedup);
      break;
    case kTags:
      draw_tags(column, middle, row.tags);
      break;
    default:
      text_right(column.right_edge, middle, Type::kSmall, color_of(Token::kDim), row.started);
      break;
  }
}

void draw_run_row(const std::vector<PlacedColumn>& columns, const view::RunRow& row,
                  const Rect& area, view::CommandQueue& commands) {
  ImGui::PushID(row.id.c_str());
  ImGui::SetNextItemAllowOverlap();
  const std::string id = "Run " + row.number;
  const Hit hit = hit_area(id.c_str(), area);
  if (row.selected || row.marked || hit.hovered)
    fill(area, color_of(row.selected || row.marked ? Token::kSelected : Token::kHover));
  if (row.selected || row.marked)
    fill({area.x, area.y, px(2), area.h},
         row.series >= 0 ? run_color(row.series) : color_of(Token::kAccent));
  line_h(area.x, area.right(), area.bottom() - 1, color_of(Token::kGrid));
  for (const PlacedColumn& column : columns) draw_run_cell(column, row, area.middle_y());
  bool marked = row.marked;
  const std::string mark = "Mark " + row.number;
  if (tick_box(mark.c_str(), columns.front().x, area.middle_y(), marked, {}))
    commands.emplace_back(view::MarkRun{row.id, marked});
  if (hit.double_clicked) {
    commands.emplace_back(view::OpenRun{row.id});
  } else if (hit.clicked) {
    commands.emplace_back(view::SelectRun{row.id});
  }
  ImGui::PopID();
}

/// Up and Down move the selection; true when it moved, so that the list scrolls to it.
bool move_selection(const view::RunsView& runs, view::CommandQueue& commands) {
  const ImGuiIO& io = ImGui::GetIO();
  if (io.WantTextInput || io.KeyMods != ImGuiMod_None ||
      ImGui::IsPopupOpen(nullptr, ImGuiPopupFlags_AnyPopup)) {
    return false;
  }
  const int by = (ImGui::IsKeyPressed(ImGuiKey_DownArrow) ? 1 : 0) -
                 (ImGui::IsKeyPressed(ImGuiKey_UpArrow) ? 1 : 0);
  if (by == 0) return false;
  const auto selected = std::find_if(runs.rows.begin(), runs.rows.end(),
                                     [](const auto& row) { return row.selected; });
  const std::ptrdiff_t at =
      selected == runs.rows.end() ? (by > 0 ? -1 : 0) : selected - runs.rows.begin();
  const auto last = static_cast<std::ptrdiff_t>(runs.rows.size()) - 1;
  commands.emplace_back(view::SelectRun{
      runs.rows[static_cast<std::size_t>(std::clamp<std::ptrdiff_t>(at + by, 0, last))].id});
  return true;
}

/// The filter; a path in it opens with Enter.
void filter_field(const view::RunsChoice& choice, const Rect& field, view::CommandQueue& commands) {
  std::string filter = choice.filter;
  if (text_field("##run filter", field, filter, Type::kSmall, {},
                 "Filter, such as model:convnet state:failed, or a path")) {
    commands.emplace_back(view::SetRunFilter{filter});
  }
  const bool entered = ImGui::IsItemDeactivated() && ImGui::IsKeyPressed(ImGuiKey_Enter, false);
  if (entered && filter.find('/') != std::string::npos)
    commands.emplace_back(view::OpenRun{filter});
}

/// What is done with the selected run and with the list, from the right; words leave where there is
/// no room for them. Takes its room off `rest`.
void strip_buttons(const view::RunsView& runs, const view::RunsChoice& choice, bool details,
                   RunsMemory& memory, Rect& rest, view::CommandQueue& commands) {
  const bool any = !choice.selected.empty();
  const bool icons = rest.w < px(560);
  const auto press = [&](const char* id, float width, const ButtonStyle& style, const char* hint) {
    const Rect where = rest.take_right(px(icons ? 30 : width), px(icons ? 4 : 8));
    const std::string bare = std::string("##") + id;
    const bool pressed = button(icons ? bare.c_str() : id, where, style);
    tooltip(hint);
    return pressed;
  };
  if (press(view::label::kExportSelected, 96, {ButtonKind::kNormal, Icon::kDownload, any},
            "CSV, TensorBoard or one HTML page (Ctrl E)"))
    commands.emplace_back(view::AskExport{choice.selected});
  if (press(view::label::kReplay, 84, {ButtonKind::kNormal, Icon::kPlay, any},
            "Replay the selected run (R)"))
    commands.emplace_back(view::Replay{choice.selected, kReplaySpeed});
  if (press(view::label::kOpenSelected, 76, {ButtonKind::kNormal, Icon::kPulse, any},
            "Open the selected run (Enter)"))
    commands.emplace_back(view::OpenRun{choice.selected});
  if (press(view::label::kCopyRuns, 66, {ButtonKind::kNormal, Icon::kCopy},
            "Copy the list for a spreadsheet"))
    commands.emplace_back(view::CopyText{view::runs_tsv(runs)});
  if (press("Import…", 84, {ButtonKind::kNormal, Icon::kFolder},
            "A run folder by its path, also from another machine (Ctrl O)"))
    commands.emplace_back(view::ShowOpenRun{true});
  if (details && press("Details", 84, {ButtonKind::kNormal, Icon::kList, any},
                       "Name, tags, note and facts of the selected run"))
    memory.details = !memory.details;
}

/// Chips as far as they fit; returns where they end.
float filter_chips(const view::RunsView& runs, const view::RunsChoice& choice, const Rect& rest,
                   float keep, view::CommandQueue& commands) {
  float x = rest.x;
  for (const view::FilterChip& chip : runs.chips) {
    const float width = text_width(Type::kSmall, chip.word) + px(20);
    if (x + width + keep > rest.right()) break;
    const Rect area{x, rest.y, width, rest.h};
    const Hit hit = hit_area(chip.filter.c_str(), area);
    tooltip(chip.filter);
    fill(area,
         color_of(chip.on       ? Token::kAccentTint
                  : hit.hovered ? Token::kHover
                                : Token::kRaised),
         4);
    outline(area, color_of(chip.on ? Token::kAccent : Token::kLine2), 4);
    text_centered(area.middle_x(), area.middle_y(), Type::kSmall,
                  color_of(chip.on ? Token::kHigh : Token::kText), chip.word);
    if (hit.clicked) commands.emplace_back(view::SetRunFilter{view::toggled(choice.filter, chip)});
    x += width + px(8);
  }
  return x > rest.x ? x + px(8) : x;
}

}  // namespace

void draw_runs_strip(const view::RunsView& runs, const view::RunsChoice& choice, const Rect& area,
                     bool narrow, RunsMemory& memory, view::CommandQueue& commands) {
  fill(area, color_of(Token::kPanel), 4);
  outline(area, color_of(Token::kLine), 4);
  Rect rest = area.inset(px(4), px(4));
  const bool two_lines = area.h > px(40);
  if (two_lines) filter_field(choice, rest.take_top(px(24), px(4)), commands);
  if (!two_lines) {
    const float width = std::min(px(330), rest.w * (narrow ? 0.26F : 0.3F));
    filter_field(choice, rest.take_left(width, px(14)), commands);
  }
  strip_buttons(runs, choice, narrow, memory, rest, commands);
  const float count = sentence_width(runs.count, kSmallSentence);
  if (count > rest.w) return;
  const float x = filter_chips(runs, choice, rest, count + px(16), commands);
  sentence_at(x, rest.middle_y(), rest.right(), runs.count, kSmallSentence);
}

void draw_runs_table(const view::RunsView& runs, const view::RunsChoice& choice, const Rect& area,
                     view::CommandQueue& commands) {
  fill(area, color_of(Token::kPanel), 4);
  outline(area, color_of(Token::kLine), 4);
  std::vector<TableColumn> columns(kRunColumns.begin(), kRunColumns.end());
  for (TableColumn& column : columns) {
    if (column.id == kRanks && !runs.device_header.empty())
      column.head = runs.device_header.c_str();
  }
  Rect body = area;
  const auto placed = fit_columns(columns, body.x + px(14), body.w - px(38), theme().scale);
  const int pressed =
      draw_sort_heads(placed, body.take_top(px(28)), cell_of(choice.sort), choice.descending,
                      [](int cell) { return sort_of(cell) >= 0; });
  if (pressed >= 0) commands.emplace_back(view::SortRuns{sort_of(pressed)});
  const Rect foot = body.take_bottom(px(28));
  line_h(foot.x, foot.right(), foot.y, color_of(Token::kLine));
  const view::Sentence keys{{"Up Down", view::Style::kStrong}, {" move   ", view::Style::kDim},
                            {"Space", view::Style::kStrong},   {" mark   ", view::Style::kDim},
                            {"Enter", view::Style::kStrong},   {" open   ", view::Style::kDim},
                            {"R", view::Style::kStrong},       {" replay   ", view::Style::kDim},
                            {"Ctrl E", view::Style::kStrong},  {" export", view::Style::kDim}};
  const float time = sentence_width(runs.device_time, kSmallSentence) + px(28);
  sentence_at(foot.x + px(14), foot.middle_y(), foot.right() - time, keys, kSmallSentence);
  if (time < foot.w * 0.5F)
    sentence_right(foot.right() - px(14), foot.middle_y(), runs.device_time, kSmallSentence);
  if (runs.rows.empty()) {
    sentence_centered(body.middle_x(), body.middle_y(), runs.empty, kDimSentence);
    return;
  }
  const bool moved = move_selection(runs, commands);
  const ScrollArea scroll("run rows", {body.x + 1, body.y, body.w - 2, body.h});
  float y = scroll.content.y;
  for (const view::RunRow& row : runs.rows) {
    if (moved && row.selected) ImGui::SetScrollFromPosY(y - ImGui::GetWindowPos().y, 0.5F);
    const Rect line{scroll.content.x, y, scroll.content.w, px(31)};
    if (line.bottom() > body.y - px(200) && line.y < body.bottom() + px(200))
      draw_run_row(placed, row, line, commands);
    y += px(31);
  }
  scroll.reach(y);
}

}  // namespace ringside::ui
