#include "gui/ui/window/machines_page.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "gui/ui/cutter.h"
#include "gui/ui/table.h"
#include "gui/ui/tone.h"
#include "gui/ui/widgets.h"

namespace ringside::ui {
namespace {

constexpr float kBoardRow = 31;
constexpr float kBoardHead = 28;
constexpr float kBoardFoot = 28;
constexpr float kLeastMachineTable = 150;

const view::BoardRow& chosen(const view::BoardView& board) {
  return board.board.rows[board.selected];
}

/// Makes the whole row a control.
void draw_behind_machine(const view::BoardView& board, std::size_t place, const Rect& area,
                         view::CommandQueue& commands) {
  const view::TableRow& cells = board.board.table.rows[place];
  const view::BoardRow& row = board.board.rows[place];
  const std::string id = "Machine " + cells.cells.front().text;
  ImGui::SetNextItemAllowOverlap();
  const Hit hit = hit_area(id.c_str(), area);
  const bool on = place == board.selected;
  if (on || hit.hovered) fill(area, on ? Token::kSelected : Token::kHover);
  if (on) fill({area.x, area.y, px(2), area.h}, Token::kAccent);
  if (hit.double_clicked) {
    commands.emplace_back(view::launch_on(row.address, row.partition));
  } else if (hit.clicked) {
    commands.emplace_back(view::PickMachine{cells.key});
  }
}

/// Draws a box that is checked while the machine is watched, and the machine's name.
bool draw_machine_cell(const view::BoardView& board, const view::TableColumn& column,
                       std::size_t place, const Rect& where, view::CommandQueue& commands) {
  if (column.key != "machine") return false;
  const view::BoardRow& row = board.board.rows[place];
  const std::string& name = board.board.table.rows[place].cells.front().text;
  const bool can_tick = !row.address.empty() && row.partition.empty();
  if (can_tick) {
    bool watched = row.watched;
    const std::string id = "Watch " + name;
    if (tick_box(id.c_str(), where.x, where.middle_y(), watched, {}))
      commands.emplace_back(view::WatchMachine{row.address, watched});
    tooltip("Ask it now, and every 30 s while this page is open (Space)");
  }
  text_fitted(where.x + px(22), where.middle_y(), where.w - px(22), Type::kSmallBold,
              row.partition.empty() ? Token::kHigh : Token::kText, name);
  return true;
}

/// Returns the row that an arrow selected, so that the list scrolls there, or -1.
int move_to_machine(const view::BoardView& board, view::CommandQueue& commands) {
  const int by = row_step();
  const auto last = static_cast<int>(board.board.rows.size()) - 1;
  if (by == 0 || last < 0) return -1;
  const int to = std::clamp(static_cast<int>(board.selected) + by, 0, last);
  commands.emplace_back(
      view::PickMachine{board.board.table.rows[static_cast<std::size_t>(to)].key});
  return to;
}

}  // namespace

MachinesLayout machines_layout(const FrameLayout& frame, float scale, std::size_t rows,
                               std::size_t tables) {
  return laid_out<MachinesLayout>(
      frame, scale, [&](const FrameLayout& within, MachinesLayout& page) {
        const Scale s{scale};
        const auto count = static_cast<float>(std::max<std::size_t>(1, tables));
        const bool beside = within.main.w >= s(1000) && tables > 1;
        const float lower = beside ? count - 1 : count;
        page.content =
            room(within, s(380), s(32 + kGap + 180 + lower * (kLeastMachineTable + kGap)));
        Rect rest = page.content;
        page.strip = rest.take_top(s(32), s(kGap));
        // Columns that do not fit need a scroll bar below the rows.
        const float bar = within.main.w < s(1140) ? 12 : 0;
        const float wanted = s(bar + kBoardHead + kBoardFoot + 4 +
                               kBoardRow * static_cast<float>(std::max<std::size_t>(2, rows)));
        const float most = std::max(s(160), rest.h - s(lower * (kLeastMachineTable + kGap)));
        page.board = rest.take_top(std::floor(std::min(wanted, most)), s(kGap));
        Rect side{};
        if (beside) side = rest.take_right(std::floor((rest.w - s(kGap)) * 0.5F), s(kGap));
        const float height = std::floor((rest.h - s(kGap) * (lower - 1)) / lower);
        for (float i = 0; i < lower; ++i)
          page.tables.push_back(i + 1 < lower ? rest.take_top(height, s(kGap)) : rest);
        if (beside) page.tables.push_back(side);
      });
}

void draw_machines_strip(const view::BoardView& board, const Rect& area,
                         view::CommandQueue& commands) {
  fill(area, Token::kPanel, 4);
  outline(area, Token::kLine, 4);
  Rect rest = area.inset(px(4), px(4));
  const bool icons = rest.w < px(760);
  const auto press = [&](const char* id, float width, const ButtonStyle& style, const char* hint) {
    const Rect where = rest.take_right(px(icons ? 30 : width), px(icons ? 4 : 8));
    const std::string bare = std::string("##") + id;
    const bool pressed = button(icons ? bare.c_str() : id, where, style);
    tooltip(icons ? std::string(id) + ": " + hint : hint);
    return pressed;
  };
  const bool any = !board.board.rows.empty();
  if (press(view::label::kAskAll, 84, {ButtonKind::kNormal, Icon::kRepeat},
            "Every machine, now and every 30 s while this page is open"))
    commands.emplace_back(view::AskMachines{});
  if (press(view::label::kItsRuns, 84, {ButtonKind::kNormal, Icon::kList, any},
            "All pages show the chosen machine"))
    commands.emplace_back(view::SelectMachine{chosen(board).address});
  if (press(view::label::kLaunchHere, 106, {ButtonKind::kNormal, Icon::kPlayOutline, any},
            "The form of Launch, with the chosen machine as its place (Enter)"))
    commands.emplace_back(view::launch_on(chosen(board).address, chosen(board).partition));
  const float width = px(icons ? 30 : 112);
  const Rect words{rest.x + px(8), rest.y, rest.w - width - px(20), rest.h};
  float end = rest.x;
  if (words.w > px(60))
    end =
        sentence_at(words.x, words.middle_y(), words.right(), board.first, kSmallSentence) + px(12);
  rest = {end, rest.y, width, rest.h};
  if (press(view::label::kLaunchThere, 112,
            {ButtonKind::kPrimary, Icon::kPlay, board.room.has_value()},
            "The form of Launch, on the first machine that has room for it now"))
    commands.emplace_back(view::launch_on(board.room->address));
}

void draw_board(const view::BoardView& board, const Rect& area, view::CommandQueue& commands) {
  fill(area, Token::kPanel, 4);
  outline(area, Token::kLine, 4);
  Rect body = area;
  const Rect foot = body.take_bottom(px(kBoardFoot));
  line_h(foot.x, foot.right(), foot.y, Token::kLine);
  const view::Sentence keys{
      {"Up Down", view::Style::kStrong}, {" move   ", view::Style::kDim},
      {"Space", view::Style::kStrong},   {" ask   ", view::Style::kDim},
      {"Enter", view::Style::kStrong},   {" launch here   ", view::Style::kDim},
      {board.hint, view::Style::kDim}};
  sentence_at(foot.x + px(14), foot.middle_y(), foot.right() - px(14), keys, kSmallSentence);
  TableStyle style{.head_height = kBoardHead, .row_height = kBoardRow, .left = 13, .right = 23};
  style.scroll_to = move_to_machine(board, commands);
  style.behind = [&](std::size_t place, const Rect& row) {
    draw_behind_machine(board, place, row, commands);
  };
  style.cell = [&](const view::TableColumn& column, std::size_t place, const Rect& where) {
    return draw_machine_cell(board, column, place, where, commands);
  };
  draw_table("machine rows", board.board.table, {body.x + 1, body.y, body.w - 2, body.h}, style);
}

void draw_machine_tables(const view::BoardView& board, const MachinesLayout& layout) {
  if (board.tables.empty()) {
    const PanelFrame panel("machine", layout.tables.front(), board.title);
    const Rect words = panel.body.inset(px(14), px(12));
    sentence_wrapped(words.x, words.y, words.right(), px(17), board.told, kSmallSentence);
    return;
  }
  for (std::size_t i = 0; i < board.tables.size(); ++i) {
    const view::Table& table = board.tables[i];
    // Sentences about the whole machine are above its first table.
    const PanelFrame panel(table.key.c_str(), layout.tables[i], table.title,
                           i == 0 ? board.title : std::string());
    Rect body = panel.body;
    if (i == 0 && !board.told.empty()) {
      const Rect line = body.take_top(px(24));
      sentence_at(line.x + px(12), line.middle_y(), line.right() - px(12), board.told,
                  kSmallSentence);
    }
    draw_table(table.key.c_str(), table, body);
  }
}

}  // namespace ringside::ui
