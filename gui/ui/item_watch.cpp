#include "gui/ui/item_watch.h"

#include <imgui.h>
#include <imgui_internal.h>

#include <map>

namespace {

std::map<ImGuiID, ImRect> rectangles;
std::vector<ringside::ui::Item> seen;

}  // namespace

// Dear ImGui calls these for every item while TestEngineHookItems is set.
void ImGuiTestEngineHook_ItemAdd(ImGuiContext* context, ImGuiID id, const ImRect& area,
                                 const ImGuiLastItemData*) {
  if (id == 0) return;
  ImRect visible = area;
  if (context->CurrentWindow != nullptr) visible.ClipWith(context->CurrentWindow->ClipRect);
  rectangles[id] = visible;
}

void ImGuiTestEngineHook_ItemInfo(ImGuiContext* context, ImGuiID id, const char* label,
                                  ImGuiItemStatusFlags) {
  const auto found = rectangles.find(id);
  if (found == rectangles.end() || label == nullptr) return;
  // What cannot be pressed now is not offered to be pressed.
  if ((context->CurrentItemFlags & ImGuiItemFlags_Disabled) != 0) return;
  const ImRect& area = found->second;
  if (area.GetWidth() < 1 || area.GetHeight() < 1) return;
  const std::string window = context->CurrentWindow != nullptr ? context->CurrentWindow->Name : "";
  seen.push_back({label, window, {area.Min.x, area.Min.y, area.GetWidth(), area.GetHeight()}});
}

void ImGuiTestEngineHook_Log(ImGuiContext*, const char*, ...) {}
const char* ImGuiTestEngine_FindItemDebugLabel(ImGuiContext*, ImGuiID) { return nullptr; }

namespace ringside::ui {

void watch_items() { ImGui::GetCurrentContext()->TestEngineHookItems = true; }

void clear_items() {
  rectangles.clear();
  seen.clear();
}

const std::vector<Item>& items() { return seen; }

}  // namespace ringside::ui
