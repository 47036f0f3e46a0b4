// The section of a run's spec that makes a fault on purpose, to prove that what is shown of one is
// true; see spec_sections.h. Plain data.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace ringside::messages {

/// What allows a run with a fault: its value is "1". A fault in a recipe that somebody hands on
/// must not pass unseen.
inline constexpr const char* kAllowFaults = "RINGSIDE_INJECT";

struct InjectSpec {
  std::string fault = "none";
  std::int64_t rank = 0;
  double delay_ms = 10;
  std::int64_t from_step = 0;
  std::int64_t steps = 0;

  bool any() const { return fault != "none"; }

  template <class Self, class Visit>
  static void fields(Self& s, Visit&& visit);
};

}  // namespace ringside::messages
