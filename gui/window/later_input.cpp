#include "gui/window/later_input.h"

#include <imgui_internal.h>

namespace ringside::window {
namespace {

bool is_modifier(ImGuiKey key) { return (key & ImGuiMod_Mask_) != 0 || ImGui::IsLRModKey(key); }

/// Number of events that the next frame may read.
int events_of_a_frame(const ImVector<ImGuiInputEvent>& events) {
  bool key_went_down = false;
  for (int i = 0; i < events.Size; ++i) {
    if (events[i].Type != ImGuiInputEventType_Key) continue;
    const ImGuiInputEventKey& key = events[i].Key;
    if (!is_modifier(key.Key)) {
      key_went_down = key_went_down || key.Down;
    } else if (key_went_down) {
      return i;
    }
  }
  return events.Size;
}

}  // namespace

LaterInput::LaterInput() {
  ImVector<ImGuiInputEvent>& events = ImGui::GetCurrentContext()->InputEventsQueue;
  const int now = events_of_a_frame(events);
  held_.assign(events.begin() + now, events.end());
  events.resize(now);
}

LaterInput::~LaterInput() {
  ImVector<ImGuiInputEvent>& events = ImGui::GetCurrentContext()->InputEventsQueue;
  for (const ImGuiInputEvent& event : held_) events.push_back(event);
}

}  // namespace ringside::window
