#include "gui/ui/side_scroll.h"

#include <imgui.h>
#include <imgui_internal.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "gui/ui/fonts.h"

namespace ringside::ui {

SideScroll::SideScroll(const char* id, Rect& area, float wide) : on_(wide > area.w + 0.5F) {
  constexpr float kWheelStep = 60;
  if (!on_) return;
  ImGuiWindow* window = ImGui::GetCurrentWindow();
  const ImGuiID key = window->GetID((std::string(id) + " sideways").c_str());
  const ImGuiIO& io = ImGui::GetIO();
  const bool hovered =
      ImGui::IsWindowHovered(ImGuiHoveredFlags_ChildWindows) &&
      ImGui::IsMouseHoveringRect(ImVec2(area.x, area.y), ImVec2(area.right(), area.bottom()));
  const float wheel = hovered ? io.MouseWheelH + (io.KeyShift ? io.MouseWheel : 0) : 0;
  const float most = wide - area.w;
  const float before = window->StateStorage.GetFloat(key);
  auto place = static_cast<ImS64>(std::clamp(before - wheel * px(kWheelStep), 0.0F, most));
  const Rect bar = area.take_bottom(px(8));
  ImGui::ScrollbarEx(ImRect(bar.x, bar.y, bar.right(), bar.bottom()), key, ImGuiAxis_X, &place,
                     static_cast<ImS64>(area.w), static_cast<ImS64>(std::ceil(wide)));
  offset_ = std::clamp(static_cast<float>(place), 0.0F, most);
  window->StateStorage.SetFloat(key, offset_);
}

}  // namespace ringside::ui
