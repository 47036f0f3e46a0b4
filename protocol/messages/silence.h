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
#include <vector>

#include "protocol/base/ids.h"
#include "protocol/base/text.h"

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
  return whole_number(last_collective.substr(place + kWord.size()));
}

/// The ranks of the collective that a rank waits in, as RankState::last_collective says it:
/// "all-gather 41 of dp_shard (ranks 0, 2)". Empty where it waits in none, or for one rank alone.
inline std::vector<Rank> ranks_waited_among(std::string_view last_collective) {
  constexpr std::string_view kWord = " (ranks ";
  const std::size_t place = last_collective.rfind(kWord);
  if (place == std::string_view::npos || last_collective.back() != ')') return {};
  if (last_collective.starts_with("send ") || last_collective.starts_with("receive ")) return {};
  std::vector<Rank> ranks;
  const char* at = last_collective.data() + place + kWord.size();
  const char* end = last_collective.data() + last_collective.size() - 1;
  while (at < end) {
    Rank rank = 0;
    const auto parsed = std::from_chars(at, end, rank);
    if (parsed.ec != std::errc()) return {};
    ranks.push_back(rank);
    at = std::min(parsed.ptr + 2, end);
  }
  return ranks;
}

/// Whether a rank says there that it waits, be it for one other alone.
inline bool waits_among_some(std::string_view last_collective) {
  return last_collective.find(" (ranks ") != std::string_view::npos &&
         last_collective.ends_with(')');
}

}  // namespace ringside::messages
