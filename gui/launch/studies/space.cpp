#include "gui/launch/studies/space.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>

#include "protocol/base/printable.h"

namespace ringside::launch {
namespace {

constexpr std::string_view kBetween = "..";
constexpr std::string_view kLogarithmic = ":log";
constexpr double kMostExact = 9007199254740991;  // 2^53 - 1: above it, doubles skip whole numbers

std::optional<double> finite_number(std::string_view text) {
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, value);
  if (read.ec != std::errc() || read.ptr != end || !std::isfinite(value)) return std::nullopt;
  return value;
}

bool has_only_digits(std::string_view number) {
  return number.find_first_not_of("-0123456789") == number.npos;
}

/// Returns nothing if the text is not a range, such as a path with "..".
std::optional<Range> range_in(std::string_view set) {
  const std::size_t equals = set.find('=');
  if (equals == set.npos) return std::nullopt;
  std::string_view text = set.substr(equals + 1);
  Range range;
  range.name = std::string(set.substr(0, equals));
  range.logarithmic = text.ends_with(kLogarithmic);
  if (range.logarithmic) text.remove_suffix(kLogarithmic.size());
  const std::size_t between = text.find(kBetween);
  if (between == text.npos) return std::nullopt;
  const std::string_view first = text.substr(0, between);
  const std::string_view second = text.substr(between + kBetween.size());
  const auto low = finite_number(first);
  const auto high = finite_number(second);
  if (!low || !high) return std::nullopt;
  range.low = *low;
  range.high = *high;
  range.whole = has_only_digits(first) && has_only_digits(second);
  return range;
}

Result<void> check_range(const Range& range, const std::string& set) {
  const std::string origin = "--set " + printable_line(set);
  if (range.whole && std::max(std::abs(range.low), std::abs(range.high)) > kMostExact)
    return bad_request(origin +
                       ": a range of whole numbers lies within -9007199254740991.."
                       "9007199254740991; write larger values one by one, with commas between");
  if (!(range.low < range.high))
    return bad_request(origin + ": write the lower end first, LOW..HIGH");
  if (range.logarithmic && !(range.low > 0))
    return bad_request(origin + ": a logarithmic range begins above 0");
  return {};
}

}  // namespace

double Space::size() const {
  double all = 1;
  for (const Swept& one : choices) all *= static_cast<double>(one.values.size());
  for (const Range& one : ranges)
    all *= one.whole ? one.high - one.low + 1 : std::numeric_limits<double>::infinity();
  return all;
}

Result<Space> parse_space(const std::vector<std::string>& sets) {
  Space space;
  std::vector<std::string> rest;
  for (const std::string& set : sets) {
    auto range = range_in(set);
    if (!range) {
      rest.push_back(set);
      continue;
    }
    RINGSIDE_TRY(check_range(*range, set));
    space.ranges.push_back(std::move(*range));
  }
  auto asked = RINGSIDE_TRY(parse_settings(rest));
  space.choices = std::move(asked.swept);
  space.fixed = std::move(asked.fixed);
  for (const std::string& set : sets) {
    const std::string name = set.substr(0, set.find('='));
    const auto is_it = [&](const auto& one) { return one.name == name; };
    const bool varies =
        std::ranges::any_of(space.choices, is_it) || std::ranges::any_of(space.ranges, is_it);
    if (!varies) continue;
    if (std::ranges::count(space.names, name) > 0)
      return bad_request("--set " + printable_line(name) + " is given twice");
    space.names.push_back(name);
    space.vary.push_back(set);
  }
  if (space.names.empty())
    return bad_request(
        "what may be chosen? A range or several values: --set optimizer.lr=0.001..0.1:log --set "
        "batch.size=32,64");
  return space;
}

}  // namespace ringside::launch
