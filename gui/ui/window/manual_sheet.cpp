// The manual over the page: its topics or search results on the left, and the open topic beside
// them.
#include <imgui_internal.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "gui/ui/modal.h"
#include "gui/ui/tone.h"
#include "gui/ui/widgets.h"
#include "gui/ui/window/manual_page.h"
#include "gui/ui/window/screen.h"
#include "gui/view/manual/manual_view.h"
#include "gui/view/window/sheet_labels.h"

namespace ringside::ui {
namespace {

constexpr float kListWidth = 264;
constexpr float kBeside = 640;  // minimum width that has room for the list beside the page

/// Actions of the keyboard in this frame.
struct ManualKeys {
  bool escape = false;
  bool enter = false;
  int step = 0;         ///< in the search results
  bool arrows = false;  ///< the arrow keys scroll the page
};

/// Draws the search field, which gets the focus when the sheet is opened, and by Ctrl F.
void search_field(const Rect& area, ManualMemory& memory, ManualKeys& keys) {
  const bool searching = !memory.typed.empty();
  const bool asked =
      ImGui::GetIO().KeyMods == ImGuiMod_Ctrl && ImGui::IsKeyPressed(ImGuiKey_F, false);
  if (!memory.focused || asked) ImGui::SetKeyboardFocusHere();
  memory.focused = true;
  const std::string before = memory.typed;
  text_field(view::label::kSearchManual, area, memory.typed, Type::kBody, {}, "Search (Ctrl F)");
  const bool typing = ImGui::IsItemActive() || ImGui::IsItemDeactivated();
  keys.escape = ImGui::IsKeyPressed(ImGuiKey_Escape, false);
  if (keys.escape && searching) {
    memory.typed.clear();
    memory.focused = false;
    keys.escape = false;
  }
  if (memory.typed != before) memory.selected = 0;
  // Otherwise these keys would also move the focus, and Enter would press the focused control.
  for (const ImGuiKey key : {ImGuiKey_DownArrow, ImGuiKey_UpArrow})
    ImGui::SetKeyOwner(key, ImGui::GetID("arrows of the manual"));
  keys.arrows = memory.typed.empty() || !typing;
  if (keys.arrows) return;
  keys.enter = ImGui::IsKeyPressed(ImGuiKey_Enter, false) ||
               ImGui::IsKeyPressed(ImGuiKey_KeypadEnter, false);
  keys.step = (ImGui::IsKeyPressed(ImGuiKey_DownArrow) ? 1 : 0) -
              (ImGui::IsKeyPressed(ImGuiKey_UpArrow) ? 1 : 0);
}

float entry_height(const view::ManualEntry& entry) {
  if (!entry.words.empty()) return px(entry.aside.empty() ? 44 : 60);
  return px(entry.level > 0 ? 22 : 26);
}

void draw_entry(const view::ManualEntry& entry, const Rect& row, bool on, bool lit) {
  if (on || lit) fill(row, on ? Token::kSelected : Token::kHover, 4);
  const float x = row.x + px(entry.level > 0 ? 22 : 10);
  const float room = row.right() - px(6) - x;
  const bool found = !entry.words.empty();
  const Type type = entry.level > 0 ? Type::kSmall : found ? Type::kSmallBold : Type::kBody;
  const Token tone = on || lit ? Token::kHigh : entry.level > 0 ? Token::kDim : Token::kText;
  float middle = found ? row.y + px(14) : row.middle_y();
  text_fitted(x, middle, room, type, tone, entry.title);
  if (!found) return;
  if (!entry.aside.empty())
    text_fitted(x, middle += px(16), room, Type::kLabel, Token::kText, entry.aside);
  text_fitted(x, middle + px(16), room, Type::kLabel, Token::kDim, entry.words);
}

/// Draws the list; returns the index of the clicked entry, or -1.
int draw_manual_list(const view::ManualView& view, const Rect& area, const ManualMemory& memory) {
  int pressed = -1;
  const ScrollArea scroll("manual list", area);
  float y = scroll.content.y;
  for (int i = 0; i < static_cast<int>(view.entries.size()); ++i) {
    const view::ManualEntry& entry = view.entries[static_cast<std::size_t>(i)];
    const Rect row{scroll.content.x, y, scroll.content.w - px(4), entry_height(entry)};
    const bool chosen = !memory.typed.empty() && i == memory.selected;
    if (chosen && memory.moved) ImGui::SetScrollFromPosY(y - ImGui::GetWindowPos().y, 0.5F);
    const std::string id = entry.title + "##" + entry.place.topic + "#" + entry.place.section;
    const Hit hit = hit_area(id.c_str(), row);
    draw_entry(entry, row, entry.on || chosen, hit.hovered);
    if (hit.clicked) pressed = i;
    y += row.h + px(1);
  }
  if (view.entries.empty() && !view.no_entries.empty()) {
    text_at(scroll.content.x + px(10), y + px(14), Type::kBody, Token::kDim, view.no_entries);
    y += px(28);
  }
  scroll.reach(y);
  return pressed;
}

/// Returns the place of the chosen entry; nothing if none was chosen.
std::optional<view::ManualPlace> choose_entry_of_manual(const view::ManualView& view,
                                                        const ManualKeys& keys, const Rect& area,
                                                        ManualMemory& memory) {
  const auto last = static_cast<int>(view.entries.size()) - 1;
  const int before = memory.selected;
  memory.selected = std::clamp(memory.selected + keys.step, 0, std::max(0, last));
  memory.moved = memory.selected != before;
  int taken = draw_manual_list(view, area, memory);
  if (taken >= 0) memory.selected = taken;
  if (keys.enter && last >= 0) taken = memory.selected;
  if (taken < 0) return std::nullopt;
  return view.entries[static_cast<std::size_t>(taken)].place;
}

void draw_manual_words(const view::ManualView& view, const Rect& area) {
  const ScrollArea scroll("manual words", area);
  SentenceStyle style;
  if (view.failed) style.color = Token::kWarning;
  const Rect& inside = scroll.content;
  scroll.reach(sentence_wrapped(inside.x, inside.y, inside.right() - px(12), px(20),
                                {{view.empty, view::Style::kWords}}, style));
}

/// Draws title, Back and Close. True if the sheet is to be closed.
bool manual_head(const view::ManualView& view, Rect row, bool narrow, ManualMemory& memory) {
  const bool close = button(view::label::kCloseManual, row.take_right(px(62), px(8)));
  if (narrow && button(view::label::kManualTopics, row.take_right(px(66), px(8)),
                       {memory.listed ? ButtonKind::kPrimary : ButtonKind::kNormal}))
    memory.listed = !memory.listed;
  const bool alt_left =
      ImGui::GetIO().KeyMods == ImGuiMod_Alt && ImGui::IsKeyPressed(ImGuiKey_LeftArrow, false);
  constexpr int kBackOfMouse = 3;
  bool back = alt_left || ImGui::IsMouseClicked(kBackOfMouse);
  if (!memory.before.empty()) {
    back = button(view::label::kManualBack, row.take_left(px(56), px(12))) || back;
    tooltip("Alt Left");
  }
  text_fitted(row.x, row.middle_y(), row.w, Type::kApp, Token::kHigh, view.title);
  if (back) memory.go_back();
  return close;
}

const view::ManualView& manual_view(const view::ManualInput& input, ManualMemory& memory) {
  const ManualMemory::Key key{input.manual, input.problem, memory.typed, memory.at};
  return memory.view.get(key,
                         [&] { return view::build_manual_view(input, memory.typed, memory.at); });
}

/// Opens a requested place; a closed sheet is reset.
void follow_wishes(const view::ScreenInput& input, ScreenMemory& memory) {
  ManualMemory& manual = memory.manual;
  if (!input.sheets.manual) {
    manual.typed.clear();
    manual.before.clear();
    manual.at = {};
    manual.focused = manual.listed = false;
    return;
  }
  // Fields of the sheets behind it get the focus again when those reappear.
  memory.palette.focused = memory.machines.focused = memory.open.focused = false;
  if (input.manual.times == manual.times) return;
  manual.times = input.manual.times;
  manual.go_to(input.manual.wanted);
}

/// Draws the sheet; true if it is to be closed.
bool manual_body(const view::ManualInput& input, Rect body, ManualMemory& memory,
                 view::CommandQueue& commands) {
  const bool narrow = body.w < px(kBeside);
  ManualKeys keys;
  const Rect head = narrow ? body.take_top(px(28), px(8)) : Rect{};
  Rect list = narrow ? body : body.take_left(px(kListWidth), px(18));
  const Rect field = list.take_top(px(28), px(8));
  search_field(field, memory, keys);
  const view::ManualView& view = manual_view(input, memory);
  const bool listed = !narrow || memory.listed || !memory.typed.empty();
  std::optional<view::ManualPlace> chosen;
  if (listed) chosen = choose_entry_of_manual(view, keys, list, memory);
  Rect page = narrow ? list : body;
  Rect row = head;
  if (!narrow) {
    line_v(page.x - px(10), page.y, page.bottom(), Token::kLine);
    row = page.take_top(px(28), px(10));
  }
  if (!narrow || !listed) {
    if (view.page != nullptr) {
      draw_manual_page(*view.page, page, keys.arrows, memory, commands);
    } else {
      draw_manual_words(view, page);
    }
  }
  const bool close = manual_head(view, row, narrow, memory) || keys.escape;
  if (chosen) {
    memory.go_to(std::move(*chosen));
    if (narrow) memory.typed.clear();  // the page replaces the list
  }
  return close;
}

}  // namespace

void manual_sheet(const view::ScreenInput& input, ScreenMemory& memory,
                  view::CommandQueue& commands) {
  follow_wishes(input, memory);
  if (!begin_modal("Manual", input.sheets.manual, ImVec2(px(1140), px(780)))) return;
  const float padding = ImGui::GetWindowSize().x < px(500) ? 10 : 18;
  end_modal(manual_body(input.manual, window_inside(padding), memory.manual, commands), commands,
            view::ShowManual{false, {}, {}});
}

}  // namespace ringside::ui
