// How long a training rank may go without a step before it counts as silent, and which rank is
// behind the others. The agent, which records silence, and viewers, which show it, use the same
// rule. Pure.
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
/// Silence limit as a multiple of the rank's median step time.
inline constexpr std::int64_t kSilentSteps = 5;

/// `median_step_ns` is 0 when unknown.
constexpr std::int64_t silence_limit_ns(std::int64_t median_step_ns) {
  return std::max(kLeastSilenceNs, kSilentSteps * median_step_ns);
}

/// The number at the end of RankState::last_collective, "..., number 57"; empty when it has none.
inline std::optional<std::int64_t> collective_number(std::string_view last_collective) {
  constexpr std::string_view kWord = ", number ";
  const std::size_t place = last_collective.rfind(kWord);
  if (place == std::string_view::npos) return std::nullopt;
  return whole_number(last_collective.substr(place + kWord.size()));
}

/// The ranks of the collective in which a rank waits, from RankState::last_collective: "all-gather
/// 41 of dp_shard (ranks 0, 2)". Empty when it waits in none, or for a single rank.
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

/// Whether RankState::last_collective says that the rank waits, even for a single other rank.
inline bool waits_among_some(std::string_view last_collective) {
  return last_collective.find(" (ranks ") != std::string_view::npos &&
         last_collective.ends_with(')');
}

}  // namespace ringside::messages
