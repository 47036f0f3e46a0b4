// The steps in which our trainer's ranks come together, in their order. A rank that waits in one
// tells it as its last collective; the agent reads from them who has come how far.
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

namespace ringside::messages {

inline constexpr const char* kRendezvous = "the rendezvous";
inline constexpr const char* kDeviceNames = "the exchange of device names";
inline constexpr const char* kNcclGradients = "NCCL's connection of the gradients";
inline constexpr const char* kGlooGradients = "Gloo's connection of the gradients";
inline constexpr const char* kGlooMetrics = "Gloo's connection of the metrics";

/// How far a rank has come whose last collective this is: 0 where that is none of these steps.
inline int forming_progress(std::string_view last_collective) {
  static constexpr std::array<std::string_view, 5> kPhases = {
      kRendezvous, kDeviceNames, kNcclGradients, kGlooGradients, kGlooMetrics};
  const auto* const found = std::find(kPhases.begin(), kPhases.end(), last_collective);
  return found == kPhases.end() ? 0 : static_cast<int>(found - kPhases.begin()) + 1;
}

}  // namespace ringside::messages
