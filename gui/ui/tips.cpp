#include "gui/ui/tips.h"

#include <imgui.h>
#include <imgui_internal.h>

#include <algorithm>
#include <string>
#include <utility>

#include "gui/ui/fonts.h"
#include "gui/ui/item_watch.h"

namespace ringside::ui {
namespace {

struct NotedText {
  std::string text;
  const view::Term* term = nullptr;
};

int tip_frame = -1;                              // last frame in which a tooltip was shown
NotedText under_mouse;                           // cut texts and terms in this frame
NotedText shown_tip;                             // in the previous frame
std::pair<int, const view::Term*> control_term;  // term of a control, and the frame of its tooltip
ImGuiID given_focus = 0;  // a control that got the focus when its window opened

void show(std::string_view text, bool has_section = false) {
  const FontScope font(Type::kSmall);
  if (!ImGui::BeginTooltip()) return;
  tip_frame = ImGui::GetFrameCount();
  const ImVec2 at = ImGui::GetCursorScreenPos();
  ImGui::PushTextWrapPos(std::min(px(460), ImGui::GetIO().DisplaySize.x - px(24)));
  ImGui::TextUnformatted(text.data(), text.data() + text.size());
  ImGui::PopTextWrapPos();
  const ImVec2 size = ImGui::GetItemRectSize();
  note_text(text, {at.x, at.y, size.x, size.y});
  if (has_section) {
    const FontScope small(Type::kLabel);
    ImGui::PushStyleColor(ImGuiCol_Text, color_of(Token::kDim));
    ImGui::TextUnformatted("F1: more in the manual");
    ImGui::PopStyleColor();
  }
  ImGui::EndTooltip();
}

/// Whether the last control has the focus only because its window opened with it: a person did not
/// go there, and a tooltip would cover the window's text.
bool has_given_focus() {
  const ImGuiContext& context = *ImGui::GetCurrentContext();
  if (context.NavJustMovedToId != 0)
    given_focus = context.NavJustMovedToIsInit ? context.NavJustMovedToId : 0;
  const bool by_keyboard = context.NavHighlightItemUnderNav && context.NavCursorVisible;
  return by_keyboard && given_focus != 0 && context.LastItemData.ID == given_focus;
}

bool is_under_mouse(const Rect& area) {
  return ImGui::IsWindowHovered() &&
         ImGui::IsMouseHoveringRect(ImVec2(area.x, area.y), ImVec2(area.right(), area.bottom()));
}

/// A missing term is recorded as a fault for tests while controls are watched.
void explain(const Rect& area, const view::Term* term, std::string_view more,
             std::string_view name) {
  if (term == nullptr && more.empty()) note_unexplained(name);
  if (!is_under_mouse(area) || (term == nullptr && more.empty())) return;
  under_mouse = {term == nullptr ? std::string() : std::string(term->text), term};
  if (!under_mouse.text.empty() && !more.empty()) under_mouse.text += ' ';
  under_mouse.text += more;
}

}  // namespace

void explain_column(const Rect& area, std::string_view table, std::string_view column,
                    std::string_view more) {
  if (!watches_items() && !is_under_mouse(area)) return;
  explain(area, view::column_term(table, column), more,
          std::string(table) + "." + std::string(column));
}

void explain_word(const Rect& area, std::string_view word, std::string_view more) {
  if (!watches_items() && !is_under_mouse(area)) return;
  explain(area, view::named_term(word), more, word);
}

const view::Term* explained() {
  const int age = ImGui::GetFrameCount() - control_term.first;
  const bool of_control = age == 0 || age == 1;
  return of_control ? control_term.second : shown_tip.term;
}

void tooltip(std::string_view text, std::string_view word) {
  if (has_given_focus() || text.empty()) return;
  if (!word.empty() && watches_items() && view::named_term(word) == nullptr) note_unexplained(word);
  if (!ImGui::IsItemHovered(ImGuiHoveredFlags_ForTooltip | ImGuiHoveredFlags_DelayShort)) return;
  const view::Term* const term = view::named_term(word);
  show(term == nullptr ? std::string(text) : std::string(text) + "\n" + std::string(term->text),
       term != nullptr);
  control_term = {ImGui::GetFrameCount(), term};
}

void note_cut(const Rect& area, std::string_view whole) {
  if (is_under_mouse(area)) under_mouse = {std::string(whole), nullptr};
}

void show_cut_text() {
  const NotedText noted = std::exchange(under_mouse, {});
  const ImGuiStyle& style = ImGui::GetStyle();
  const bool rests = ImGui::GetCurrentContext()->MouseStationaryTimer >=
                     style.HoverStationaryDelay + style.HoverDelayShort;
  const bool free = tip_frame != ImGui::GetFrameCount();
  const bool shows = free && !noted.text.empty() && (rests || noted.text == shown_tip.text);
  shown_tip = shows ? noted : NotedText();
  if (shows) show(noted.text, noted.term != nullptr);
}

}  // namespace ringside::ui
