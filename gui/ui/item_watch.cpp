#include "gui/ui/item_watch.h"

#include <imgui.h>
#include <imgui_internal.h>

#include <map>

namespace {

std::map<ImGuiID, ImRect> rectangles;
std::vector<ringside::ui::Item> seen;
std::vector<ringside::ui::DrawnText> texts;
std::vector<std::string> words_without_text;
int scrolled = 0;

ringside::ui::Rect rect_of(const ImRect& area) {
  return {area.Min.x, area.Min.y, area.GetWidth(), area.GetHeight()};
}

}  // namespace

// Dear ImGui calls these hooks for every item while TestEngineHookItems is set.
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
  // Disabled items are left out.
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
  texts.clear();
  words_without_text.clear();
}

const std::vector<Item>& items() { return seen; }
const std::vector<DrawnText>& drawn_texts() { return texts; }

bool watches_items() { return ImGui::GetCurrentContext()->TestEngineHookItems; }
const std::vector<std::string>& unexplained() { return words_without_text; }
void note_unexplained(std::string_view word) {
  if (watches_items()) words_without_text.emplace_back(word);
}

ScrolledTexts::ScrolledTexts() { ++scrolled; }
ScrolledTexts::~ScrolledTexts() { --scrolled; }

void note_text(std::string_view text, const Rect& area) {
  if (!watches_items()) return;
  const ImGuiWindow& window = *ImGui::GetCurrentWindow();
  const ImRect drawn(area.x, area.y, area.right(), area.bottom());
  ImRect visible = drawn;
  const ImVec2 clip_min = window.DrawList->GetClipRectMin();
  const ImVec2 clip_max = window.DrawList->GetClipRectMax();
  visible.ClipWithFull(ImRect(clip_min, clip_max));
  // Uses the rectangle of the window itself, not what its parents leave visible of it.
  const ImRect& inner = window.InnerRect;
  const bool cut_across = drawn.Min.x < inner.Min.x - 1 || drawn.Max.x > inner.Max.x + 1;
  const bool cut_down = drawn.Min.y < inner.Min.y - 1 || drawn.Max.y > inner.Max.y + 1;
  const bool cut = (cut_across && window.ScrollMax.x <= 0 && scrolled == 0) ||
                   (cut_down && window.ScrollMax.y <= 0);
  texts.push_back({std::string(text), window.Name, area, rect_of(visible), cut});
}

}  // namespace ringside::ui
