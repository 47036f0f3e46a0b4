// Draws the filter of the list of runs: a text field with completions of the typed word below.
#include <imgui.h>
#include <imgui_stdlib.h>

#include <algorithm>
#include <cmath>

#include "gui/ui/runs/runs_panels.h"
#include "gui/ui/widgets.h"
#include "gui/view/runs/run_filter.h"

namespace ringside::ui {
namespace {

constexpr float kOfferHeight = 22;

/// Data for the callback of Dear ImGui while the field is edited.
struct Typing {
  FilterMemory& memory;
  const std::vector<view::FilterOffer>& offers;
};

void take_over(ImGuiInputTextCallbackData& data, const std::string& text) {
  data.DeleteChars(0, data.BufTextLen);
  data.InsertChars(0, text.c_str());
}

int while_typing(ImGuiInputTextCallbackData* data) {
  const auto& typing = *static_cast<const Typing*>(data->UserData);
  FilterMemory& memory = typing.memory;
  const auto count = static_cast<int>(typing.offers.size());
  if (data->EventFlag == ImGuiInputTextFlags_CallbackCompletion && count > 0) {
    take_over(*data, typing.offers[static_cast<std::size_t>(std::max(0, memory.offer))].text);
    memory.offer = -1;
  } else if (data->EventFlag == ImGuiInputTextFlags_CallbackHistory && count > 0) {
    const int by = data->EventKey == ImGuiKey_UpArrow ? -1 : 1;
    memory.offer = std::clamp(memory.offer + by, 0, count - 1);
  } else if (data->EventFlag == ImGuiInputTextFlags_CallbackAlways && memory.to_end) {
    data->CursorPos = data->SelectionStart = data->SelectionEnd = data->BufTextLen;
    memory.to_end = false;
  }
  return 0;
}

/// Draws the list below the field; returns the pressed completion, or -1.
int draw_offers(const std::vector<view::FilterOffer>& offers, const Rect& field,
                FilterMemory& memory) {
  const float height = px(kOfferHeight) * static_cast<float>(offers.size()) + px(8);
  ImGui::SetNextWindowPos(ImVec2(field.x, field.bottom() + px(2)));
  ImGui::SetNextWindowSize(ImVec2(std::max(field.w, px(330)), height));
  constexpr ImGuiWindowFlags kFlags =
      ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings |
      ImGuiWindowFlags_NoFocusOnAppearing | ImGuiWindowFlags_NoNav | ImGuiWindowFlags_NoBackground;
  int pressed = -1;
  if (ImGui::Begin("filter offers", nullptr, kFlags)) {
    const ImVec2 at = ImGui::GetWindowPos();
    const ImVec2 size = ImGui::GetWindowSize();
    fill({at.x, at.y, size.x, size.y}, Token::kRaised, 4);
    outline({at.x, at.y, size.x, size.y}, Token::kLine2, 4);
    for (std::size_t i = 0; i < offers.size(); ++i) {
      const Rect row{at.x + px(4), at.y + px(4) + px(kOfferHeight) * static_cast<float>(i),
                     size.x - px(8), px(kOfferHeight)};
      const Hit hit = hit_area(("Offer " + offers[i].word).c_str(), row);
      if (hit.hovered || static_cast<int>(i) == memory.offer) fill(row, Token::kHover, 3);
      const float end = text_fitted(row.x + px(8), row.middle_y(), row.w * 0.55F, Type::kNumber,
                                    Token::kHigh, offers[i].word);
      const float room = row.right() - px(8) - end - px(12);
      text_right(row.right() - px(8), row.middle_y(), Type::kLabel, Token::kDim,
                 fitted(Type::kLabel, offers[i].about, room));
      if (hit.clicked) pressed = static_cast<int>(i);
    }
    memory.over_offers = ImGui::IsWindowHovered(ImGuiHoveredFlags_AllowWhenBlockedByActiveItem);
  }
  ImGui::End();
  return pressed;
}

/// Draws the text field. True if its text changed.
bool draw_filter_field(const Rect& field, std::string& filter, Typing& typing) {
  const FontScope font(Type::kSmall);
  const float padding = std::max(0.0F, std::floor((field.h - ImGui::GetFontSize()) * 0.5F));
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, ImVec2(px(8), padding));
  ImGui::PushStyleColor(ImGuiCol_Text, color_of(Token::kHigh));
  ImGui::SetCursorScreenPos(ImVec2(field.x, field.y));
  ImGui::SetNextItemWidth(field.w);
  if (typing.memory.focus) ImGui::SetKeyboardFocusHere();
  typing.memory.focus = false;
  // Without a completion, Tab moves to the next control.
  ImGuiInputTextFlags flags = ImGuiInputTextFlags_CallbackAlways;
  if (!typing.offers.empty())
    flags |= ImGuiInputTextFlags_CallbackCompletion | ImGuiInputTextFlags_CallbackHistory;
  const bool changed = ImGui::InputTextWithHint(
      "##run filter", "Filter, such as lr>0.04 state:failed tag:x, or a path", &filter, flags,
      while_typing, &typing);
  ImGui::PopStyleColor();
  ImGui::PopStyleVar();
  return changed;
}

}  // namespace

void run_filter_field(const view::RunsInput& input, const Rect& field, FilterMemory& memory,
                      view::CommandQueue& commands) {
  std::string filter = input.choice.filter;
  const bool asked = memory.active || memory.over_offers;
  const auto offers =
      asked ? view::filter_offers(input.runs, filter) : std::vector<view::FilterOffer>();
  Typing typing{memory, offers};
  if (draw_filter_field(field, filter, typing)) {
    commands.emplace_back(view::SetRunFilter{filter});
    memory.offer = -1;
  }
  const bool entered = ImGui::IsItemDeactivated() && ImGui::IsKeyPressed(ImGuiKey_Enter, false);
  memory.active = ImGui::IsItemActive();
  if (memory.active) outline(field, Token::kAccent, 4);
  int taken = -1;
  memory.over_offers = false;
  if (asked && !offers.empty()) taken = draw_offers(offers, field, memory);
  if (entered && memory.offer >= 0 && memory.offer < static_cast<int>(offers.size()))
    taken = memory.offer;
  if (taken >= 0) {
    commands.emplace_back(view::SetRunFilter{offers[static_cast<std::size_t>(taken)].text});
    memory.focus = memory.to_end = true;
    memory.offer = -1;
  } else if (entered && filter.find('/') != std::string::npos) {
    commands.emplace_back(view::OpenRun{filter});
  }
}

}  // namespace ringside::ui
