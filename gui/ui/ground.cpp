#include "gui/ui/ground.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace ringside::ui {
namespace {

/// Number of pixels below which a clear command costs as much as triangles.
constexpr float kLeastPixels = 20000;

ImDrawCallback ground_call = nullptr;

bool whole(const Rect& area) {
  const std::array<float, 4> lengths{area.x, area.y, area.w, area.h};
  return std::ranges::all_of(lengths, [](float length) { return std::floor(length) == length; });
}

}  // namespace

void set_ground_call(ImDrawCallback call) { ground_call = call; }

bool draw_ground(const Rect& area, ImU32 color) {
  const bool opaque = (color & IM_COL32_A_MASK) == IM_COL32_A_MASK;
  const bool large = area.w > 0 && area.w * area.h >= kLeastPixels;
  if (ground_call == nullptr || !opaque || !large || !whole(area)) return false;
  Ground ground{area, color};
  ImGui::GetWindowDrawList()->AddCallback(ground_call, &ground, sizeof ground);
  return true;
}

Ground* ground_of(const ImDrawCmd& command) {
  if (ground_call == nullptr || command.UserCallback != ground_call) return nullptr;
  return static_cast<Ground*>(command.UserCallbackData);
}

}  // namespace ringside::ui
