#include "gui/ui/modal.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "gui/ui/tone.h"
#include "gui/ui/widgets.h"

namespace ringside::ui {

bool begin_modal(const char* id, bool wanted, ImVec2 size) {
  if (wanted && !ImGui::IsPopupOpen(id)) ImGui::OpenPopup(id);
  const ImVec2 screen = ImGui::GetIO().DisplaySize;
  size.x = std::min(size.x, std::max(1.0F, screen.x - px(8)));
  size.y = std::min(size.y, std::max(1.0F, screen.y - px(8)));
  ImGui::SetNextWindowPos(
      ImVec2(std::floor((screen.x - size.x) * 0.5F), std::floor((screen.y - size.y) * 0.4F)));
  ImGui::SetNextWindowSize(size);
  constexpr ImGuiWindowFlags kFlags =
      ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings;
  ImGui::PushStyleColor(ImGuiCol_PopupBg, 0);
  const bool open = ImGui::BeginPopupModal(id, nullptr, kFlags);
  ImGui::PopStyleColor();
  if (!open) return false;
  const Rect sheet = window_inside(0);
  ImGui::PushClipRect({sheet.x, sheet.y}, {sheet.right(), sheet.bottom()}, false);
  fill(sheet, Token::kRaised, 4);
  outline(sheet, Token::kLine2, 4);
  ImGui::PopClipRect();
  if (!wanted) ImGui::CloseCurrentPopup();
  return true;
}

void end_modal(bool done, view::CommandQueue& commands, view::Command closes) {
  if (done) {
    commands.push_back(std::move(closes));
    ImGui::CloseCurrentPopup();
  }
  ImGui::EndPopup();
}

Rect window_inside(float padding) {
  const ImVec2 at = ImGui::GetWindowPos();
  const ImVec2 size = ImGui::GetWindowSize();
  return Rect{at.x, at.y, size.x, size.y}.inset(px(padding), px(padding));
}

}  // namespace ringside::ui
