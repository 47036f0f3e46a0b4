// Parses a time span as people type it: "90s", "10m", "2h", "1d". Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "protocol/base/clock.h"
#include "protocol/base/text.h"

namespace ringside {

/// Nanoseconds; empty when `text` is not a time span or exceeds 100,000 of its unit.
inline std::optional<std::int64_t> time_span_ns(std::string_view text) {
  constexpr std::string_view kUnits = "smhd";
  constexpr std::int64_t kSeconds[] = {1, 60, 3600, 24 * 3600};
  if (text.empty()) return std::nullopt;
  const std::size_t unit = kUnits.find(text.back());
  const auto count = whole_number(text.substr(0, text.size() - 1));
  if (unit == kUnits.npos || !count || *count < 0 || *count > 100'000) return std::nullopt;
  return *count * kSeconds[unit] * kSecondNs;
}

}  // namespace ringside
