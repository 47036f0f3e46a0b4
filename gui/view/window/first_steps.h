// The first screen of a window without a run: what this program is, and three ways to begin. Plain
// data.
#pragma once

#include <array>

#include "gui/view/command.h"
#include "gui/view/window/screen_input.h"

namespace ringside::view {

namespace label {
inline constexpr const char* kWhatThisIs =
    "Ringside trains a model on several GPUs with DistributedDataParallel and shows, rank by rank, "
    "why it is not N times faster.";
inline constexpr const char* kDoorScript = "Your script";
inline constexpr const char* kDoorDemo = "The demo";
inline constexpr const char* kDoorFiles = "Your files";
}  // namespace label

/// A way to begin: its name, a line about it, and the commands of its button.
struct Door {
  const char* name;
  const char* about;
  void (*press)(CommandQueue& commands);
};

inline constexpr std::array<Door, 3> kFirstDoors{
    {{label::kDoorScript, "A train.py for torchrun, as it is, on the devices you choose",
      [](CommandQueue& commands) {
        commands.emplace_back(SelectPage{Page::kLaunch});
        commands.emplace_back(SelectRunKind{RunKind::kScript});
      }},
     {label::kDoorDemo, "A small network learns digits: one device, then two. About a minute",
      [](CommandQueue& commands) {
        commands.emplace_back(SelectPreset{"demo", false});
        commands.emplace_back(StartRun{});
      }},
     {label::kDoorFiles, "A run folder, TensorBoard events, CSV or JSON lines: open or drop",
      [](CommandQueue& commands) { commands.emplace_back(ShowOpenRun{true}); }}}};

/// Whether nothing was ever run on this machine, and nothing is open.
inline bool is_first_start(const ScreenInput& input) {
  return input.runs.looked && input.runs.runs.empty() && input.live.model == nullptr &&
         input.machine.name.empty();
}

}  // namespace ringside::view
