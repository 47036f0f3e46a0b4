// Changes of a person to the layout: moved splitters, closed docks, hidden columns. Pure data,
// which the window saves for its next start; no ImGui call.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "gui/ui/rect.h"
#include "gui/view/choices.h"
#include "gui/view/table.h"

namespace ringside::ui {

/// The splitters: lines between panels that can be dragged.
enum class Split : std::uint8_t {
  kLiveSide,     ///< charts | speedup and breakdown
  kLiveCharts,   ///< charts above the rank table
  kLiveLower,    ///< loss above accuracy and step time
  kLiveHalf,     ///< accuracy | step time
  kLiveSpeedup,  ///< speedup above the breakdown
  kLiveLogs,     ///< rank table above the log
  kLaunchFacts,  ///< form | plan and preflight
  kLaunchForm,   ///< devices | form
  kLaunchFoot,   ///< the form above the command
  kLaunchPlan,   ///< plan above preflight
  kRunsSide,     ///< list | selected run or comparison
  kSamplerSide,  ///< grid | checks
  kSamplerFoot,  ///< grid above validation, moved and shards
  kCount,
};
inline constexpr std::size_t kSplits = static_cast<std::size_t>(Split::kCount);
inline constexpr std::size_t kDocks = static_cast<std::size_t>(view::Dock::kCount);

struct Arrangement {
  std::array<float, kSplits> shares{};  ///< of the length that is divided; 0: the default
  std::array<bool, kDocks> closed{};
  view::ColumnChoice rank_columns{};

  float& share(Split which) { return shares[static_cast<std::size_t>(which)]; }
  float share(Split which) const { return shares[static_cast<std::size_t>(which)]; }
  bool open(view::Dock dock) const { return !closed[static_cast<std::size_t>(dock)]; }
  bool operator==(const Arrangement&) const = default;
};

/// The key of a splitter in the settings file.
const char* name_of(Split split);

/// Where a splitter can be dragged, and how its position becomes a share.
struct SplitHandle {
  Split which = Split::kLiveSide;
  Rect area;                ///< the gap between the two panels
  bool horizontal = false;  ///< moves left and right
  bool from_end = false;    ///< the share is that of the right or lower part
  float begin = 0;          ///< of the length that is divided, on the screen
  float total = 0;
};

/// The share of a splitter that is dragged to this point on the screen.
float share_at(const SplitHandle& handle, float mouse_x, float mouse_y);

}  // namespace ringside::ui
