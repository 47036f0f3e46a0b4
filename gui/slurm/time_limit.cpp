#include "gui/slurm/time_limit.h"

#include <algorithm>
#include <array>
#include <string>

#include "protocol/base/text.h"

namespace ringside::slurm {
namespace {

constexpr std::int64_t kMinuteS = 60;
constexpr std::int64_t kHourS = 60 * kMinuteS;
constexpr std::int64_t kDayS = 24 * kHourS;
constexpr std::int64_t kMost = 1'000'000'000;  ///< limit for each number

std::optional<std::int64_t> number(std::string_view text) {
  const auto value = whole_number(text);
  return value && *value >= 0 && *value <= kMost ? value : std::nullopt;
}

/// Sums the numbers between colons, each times its unit; nothing if there are more numbers than
/// units.
template <std::size_t kCount>
std::optional<std::int64_t> sum_of(std::string_view text,
                                   const std::array<std::int64_t, kCount>& units) {
  std::int64_t seconds = 0;
  for (const std::int64_t unit : units) {
    const std::size_t colon = text.find(':');
    const auto value = number(text.substr(0, colon));
    if (!value) return std::nullopt;
    seconds += *value * unit;
    if (colon == std::string_view::npos) return seconds;
    text.remove_prefix(colon + 1);
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::int64_t> limit_seconds(std::string_view text) {
  std::optional<std::int64_t> seconds;
  if (const std::size_t dash = text.find('-'); dash != std::string_view::npos) {
    const auto days = number(text.substr(0, dash));
    const auto rest = sum_of<3>(text.substr(dash + 1), {kHourS, kMinuteS, 1});
    if (days && rest) seconds = *days * kDayS + *rest;
  } else if (std::count(text.begin(), text.end(), ':') == 2) {
    seconds = sum_of<3>(text, {kHourS, kMinuteS, 1});
  } else {
    seconds = sum_of<2>(text, {kMinuteS, 1});
  }
  if (!seconds || *seconds == 0) return std::nullopt;  // 0: no limit
  return (*seconds + kMinuteS - 1) / kMinuteS * kMinuteS;
}

Result<void> check_time_limit(std::string_view text) {
  const auto seconds = limit_seconds(text);
  if (!seconds || *seconds > kWarnedS + kEarlyS) return {};
  return bad_request("a time limit of " + std::string(text) +
                     " is too short: Slurm signals the run up to " +
                     std::to_string((kWarnedS + kEarlyS) / kMinuteS) +
                     " minutes before its limit to save a checkpoint and go back into the queue; "
                     "ask for " +
                     std::to_string((kWarnedS + kEarlyS) / kMinuteS + 1) + " minutes or more");
}

}  // namespace ringside::slurm
