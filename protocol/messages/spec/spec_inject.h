// The section of a run's spec that injects a fault, to test that Ringside shows it correctly; see
// spec_sections.h. Plain data.
#pragma once

#include <cstdint>
#include <string>

namespace ringside::messages {

/// Environment variable that must be "1" to allow a run with an injected fault, so that a fault in
/// a shared spec does not go unnoticed.
inline constexpr const char* kAllowFaults = "RINGSIDE_INJECT";

struct InjectSpec {
  std::string fault = "none";
  std::int64_t rank = 0;
  double delay_ms = 10;
  std::int64_t from_step = 0;
  std::int64_t steps = 0;
  std::int64_t every = 0;

  bool any() const { return fault != "none"; }
  /// Whether a step, counted from 0, is delayed.
  bool delays(std::int64_t step) const {
    if (step < from_step) return false;
    const std::int64_t since = step - from_step;
    return steps == 0 || (every > 0 ? since % every : since) < steps;
  }

  template <class Self, class Visit>
  static void fields(Self& s, Visit&& visit);
};

}  // namespace ringside::messages
