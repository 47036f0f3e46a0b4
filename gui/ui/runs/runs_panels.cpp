#include "gui/ui/runs/runs_panels.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "gui/ui/chart/chart.h"
#include "gui/ui/table.h"
#include "gui/ui/tone.h"
#include "gui/ui/widgets.h"

namespace ringside::ui {
namespace {

void draw_tags(const std::vector<std::string>& tags, const Rect& where) {
  float x = where.x;
  for (const std::string& word : tags) {
    const std::string cut = fitted(Type::kLabel, word, where.right() - x - px(12));
    const bool squeezed = cut != word && x > where.x;
    if (squeezed || x + tag_width(cut) > where.right() + 1) {
      note_cut({x, where.y, where.right() - x, where.h}, word);
      return;
    }
    const float end = tag(x, where.middle_y(), cut);
    if (cut != word) note_cut({x, where.middle_y() - px(8), end - x, px(16)}, word);
    x = end + px(6);
  }
}

/// Draws the name of a run with an injected fault, and a chip that says so.
void draw_injected_name(const std::string& name, const std::string& fault, const Rect& where) {
  const float width = tag_width(view::label::kInjected);
  const float end = text_fitted(where.x, where.middle_y(), where.w - width - px(6), Type::kSmall,
                                color_of(Token::kText), name);
  tag(end + px(6), where.middle_y(), view::label::kInjected);
  explain_word({end + px(6), where.middle_y() - px(8), width, px(16)}, view::label::kInjected,
               fault + ".");
}

/// Draws the star of a row, which a press sets or removes; faint until the mouse is over it.
void draw_star(const view::RunRow& row, const view::TableRow& cells, const Rect& where,
               view::CommandQueue& commands) {
  const Rect area{where.x + px(20), where.middle_y() - px(9), px(18), px(18)};
  const Hit hit = hit_area(("Star " + row.label).c_str(), area);
  tooltip(row.starred ? "Take the star off (Shift S)" : "Star it (Shift S); is:starred finds it");
  const Token color = row.starred ? Token::kHigh : hit.hovered ? Token::kText : Token::kLine2;
  draw_icon(row.starred ? Icon::kStar : Icon::kStarOutline,
            ImVec2(area.middle_x(), area.middle_y()), px(11), color_of(color));
  if (!hit.clicked) return;
  view::EditLabels edit{cells.key};
  edit.starred = !row.starred;
  commands.emplace_back(std::move(edit));
}

/// Draws the special cells of a row; returns false for cells that are drawn as in other tables.
bool draw_run_cell(const view::RunsView& runs, const view::TableColumn& column, std::size_t place,
                   const Rect& where, view::CommandQueue& commands) {
  const view::RunRow& row = runs.rows[place];
  if (!row.group.empty()) return true;
  const view::TableRow& cells = runs.table.rows[place];
  const auto& text = view::cell_of(runs.table, cells, column.key).text;
  if (column.key == "mark") {
    bool marked = row.marked;
    const std::string mark = "Mark " + row.label;
    ImGui::PushID(cells.key.c_str());
    if (tick_box(mark.c_str(), where.x, where.middle_y(), marked, {}))
      commands.emplace_back(view::MarkRun{cells.key, marked});
    draw_star(row, cells, where, commands);
    ImGui::PopID();
  } else if (column.key == "number") {
    text_at(where.x, where.middle_y(), Type::kNumberBold, Token::kHigh, text);
  } else if (column.key == "loss") {
    draw_spark_line({where.x, std::floor(where.middle_y() - px(9)), px(84), px(18)}, row.loss,
                    row.loss_broke,
                    row.series >= 0 ? run_color(row.series) : color_of(Token::kDim));
  } else if (column.key == "name" && !row.injected.empty()) {
    draw_injected_name(text, row.injected, where);
  } else if (column.key == "tags") {
    draw_tags(row.tags, where);
  } else if (column.key == "started") {
    text_right(where.right(), where.middle_y(), Type::kSmall, Token::kDim, text);
  } else {
    return false;
  }
  return true;
}

/// Makes the whole row a control.
void draw_behind_run(const view::RunsView& runs, std::size_t place, const Rect& area,
                     RunsMemory& memory, view::CommandQueue& commands) {
  const view::RunRow& row = runs.rows[place];
  if (!row.group.empty()) {
    fill(area, Token::kRaised);
    sentence_at(area.x + px(13), area.middle_y(), area.right() - px(8), row.group, kSmallSentence);
    return;
  }
  const view::TableRow& cells = runs.table.rows[place];
  const std::string id = "Run " + row.label;
  ImGui::PushID(cells.key.c_str());
  ImGui::SetNextItemAllowOverlap();
  const Hit hit = hit_area(id.c_str(), area);
  ImGui::PopID();
  const bool on = row.selected || row.marked;
  if (on || hit.hovered) fill(area, on ? Token::kSelected : Token::kHover);
  if (on)
    fill({area.x, area.y, px(2), area.h},
         row.series >= 0 ? run_color(row.series) : color_of(Token::kAccent));
  if (hit.hovered && ImGui::IsMouseClicked(ImGuiMouseButton_Right)) {
    commands.emplace_back(view::SelectRun{cells.key});
    ask_about_run(cells.key, memory.menu);
  } else if (hit.double_clicked) {
    commands.emplace_back(view::OpenRun{cells.key});
  } else if (hit.clicked) {
    commands.emplace_back(view::SelectRun{cells.key});
  }
}

/// Moves the selection with Up and Down. Returns the new row if it moved, so that the list scrolls
/// there, or -1.
int move_selection(const view::RunsView& runs, view::CommandQueue& commands) {
  const int by = row_step();
  if (by == 0 || runs.rows.empty()) return -1;
  const auto selected = std::find_if(runs.rows.begin(), runs.rows.end(),
                                     [](const auto& row) { return row.selected; });
  const auto at = static_cast<int>(selected - runs.rows.begin());
  const auto last = static_cast<int>(runs.rows.size()) - 1;
  const auto is_run = [&runs](int row) {
    return runs.rows[static_cast<std::size_t>(row)].group.empty();
  };
  int to = selected == runs.rows.end() ? 0 : std::clamp(at + by, 0, last);
  // Every group's header is followed by a run, and the first row may be a header.
  if (!is_run(to)) to = by < 0 && to > 0 ? to - 1 : to + 1;
  commands.emplace_back(view::SelectRun{runs.table.rows[static_cast<std::size_t>(to)].key});
  return to;
}

/// Draws the buttons for the selected run and the list, aligned right; without labels if there is
/// little space. Reduces `rest` by their width.
void strip_buttons(const view::RunsView& runs, const view::RunsChoice& choice, bool details,
                   RunsMemory& memory, Rect& rest, view::CommandQueue& commands) {
  const bool any = !choice.selected.empty();
  const std::vector<std::string> exported = view::exported_runs(choice);
  const bool icons = rest.w < px(560);
  const auto press = [&](const char* id, float width, const ButtonStyle& style, const char* hint) {
    const Rect where = rest.take_right(px(icons ? 30 : width), px(icons ? 4 : 8));
    const std::string bare = std::string("##") + id;
    const bool pressed = button(icons ? bare.c_str() : id, where, style);
    tooltip(hint);
    return pressed;
  };
  if (press(view::label::kExportSelected, 96,
            {ButtonKind::kNormal, Icon::kDownload, !exported.empty()},
            choice.marked.empty() ? "The selected run: CSV, TensorBoard or one HTML page (Ctrl E)"
                                  : "The marked runs: CSV, TensorBoard or one HTML page (Ctrl E)"))
    commands.emplace_back(view::AskExport{exported});
  if (press(view::label::kReplay, 84, {ButtonKind::kNormal, Icon::kPlay, any},
            "Replay the selected run (R)"))
    commands.emplace_back(view::Replay{choice.selected, view::kReplaySpeed});
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

/// Draws as many filter chips as fit; returns their right edge.
float filter_chips(const view::RunsView& runs, const view::RunsChoice& choice, const Rect& rest,
                   float keep, view::CommandQueue& commands) {
  float x = rest.x;
  for (const view::FilterChip& chip : runs.chips) {
    const float width = text_width(Type::kSmall, chip.word) + px(20);
    if (x + width + keep > rest.right()) break;
    const Rect area{x, rest.y, width, rest.h};
    const Hit hit = hit_area(chip.filter.c_str(), area);
    tooltip(chip.filter);
    fill(area, chip.on ? Token::kAccentTint : hit.hovered ? Token::kHover : Token::kRaised, 4);
    outline(area, chip.on ? Token::kAccent : Token::kLine2, 4);
    text_centered(area.middle_x(), area.middle_y(), Type::kSmall,
                  chip.on ? Token::kHigh : Token::kText, chip.word);
    if (hit.clicked) commands.emplace_back(view::SetRunFilter{view::toggled(choice.filter, chip)});
    x += width + px(8);
  }
  return x > rest.x ? x + px(8) : x;
}

}  // namespace

void draw_runs_strip(const view::RunsInput& input, const view::RunsView& runs, const Rect& area,
                     bool narrow, RunsMemory& memory, view::CommandQueue& commands) {
  const view::RunsChoice& choice = input.choice;
  fill(area, Token::kPanel, 4);
  outline(area, Token::kLine, 4);
  Rect rest = area.inset(px(4), px(4));
  const bool two_lines = area.h > px(40);
  if (two_lines) run_filter_field(input, rest.take_top(px(24), px(4)), memory.filter, commands);
  if (!two_lines) {
    const float width = std::min(px(330), rest.w * (narrow ? 0.26F : 0.3F));
    run_filter_field(input, rest.take_left(width, px(14)), memory.filter, commands);
  }
  strip_buttons(runs, choice, narrow, memory, rest, commands);
  const float count = sentence_width(runs.count, kSmallSentence);
  if (count > rest.w) return;
  const float x = filter_chips(runs, choice, rest, count + px(16), commands);
  sentence_at(x, rest.middle_y(), rest.right(), runs.count, kSmallSentence);
}

void draw_runs_table(const view::RunsInput& input, const view::RunsView& runs, const Rect& area,
                     RunsMemory& memory, view::CommandQueue& commands) {
  const view::RunsChoice& choice = input.choice;
  fill(area, Token::kPanel, 4);
  outline(area, Token::kLine, 4);
  Rect body = area;
  const Rect foot = body.take_bottom(px(28));
  line_h(foot.x, foot.right(), foot.y, Token::kLine);
  const view::Sentence keys{{"Up Down", view::Style::kStrong}, {" move   ", view::Style::kDim},
                            {"Space", view::Style::kStrong},   {" mark   ", view::Style::kDim},
                            {"Enter", view::Style::kStrong},   {" open   ", view::Style::kDim},
                            {"R", view::Style::kStrong},       {" replay   ", view::Style::kDim},
                            {"Ctrl E", view::Style::kStrong},  {" export", view::Style::kDim}};
  const float time = sentence_width(runs.device_time, kSmallSentence) + px(28);
  sentence_at(foot.x + px(14), foot.middle_y(), foot.right() - time, keys, kSmallSentence);
  if (time < foot.w * 0.5F)
    sentence_right(foot.right() - px(14), foot.middle_y(), runs.device_time, kSmallSentence);
  TableStyle style{.head_height = 28, .row_height = 31, .left = 13, .right = 23};
  style.sort = &choice.sort;
  style.columns = &choice.columns;
  style.scroll_to = move_selection(runs, commands);
  style.behind = [&](std::size_t place, const Rect& row) {
    draw_behind_run(runs, place, row, memory, commands);
  };
  style.cell = [&](const view::TableColumn& column, std::size_t place, const Rect& where) {
    return draw_run_cell(runs, column, place, where, commands);
  };
  const std::string pressed =
      draw_table("run rows", runs.table, {body.x + 1, body.y, body.w - 2, body.h}, style);
  run_columns_button(input, {area.right() - px(24), body.y + px(5), px(18), px(18)},
                     memory.column_search, commands);
  if (!pressed.empty())
    commands.emplace_back(
        view::SortRuns{view::pressed_sort(choice.sort, view::column_of(runs.table, pressed))});
}

}  // namespace ringside::ui
