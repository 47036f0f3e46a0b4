// How long a training rank may go without a step before it is taken for silent: one rule for the
// agent, which records it, and for viewers, which show it. Pure.
#pragma once

#include <algorithm>
#include <cstdint>

namespace ringside::messages {

inline constexpr std::int64_t kLeastSilenceNs = 10'000'000'000;
/// Of the rank's median step.
inline constexpr std::int64_t kSilentSteps = 5;

/// `median_step_ns`: 0 where it is not known.
constexpr std::int64_t silence_limit_ns(std::int64_t median_step_ns) {
  return std::max(kLeastSilenceNs, kSilentSteps * median_step_ns);
}

}  // namespace ringside::messages
