// How long a training rank may go without a step before it is taken for silent, and which rank has
// not come as far as the others: one rule for the agent, which records it, and for viewers, which
// show it. Pure.
#pragma once

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>
#include <system_error>

namespace ringside::messages {

inline constexpr std::int64_t kLeastSilenceNs = 10'000'000'000;
/// Silence limit in median steps of the rank.
inline constexpr std::int64_t kSilentSteps = 5;

/// `median_step_ns`: 0 where it is not known.
constexpr std::int64_t silence_limit_ns(std::int64_t median_step_ns) {
  return std::max(kLeastSilenceNs, kSilentSteps * median_step_ns);
}

/// The number of the collective that a rank entered last, as RankState::last_collective says it:
/// "..., number 57". Nothing where it does not.
inline std::optional<std::int64_t> collective_number(std::string_view last_collective) {
  constexpr std::string_view kWord = ", number ";
  const std::size_t place = last_collective.rfind(kWord);
  if (place == std::string_view::npos) return std::nullopt;
  const std::string_view digits = last_collective.substr(place + kWord.size());
  std::int64_t number = 0;
  const auto parsed = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  const bool whole = parsed.ec == std::errc() && parsed.ptr == digits.data() + digits.size();
  return whole ? std::optional(number) : std::nullopt;
}

}  // namespace ringside::messages
