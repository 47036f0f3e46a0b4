// The phases in which our trainer's ranks connect to each other, in order. A rank that waits in one
// reports it as its last collective, which shows the agent how far each rank has come.
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

/// 1-based index of the phase that this last collective names; 0 when it names none.
inline int forming_progress(std::string_view last_collective) {
  static constexpr std::array<std::string_view, 5> kPhases = {
      kRendezvous, kDeviceNames, kNcclGradients, kGlooGradients, kGlooMetrics};
  const auto* const found = std::find(kPhases.begin(), kPhases.end(), last_collective);
  return found == kPhases.end() ? 0 : static_cast<int>(found - kPhases.begin()) + 1;
}

}  // namespace ringside::messages
