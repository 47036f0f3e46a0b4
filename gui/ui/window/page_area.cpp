#include "gui/ui/window/chrome.h"

#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "gui/ui/widgets.h"

namespace ringside::ui {
namespace {

constexpr ImGuiWindowFlags kFlags = ImGuiWindowFlags_NoBackground |
                                    ImGuiWindowFlags_NoSavedSettings |
                                    ImGuiWindowFlags_HorizontalScrollbar;

/// Draws a splitter that can be dragged; a double click resets it to its default.
void draw_handle(const SplitHandle& handle, Arrangement& arrangement) {
  const std::string id = std::string("Split ") + name_of(handle.which);
  ImGui::SetCursorScreenPos(ImVec2(handle.area.x, handle.area.y));
  // The Tab key skips splitters: the palette has a command to reset the layout.
  ImGui::InvisibleButton(id.c_str(),
                         ImVec2(std::max(1.0F, handle.area.w), std::max(1.0F, handle.area.h)));
  const bool hovered = ImGui::IsItemHovered();
  const bool held = ImGui::IsItemActive();
  if (!hovered && !held) return;
  ImGui::SetMouseCursor(handle.horizontal ? ImGuiMouseCursor_ResizeEW : ImGuiMouseCursor_ResizeNS);
  const Rect& area = handle.area;
  if (handle.horizontal) {
    fill({std::floor(area.middle_x()) - 1, area.y, px(2), area.h}, Token::kAccent);
  } else {
    fill({area.x, std::floor(area.middle_y()) - 1, area.w, px(2)}, Token::kAccent);
  }
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  if (hovered && ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left)) {
    arrangement.share(handle.which) = 0;
  } else if (held && ImGui::IsMouseDragging(ImGuiMouseButton_Left, px(2))) {
    arrangement.share(handle.which) = share_at(handle, mouse.x, mouse.y);
  }
}

}  // namespace

PageArea::PageArea(const PageLayout& page, Arrangement& arrangement)
    : page_(page), arrangement_(arrangement) {
  const Rect& seen = page.viewport;
  ImGui::SetCursorScreenPos(ImVec2(seen.x, seen.y));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(0, 0));
  ImGui::SetNextWindowContentSize(ImVec2(page.content.w, page.content.h));
  ImGui::BeginChild("page", ImVec2(std::max(1.0F, seen.w), std::max(1.0F, seen.h)),
                    ImGuiChildFlags_NavFlattened, kFlags);
  ImGui::PopStyleVar();
  scrolled_x_ = std::floor(ImGui::GetScrollX());
  scrolled_y_ = std::floor(ImGui::GetScrollY());
}

PageArea::~PageArea() {
  for (const SplitHandle& handle : page_.handles) draw_handle(handle, arrangement_);
  ImGui::EndChild();
}

}  // namespace ringside::ui
