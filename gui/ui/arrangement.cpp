#include "gui/ui/arrangement.h"

#include <algorithm>

namespace ringside::ui {
namespace {

constexpr std::array<const char*, kSplits> kNames{
    "live_side", "live_charts",  "live_lower",  "live_half",   "live_speedup",
    "live_logs", "launch_facts", "launch_form", "launch_foot", "launch_plan",
    "runs_side", "sampler_side", "sampler_foot"};

}  // namespace

const char* name_of(Split split) { return kNames[static_cast<std::size_t>(split)]; }

float share_at(const SplitHandle& handle, float mouse_x, float mouse_y) {
  if (handle.total <= 0) return 0;
  const float at = (handle.horizontal ? mouse_x : mouse_y) - handle.begin;
  const float gap = handle.horizontal ? handle.area.w : handle.area.h;
  const float length = handle.from_end ? handle.total - at - gap * 0.5F : at - gap * 0.5F;
  // The share 0 is reserved for the default position.
  return std::clamp(length / handle.total, 0.01F, 0.99F);
}

}  // namespace ringside::ui
