// Limits to what a sender can claim, so that sums and differences of its numbers cannot overflow. A
// value beyond is clamped to the limit: the record is nonsense anyway and shows as such. Pure.
#pragma once

#include <algorithm>
#include <cstdint>

namespace ringside::model {

inline constexpr std::int64_t kMaxTimeNs = std::int64_t{1} << 60;    ///< of a clock since boot
inline constexpr std::int64_t kMaxPhaseNs = std::int64_t{1} << 42;   ///< of one step: 73 minutes
inline constexpr std::int64_t kMaxWallNs = std::int64_t{1} << 61;    ///< since 1970: until 2043
inline constexpr std::int64_t kMaxOffsetNs = std::int64_t{1} << 59;  ///< between two clocks
inline constexpr std::int64_t kMaxCount = std::int64_t{1} << 45;  ///< samples and bytes of one rank
inline constexpr std::int64_t kMaxSteps = std::int64_t{1} << 40;

/// The most by which a wall clock is set right; what is known by it alone is known no better.
inline constexpr std::int64_t kWallCorrectionNs = 10'000'000'000;

inline std::int64_t bounded(std::int64_t value, std::int64_t limit) {
  return std::clamp(value, -limit, limit);
}

}  // namespace ringside::model
