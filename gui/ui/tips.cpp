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

int tip_frame = -1;       // the last in which a tip was shown
std::string under_mouse;  // of this frame's cut texts
std::string shown_tip;    // of the frame before

void show(std::string_view text) {
  const FontScope font(Type::kSmall);
  if (!ImGui::BeginTooltip()) return;
  tip_frame = ImGui::GetFrameCount();
  const ImVec2 at = ImGui::GetCursorScreenPos();
  ImGui::PushTextWrapPos(std::min(px(460), ImGui::GetIO().DisplaySize.x - px(24)));
  ImGui::TextUnformatted(text.data(), text.data() + text.size());
  ImGui::PopTextWrapPos();
  const ImVec2 size = ImGui::GetItemRectSize();
  note_text(text, {at.x, at.y, size.x, size.y});
  ImGui::EndTooltip();
}

}  // namespace

void tooltip(std::string_view text) {
  if (text.empty()) return;
  if (ImGui::IsItemHovered(ImGuiHoveredFlags_ForTooltip | ImGuiHoveredFlags_DelayShort)) show(text);
}

void note_cut(const Rect& area, std::string_view whole) {
  if (!ImGui::IsWindowHovered()) return;
  if (ImGui::IsMouseHoveringRect(ImVec2(area.x, area.y), ImVec2(area.right(), area.bottom())))
    under_mouse = whole;
}

void show_cut_text() {
  const std::string text = std::exchange(under_mouse, {});
  const ImGuiStyle& style = ImGui::GetStyle();
  const bool rests = ImGui::GetCurrentContext()->MouseStationaryTimer >=
                     style.HoverStationaryDelay + style.HoverDelayShort;
  const bool free = tip_frame != ImGui::GetFrameCount();
  const bool shows = free && !text.empty() && (rests || text == shown_tip);
  shown_tip = shows ? text : std::string();
  if (shows) show(text);
}

}  // namespace ringside::ui
