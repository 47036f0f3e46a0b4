// Limits for numbers that a sender reports, so that sums and differences of them cannot overflow. A
// value beyond is clamped to the limit: the record is nonsense anyway and is visible as such. Pure.
#pragma once

#include <algorithm>
#include <cstdint>

namespace ringside::model {

inline constexpr std::int64_t kMaxTimeNs = std::int64_t{1} << 60;  ///< clock since boot
/// Phase of one step: 73 minutes.
inline constexpr std::int64_t kMaxPhaseNs = std::int64_t{1} << 42;
inline constexpr std::int64_t kMaxWallNs = std::int64_t{1} << 61;  ///< time since 1970: until 2043
/// Difference between two clocks.
inline constexpr std::int64_t kMaxOffsetNs = std::int64_t{1} << 59;
inline constexpr std::int64_t kMaxCount = std::int64_t{1} << 45;  ///< samples or bytes of one rank
inline constexpr std::int64_t kMaxSteps = std::int64_t{1} << 40;

/// Largest correction of a wall clock that is expected; also the uncertainty of clocks that are
/// known only through it.
inline constexpr std::int64_t kWallCorrectionNs = 10'000'000'000;

inline std::int64_t bounded(std::int64_t value, std::int64_t limit) {
  return std::clamp(value, -limit, limit);
}

}  // namespace ringside::model
