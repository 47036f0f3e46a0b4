#include "gui/ui/widgets.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "gui/ui/ground.h"

namespace ringside::ui {
namespace {

std::string_view label_of_id(std::string_view id) { return id.substr(0, id.find("##")); }

ImVec2 min_of(const Rect& area) { return {area.x, area.y}; }
ImVec2 max_of(const Rect& area) { return {area.right(), area.bottom()}; }

constexpr ImGuiWindowFlags kBare = ImGuiWindowFlags_NoBackground | ImGuiWindowFlags_NoScrollbar |
                                   ImGuiWindowFlags_NoScrollWithMouse |
                                   ImGuiWindowFlags_NoSavedSettings;

void begin_child(const char* id, const Rect& area, ImGuiWindowFlags flags) {
  ImGui::SetCursorScreenPos(min_of(area));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(0, 0));
  ImGui::BeginChild(id, ImVec2(std::max(area.w, 1.0F), std::max(area.h, 1.0F)),
                    ImGuiChildFlags_NavFlattened, flags);
  ImGui::PopStyleVar();
}

/// Skips the call in tests, whose display draws nothing and does not support it.
void ask_display(ImDrawCallback call) {
  if (call != nullptr) ImGui::GetWindowDrawList()->AddCallback(call, nullptr);
}

struct ButtonColors {
  ImU32 back;
  ImU32 border;
  ImU32 text;
};

ButtonColors button_colors(const ButtonStyle& style, const Hit& hit) {
  if (!style.enabled)
    return {color_of(Token::kPanel), color_of(Token::kLine), color_of(Token::kFaint)};
  const ImU32 raised = color_of(hit.hovered ? Token::kHover : Token::kRaised);
  switch (style.kind) {
    case ButtonKind::kPrimary:
      return {hit.hovered ? color_of(Token::kAccent) : color_of(Token::kAccentFill), 0,
              color_of(Token::kOnAccent)};
    case ButtonKind::kDanger:
      return {raised, color_of(Token::kLine2), color_of(Token::kError)};
    case ButtonKind::kLink:
      return {0, 0, color_of(hit.hovered ? Token::kHigh : Token::kAccent)};
    case ButtonKind::kPlain:
      return {0, 0, color_of(hit.hovered ? Token::kHigh : Token::kDim)};
    case ButtonKind::kNormal:
      break;
  }
  return {raised, color_of(Token::kLine2), color_of(Token::kHigh)};
}

}  // namespace

Hit hit_area(const char* id, const Rect& area) {
  ImGui::SetCursorScreenPos(min_of(area));
  Hit hit;
  hit.clicked = ImGui::InvisibleButton(id, ImVec2(std::max(area.w, 1.0F), std::max(area.h, 1.0F)),
                                       ImGuiButtonFlags_EnableNav);
  hit.hovered = ImGui::IsItemHovered();
  hit.held = ImGui::IsItemActive();
  hit.double_clicked = hit.hovered && ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left);
  return hit;
}

void fill(const Rect& area, Ink color, float radius) {
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float round = px(radius);
  if (!draw_ground(area.inset(0, round), color)) {
    list.AddRectFilled(min_of(area), max_of(area), color, round);
    return;
  }
  if (round <= 0) return;
  for (const float y : {area.y, area.bottom() - round}) {  // only the rounded ends
    list.PushClipRect(ImVec2(area.x, y), ImVec2(area.right(), y + round), true);
    list.AddRectFilled(min_of(area), max_of(area), color, round);
    list.PopClipRect();
  }
}

void outline(const Rect& area, Ink color, float radius) {
  ImGui::GetWindowDrawList()->AddRect(min_of(area), max_of(area), color, px(radius));
}

UnsmoothedTextures::UnsmoothedTextures() {
  ask_display(ImGui::GetPlatformIO().DrawCallback_SetSamplerNearest);
}

UnsmoothedTextures::~UnsmoothedTextures() {
  ask_display(ImGui::GetPlatformIO().DrawCallback_SetSamplerLinear);
}

void line_h(float x0, float x1, float y, Ink color) {
  ImGui::GetWindowDrawList()->AddRectFilled(ImVec2(x0, std::floor(y)),
                                            ImVec2(x1, std::floor(y) + 1), color);
}

void line_v(float x, float y0, float y1, Ink color) {
  ImGui::GetWindowDrawList()->AddRectFilled(ImVec2(std::floor(x), y0),
                                            ImVec2(std::floor(x) + 1, y1), color);
}

void dashed(ImVec2 from, ImVec2 to, Ink color, float on, float off, float weight) {
  const float length = std::hypot(to.x - from.x, to.y - from.y);
  if (!(length > 0) || !(on > 0)) return;
  const ImVec2 unit((to.x - from.x) / length, (to.y - from.y) / length);
  ImDrawList& list = *ImGui::GetWindowDrawList();
  for (float at = 0; at < length; at += on + off) {
    const float end = std::min(at + on, length);
    list.AddLine(ImVec2(from.x + unit.x * at, from.y + unit.y * at),
                 ImVec2(from.x + unit.x * end, from.y + unit.y * end), color, weight);
  }
}

PanelFrame::PanelFrame(const char* id, const Rect& area) : header(area), body(area) {
  begin_child(id, area, kBare);
  fill(area, Token::kPanel, 4);
  outline(area, Token::kLine, 4);
}

PanelFrame::PanelFrame(const char* id, const Rect& area, std::string_view title,
                       std::string_view subtitle, float controls)
    : PanelFrame(id, area) {
  header = body.take_top(px(28));
  line_h(area.x, area.right(), header.bottom(), Token::kLine);
  body.take_top(1);
  const float end = header.right() - px(20) - controls;
  float x = text_fitted(header.x + px(12), header.middle_y(), end - header.x - px(12), Type::kPanel,
                        Token::kHigh, title);
  const float room = end - x - px(10);
  if (!subtitle.empty() && room > px(40)) {
    x = text_fitted(x + px(10), header.middle_y(), room, Type::kSubtitle, Token::kDim, subtitle);
  }
  header.take_left(x - header.x, px(12));
  header.take_right(px(8));
}

PanelFrame::~PanelFrame() { ImGui::EndChild(); }

ScrollArea::ScrollArea(const char* id, const Rect& area) {
  begin_child(id, area, ImGuiWindowFlags_NoBackground | ImGuiWindowFlags_NoSavedSettings);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  content = {at.x, at.y, ImGui::GetContentRegionAvail().x, area.h};
}

ScrollArea::~ScrollArea() { ImGui::EndChild(); }

void ScrollArea::reach(float bottom) const {
  ImGui::SetCursorScreenPos(ImVec2(content.x, bottom - 1));
  ImGui::Dummy(ImVec2(1, 1));
}

HiddenScroll::HiddenScroll(const char* id, const Rect& area) {
  begin_child(id, area,
              ImGuiWindowFlags_NoBackground | ImGuiWindowFlags_NoSavedSettings |
                  ImGuiWindowFlags_NoScrollbar);
  top = ImGui::GetCursorScreenPos().y;
}

HiddenScroll::~HiddenScroll() { ImGui::EndChild(); }

void HiddenScroll::reach(float bottom) const {
  ImGui::SetCursorScreenPos(ImVec2(ImGui::GetWindowPos().x, bottom - 1));
  ImGui::Dummy(ImVec2(1, 1));
}

float rank_chip_width(Rank rank) { return rank < 10 ? px(24) : rank < 100 ? px(29) : px(36); }

float rank_chip(float x, float middle_y, Rank rank, bool faded) {
  const Rect area{std::floor(x), std::floor(middle_y - px(16) * 0.5F), rank_chip_width(rank),
                  px(16)};
  const ImU32 block = rank_chip_color(rank);
  if (faded) {
    outline(area, mixed_over_panel(block, 0.5F), 3);
    text_centered(area.middle_x(), area.middle_y(), Type::kNumber, Token::kFaint,
                  fmt::format("r{}", rank));
  } else {
    fill(area, block, 3);
    text_centered(area.middle_x(), area.middle_y(), Type::kNumber, Token::kChipText,
                  fmt::format("r{}", rank));
  }
  return area.right();
}

Hit rank_chip_button(const char* id, float x, float middle_y, Rank rank, bool faded) {
  const Hit hit = hit_area(id, {x, middle_y - px(10), rank_chip_width(rank), px(20)});
  rank_chip(x, middle_y, rank, faded);
  return hit;
}

float shape_word(float x, float middle_y, Icon shape, Ink color, std::string_view word, Type type) {
  draw_icon(shape, ImVec2(x + px(5), std::floor(middle_y) + 0.5F), px(10), color);
  return text_at(x + px(15), middle_y, type, color, word);
}

float pill(float x, float middle_y, Icon shape, Token color, Token tint, std::string_view word) {
  const float width = px(8) + px(15) + text_width(Type::kSmallBold, word) + px(9);
  const Rect area{std::floor(x), std::floor(middle_y - px(11)), std::ceil(width), px(22)};
  fill(area, tint, 4);
  outline(area, color_of(color, 0.45F), 4);
  shape_word(area.x + px(8), area.middle_y(), shape, color, word, Type::kSmallBold);
  return area.right();
}

float tag_width(std::string_view word) { return text_width(Type::kLabel, word) + px(12); }

float tag(float x, float middle_y, std::string_view word) {
  const Rect area{std::floor(x), std::floor(middle_y - px(8)), std::ceil(tag_width(word)), px(16)};
  fill(area, Token::kHover, 3);
  text_centered(area.middle_x(), area.middle_y(), Type::kLabel, Token::kText, word);
  return area.right();
}

void small_bar(const Rect& area, double share, Ink color) {
  fill(area, Token::kGrid, 2);
  const float filled = std::floor(area.w * static_cast<float>(std::clamp(share, 0.0, 1.0)));
  if (filled >= 1) fill({area.x, area.y, filled, area.h}, color, 2);
}

float button_width(std::string_view word, bool icon) {
  return std::ceil(text_width(Type::kSmall, word) + px(24) + (icon ? px(18) : 0));
}

bool button(const char* id, const Rect& area, const ButtonStyle& style) {
  ImGui::BeginDisabled(!style.enabled);
  const Hit hit = hit_area(id, area);
  ImGui::EndDisabled();
  const ButtonColors color = button_colors(style, hit);
  if (color.back != 0) fill(area, color.back, 4);
  if (color.border != 0) outline(area, color.border, 4);
  const Type type = style.kind == ButtonKind::kPrimary ? Type::kPanel : Type::kSmall;
  const std::string_view word = label_of_id(id);
  const float icon_room = style.icon == Icon::kNone ? 0 : px(18);
  const float x = area.middle_x() - (text_width(type, word) + icon_room) * 0.5F;
  if (style.icon != Icon::kNone)
    draw_icon(style.icon, ImVec2(x + px(6), area.middle_y()), px(11), color.text);
  text_at(x + icon_room, area.middle_y(), type, color.text, word);
  return hit.clicked && style.enabled;
}

bool copy_link(const char* id, float x, float middle_y) {
  const bool pressed =
      button(id, {x + px(10), std::floor(middle_y - px(11)), px(64), px(22)}, {ButtonKind::kLink});
  tooltip("Copy the table for a spreadsheet");
  return pressed;
}

}  // namespace ringside::ui
