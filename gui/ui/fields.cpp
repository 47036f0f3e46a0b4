// Widgets that hold a value: switches, tick boxes, radios, text fields.
#include "gui/ui/widgets.h"

#include <imgui_stdlib.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace ringside::ui {

float segmented_width(std::span<const char* const> words) {
  float width = px(4);
  for (const char* word : words) width += std::ceil(text_width(Type::kSmall, word)) + px(16);
  return width;
}

std::optional<int> pressed_segment(const char* id, float x, float middle_y,
                                   std::span<const char* const> words, int on, float height) {
  ImGui::PushID(id);
  const Rect frame{std::floor(x), std::floor(middle_y - px(height) * 0.5F), segmented_width(words),
                   px(height)};
  fill(frame, Token::kInput, 4);
  outline(frame, Token::kLine2, 4);
  float at = frame.x + px(2);
  std::optional<int> pressed;
  for (int i = 0; i < static_cast<int>(words.size()); ++i) {
    const char* word = words[static_cast<std::size_t>(i)];
    const Rect cell{at, frame.y + px(2), std::ceil(text_width(Type::kSmall, word)) + px(16),
                    frame.h - px(4)};
    const Hit hit = hit_area(word, cell);
    if (hit.clicked) pressed = i;
    if (i == on) fill(cell, Token::kLine2, 3);
    const Token color = i == on || hit.hovered ? Token::kHigh : Token::kDim;
    text_centered(cell.middle_x(), cell.middle_y(), i == on ? Type::kSmallBold : Type::kSmall,
                  color, word);
    at = cell.right();
  }
  ImGui::PopID();
  return pressed;
}

int segmented(const char* id, float x, float middle_y, std::span<const char* const> words, int on,
              float height) {
  return pressed_segment(id, x, middle_y, words, on, height).value_or(on);
}

bool tick_box(const char* id, float x, float middle_y, bool& on, std::string_view word,
              bool enabled) {
  const Rect box{std::floor(x), std::floor(middle_y - px(7)), px(14), px(14)};
  const float width = px(14) + (word.empty() ? 0 : px(8) + text_width(Type::kSmall, word));
  ImGui::BeginDisabled(!enabled);
  const Hit hit = hit_area(id, {box.x, box.y - px(3), width, px(20)});
  ImGui::EndDisabled();
  if (hit.clicked) on = !on;
  fill(box, color_of(on ? Token::kAccentFill : Token::kInput, enabled ? 1.0F : 0.5F), 3);
  if (!on) outline(box, hit.hovered ? Token::kDim : Token::kLine2, 3);
  if (on) draw_icon(Icon::kTick, ImVec2(box.middle_x(), box.middle_y()), px(10), Token::kOnAccent);
  text_at(box.right() + px(8), middle_y, Type::kSmall, enabled ? Token::kText : Token::kFaint,
          word);
  return hit.clicked;
}

bool radio(const char* id, float x, float middle_y, bool on, std::string_view word) {
  const float side = px(14);
  const Hit hit =
      hit_area(id, {x, middle_y - px(10), side + px(8) + text_width(Type::kSmall, word), px(20)});
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const ImVec2 center(std::floor(x) + side * 0.5F, std::floor(middle_y) + 0.5F);
  list.AddCircleFilled(center, side * 0.5F, color_of(Token::kInput));
  list.AddCircle(center, side * 0.5F,
                 color_of(on ? Token::kAccent : (hit.hovered ? Token::kDim : Token::kLine2)), 0,
                 px(1.3F));
  if (on) list.AddCircleFilled(center, side * 0.28F, color_of(Token::kAccent));
  text_at(x + side + px(8), middle_y, Type::kSmall, on ? Token::kHigh : Token::kText, word);
  return hit.clicked;
}

namespace {

bool input_field(const char* id, const Rect& area, std::string& text, Type type, const char* hint,
                 ImGuiInputTextFlags flags, ImGuiInputTextCallback edit = nullptr,
                 void* data = nullptr) {
  const FontScope font(type);
  const float padding = std::max(0.0F, std::floor((area.h - ImGui::GetFontSize()) * 0.5F));
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, ImVec2(px(8), padding));
  ImGui::PushStyleColor(ImGuiCol_Text, color_of(Token::kHigh));
  ImGui::SetCursorScreenPos(ImVec2(area.x, area.y));
  ImGui::SetNextItemWidth(area.w);
  const bool changed = hint != nullptr
                           ? ImGui::InputTextWithHint(id, hint, &text, flags, edit, data)
                           : ImGui::InputText(id, &text, flags, edit, data);
  const bool active = ImGui::IsItemActive();
  ImGui::PopStyleColor();
  ImGui::PopStyleVar();
  if (active) outline(area, Token::kAccent, 4);
  return changed;
}

struct PathEdit {
  const std::string* completed;
  const std::string* text;
  bool* replaced;
};

/// Puts a text into the field that is being edited: Dear ImGui otherwise keeps its own.
int edit_path(ImGuiInputTextCallbackData* data) {
  const auto& edit = *static_cast<PathEdit*>(data->UserData);
  const bool completes = data->EventFlag == ImGuiInputTextFlags_CallbackCompletion;
  const bool replaces = !completes && *edit.replaced;
  if (!completes && !replaces) return 0;
  if (replaces) *edit.replaced = false;
  const std::string text = completes ? *edit.completed : *edit.text;
  data->DeleteChars(0, data->BufTextLen);
  data->InsertChars(0, text.c_str());
  return 0;
}

}  // namespace

bool text_field(const char* id, const Rect& area, std::string& text, Type type,
                std::string_view suffix, const char* hint) {
  const bool changed = input_field(id, area, text, type, hint, 0);
  // The typed text has precedence.
  if (!suffix.empty() &&
      text_width(type, text) + text_width(Type::kLabel, suffix) + px(24) < area.w)
    text_right(area.right() - px(8), area.middle_y(), Type::kLabel, Token::kDim, suffix);
  return changed;
}

bool secret_field(const char* id, const Rect& area, std::string& text, Type type) {
  return input_field(id, area, text, type, nullptr, ImGuiInputTextFlags_Password);
}

void path_field(const char* id, const Rect& area, std::string& text, const std::string& completed,
                bool& replaced) {
  // The callback for the history keeps the arrows from moving the focus.
  constexpr ImGuiInputTextFlags kFlags = ImGuiInputTextFlags_CallbackCompletion |
                                         ImGuiInputTextFlags_CallbackHistory |
                                         ImGuiInputTextFlags_CallbackAlways;
  const std::string before = text;
  PathEdit edit{&completed, &before, &replaced};
  input_field(id, area, text, Type::kBody, nullptr, kFlags, edit_path, &edit);
}

int popup_list(const char* id, std::span<const std::string> words, std::string_view on) {
  if (!ImGui::BeginPopup(id)) return -1;
  int picked = -1;
  {
    const FontScope font(Type::kSmall);  // ends before the popup
    for (std::size_t i = 0; i < words.size(); ++i) {
      if (ImGui::Selectable(words[i].c_str(), words[i] == on)) picked = static_cast<int>(i);
    }
  }
  ImGui::EndPopup();
  return picked;
}

int list_beside(const char* id, const Rect& pressed, std::span<const std::string> words,
                std::string_view on) {
  const ImVec2 screen = ImGui::GetIO().DisplaySize;
  const float height = static_cast<float>(words.size()) * ImGui::GetTextLineHeightWithSpacing() +
                       2 * ImGui::GetStyle().WindowPadding.y;
  const bool above =
      pressed.bottom() + height > screen.y && pressed.y > screen.y - pressed.bottom();
  const bool leftward = pressed.middle_x() > screen.x * 0.5F;
  ImGui::SetNextWindowPos(ImVec2(leftward ? pressed.right() : pressed.x,
                                 above ? pressed.y - px(2) : pressed.bottom() + px(2)),
                          ImGuiCond_Always, ImVec2(leftward ? 1.0F : 0.0F, above ? 1.0F : 0.0F));
  return popup_list(id, words, on);
}

int drop_list(const char* id, const Rect& area, std::span<const char* const> words, int on) {
  ImGui::PushID(id);
  const bool known = on >= 0 && static_cast<std::size_t>(on) < words.size();
  const std::string now = known ? words[static_cast<std::size_t>(on)] : "";
  const Hit hit = hit_area((now + "###list").c_str(), area);
  fill(area, Token::kInput, 4);
  outline(area, hit.hovered ? Token::kDim : Token::kLine2, 4);
  text_fitted(area.x + px(8), area.middle_y(), area.w - px(28), Type::kSmall, Token::kHigh, now);
  draw_icon(Icon::kChevronDown, ImVec2(area.right() - px(12), area.middle_y()), px(10),
            Token::kDim);
  if (hit.clicked) ImGui::OpenPopup("words");
  const std::vector<std::string> list(words.begin(), words.end());
  const int picked = list_beside("words", area, list, now);
  ImGui::PopID();
  return picked >= 0 ? picked : on;
}

}  // namespace ringside::ui
