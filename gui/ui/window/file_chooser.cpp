// The chooser of files and folders: its path, the buttons that lead elsewhere, the rows of a
// folder, and the answer.
#include "gui/view/window/file_chooser.h"

#include <imgui_internal.h>

#include <utility>

#include "gui/ui/help_mark.h"
#include "gui/ui/modal.h"
#include "gui/ui/table.h"
#include "gui/ui/tone.h"
#include "gui/ui/widgets.h"
#include "gui/ui/window/screen.h"

namespace ringside::ui {
namespace {

constexpr int kPageOfRows = 10;

/// Puts a path that was not typed into the field, which gets the focus again.
void put_path(std::string path, ChooserMemory& memory) {
  memory.choice.path = std::move(path);
  memory.replaced = memory.focus = true;
}

/// Draws a tick box at the right end of the row; false if it has no room.
bool draw_switch(const char* word, Rect& row, bool& on, ChooserMemory& memory) {
  const float width = px(22) + text_width(Type::kSmall, word);
  if (row.w < width) return false;
  const Rect where = row.take_right(width, px(14));
  if (tick_box(word, where.x, where.middle_y(), on, word)) memory.focus = true;
  return true;
}

/// Draws a button at the left end of the row, which is left out if it has no room.
bool draw_way(const char* word, float width, Rect& row, bool enabled) {
  if (row.w < px(width)) return false;
  return button(word, row.take_left(px(width), px(8)), {ButtonKind::kNormal, Icon::kNone, enabled});
}

/// Draws the buttons that lead to other folders, and the switches of what is listed.
void draw_ways(const view::ChooserInput& input, const view::ChooserView& view, Rect row,
               ChooserMemory& memory, view::CommandQueue& commands) {
  const std::string here = view::folder_to_list(input, memory.choice.path);
  if (draw_way(view::label::kFolderUp, 48, row, here != "/"))
    put_path(view::folder_above(here), memory);
  if (view.saves && draw_way(view::label::kNewFolder, 92, row, !view.made.empty())) {
    commands.emplace_back(view::ListFolder{view.made, true});
    put_path(view.made, memory);
  }
  if (view.saves) tooltip("Type the name of the new folder behind the path first");
  if (draw_way(view::label::kHomeFolder, 62, row, !input.home.empty()))
    put_path(input.home, memory);
  const Rect recent{row.x, row.y, px(72), row.h};
  if (draw_way(view::label::kRecentFolders, 72, row, !input.recent.empty()))
    ImGui::OpenPopup("recent folders");
  const std::vector<std::string> words(input.recent.begin(), input.recent.end());
  const int picked = list_beside("recent folders", recent, words);
  if (picked >= 0) put_path(words[static_cast<std::size_t>(picked)], memory);
  if (draw_switch(view::label::kAllFiles, row, memory.choice.all, memory))
    tooltip("Not only " + view.kinds);
  draw_switch(view::label::kHiddenFiles, row, memory.choice.hidden, memory);
}

/// Draws the rows. A click selects one, a second click on it goes into the folder or returns the
/// chosen file.
std::string draw_rows(const view::ChooserInput& input, const view::Table& table,
                      const view::ChooserView& view, const Rect& area, ChooserMemory& memory) {
  std::string chosen;
  TableStyle style;
  style.sort = &memory.choice.sort;
  style.scroll_to = view.selected != memory.selected ? view.selected : -1;
  style.behind = [&](std::size_t place, const Rect& line) {
    const view::TableRow& row = table.rows[place];
    const Hit hit = hit_area(row.key.c_str(), line);
    const bool on = static_cast<int>(place) == view.selected;
    if (on || hit.hovered) fill(line, on ? Token::kSelected : Token::kHover);
    if (hit.double_clicked && view::is_folder(row)) {
      put_path(view::row_path(input, row) + '/', memory);
    } else if (hit.double_clicked) {
      chosen = view::row_path(input, row);
    } else if (hit.clicked) {
      put_path(view::row_path(input, row), memory);
    }
  };
  style.cell = [&](const view::TableColumn& column, std::size_t place, const Rect& cell) {
    if (column.key != "name" || !view::is_folder(table.rows[place])) return false;
    draw_icon(Icon::kFolder, ImVec2(cell.x + px(6), cell.middle_y()), px(12), Token::kDim);
    text_fitted(cell.x + px(18), cell.middle_y(), cell.w - px(18), Type::kSmall, Token::kHigh,
                table.rows[place].cells[0].text);
    return true;
  };
  fill(area, Token::kInput, 4);
  outline(area, Token::kLine2, 4);
  const std::string head = draw_table("files", table, area.inset(px(1), px(1)), style);
  if (!head.empty()) {
    memory.choice.sort = view::pressed_sort(memory.choice.sort, view::column_of(table, head));
    memory.focus = true;
  }
  memory.selected = view.selected;
  return chosen;
}

/// Moves the selection with the arrows while the path has the focus.
void move_selection(const view::ChooserInput& input, const view::Table& table,
                    const view::ChooserView& view, ChooserMemory& memory) {
  const auto pressed = [](ImGuiKey key) { return ImGui::IsKeyPressed(key) ? 1 : 0; };
  const int by = pressed(ImGuiKey_DownArrow) - pressed(ImGuiKey_UpArrow) +
                 kPageOfRows * (pressed(ImGuiKey_PageDown) - pressed(ImGuiKey_PageUp));
  if (by != 0) put_path(view::moved_path(input, table, memory.choice, view.selected, by), memory);
}

/// Draws the path. Returns the answer if Enter gave one.
std::string draw_path(const view::ChooserInput& input, const view::Table& table,
                      const view::ChooserView& view, const Rect& area, ChooserMemory& memory) {
  const ImGuiID id = ImGui::GetID(view::label::kChosenPath);
  const bool edited = ImGui::GetActiveID() == id;
  if (edited) move_selection(input, table, view, memory);
  if (memory.focus) ImGui::SetKeyboardFocusHere();
  memory.focus = false;
  path_field(view::label::kChosenPath, area, memory.choice.path, view.completed, memory.replaced);
  const bool entered = edited && (ImGui::IsKeyPressed(ImGuiKey_Enter, false) ||
                                  ImGui::IsKeyPressed(ImGuiKey_KeypadEnter, false));
  if (!entered) return {};
  if (ImGui::GetIO().KeyCtrl) return view.answer;
  if (!view.goes_to.empty()) put_path(view.goes_to, memory);
  memory.focus = true;
  return view.goes_to.empty() ? view.entered : std::string();
}

/// Draws note and buttons; true if the path was chosen. `left`: the person cancelled.
bool draw_answer(const view::ChooserView& view, Rect row, bool& left) {
  // Escape closes the list of recent folders first.
  constexpr ImGuiFocusedFlags kThis =
      ImGuiFocusedFlags_ChildWindows | ImGuiFocusedFlags_NoPopupHierarchy;
  const bool chosen = button(view::label::kChoosePath, row.take_right(px(92), px(8)),
                             {ButtonKind::kPrimary, Icon::kNone, !view.answer.empty()});
  left = button(view::label::kCancelPath, row.take_right(px(84), px(14))) ||
         (ImGui::IsKeyPressed(ImGuiKey_Escape, false) && ImGui::IsWindowFocused(kThis));
  text_fitted(row.x, row.middle_y(), row.w, Type::kSmall, Token::kDim, view.note);
  return chosen;
}

void draw_chooser(const view::ChooserInput& input, ChooserMemory& memory,
                  view::CommandQueue& commands) {
  Rect body = window_inside(18);
  const bool low = body.h < px(220);  // then only path, rows and answer have room
  const view::Table& rows = memory.rows.get(view::chooser_key(input, memory.choice), [&] {
    return view::build_chooser_table(input, memory.choice);
  });
  view::ChooserView view = view::build_chooser(input, rows, memory.choice);
  if (!low) {
    Rect head = body.take_top(px(24), px(10));
    help_mark(head, view::HelpSubject::kChooser, commands);
    text_fitted(head.x, head.middle_y(), head.w, Type::kTitle, Token::kHigh, view.title);
  }
  std::string chosen = draw_path(input, rows, view, body.take_top(px(28), px(8)), memory);
  // Made whole at once, since the listed folder changes with what is typed.
  if (std::string whole = view::whole_path(input, memory.choice.path); whole != memory.choice.path)
    put_path(std::move(whole), memory);
  view = view::build_chooser(input, rows, memory.choice);
  if (!low) draw_ways(input, view, body.take_top(px(24), px(8)), memory, commands);
  const Rect answer = body.take_bottom(px(28), px(10));
  if (std::string row = draw_rows(input, rows, view, body, memory); !row.empty())
    chosen = std::move(row);
  bool left = false;
  if (draw_answer(view, answer, left)) chosen = view.answer;
  const std::string folder = view::folder_to_list(input, memory.choice.path);
  if (folder != input.folder) commands.emplace_back(view::ListFolder{folder});
  if (chosen.empty() && !left) return;
  commands.emplace_back(view::ChoosePath{chosen});
  ImGui::CloseCurrentPopup();
}

}  // namespace

void file_chooser(const view::ChooserInput& input, ChooserMemory& memory,
                  view::CommandQueue& commands) {
  if (input.open && memory.times != input.times) {
    memory.times = input.times;
    put_path(input.begin, memory);
  }
  if (!begin_modal("Choose a path", input.open, ImVec2(px(720), px(520)))) return;
  draw_chooser(input, memory, commands);
  ImGui::EndPopup();
}

}  // namespace ringside::ui
