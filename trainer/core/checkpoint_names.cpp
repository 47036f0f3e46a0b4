#include "trainer/core/checkpoint_names.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <tuple>

namespace ringside::core {
namespace {

constexpr std::string_view kEpochPrefix = "epoch_";
constexpr std::string_view kStopPrefix = "stop_step_";
constexpr std::string_view kSuffix = ".pt";

std::string numbered(std::string_view prefix, int digits, std::int64_t number) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%0*lld", digits, static_cast<long long>(number));
  return std::string(prefix) + text.data() + std::string(kSuffix);
}

// The number of a name made by numbered(), or -1.
std::int64_t number_of(std::string_view name, std::string_view prefix) {
  if (!name.starts_with(prefix) || !name.ends_with(kSuffix)) return -1;
  if (name.size() <= prefix.size() + kSuffix.size()) return -1;
  const std::string_view digits =
      name.substr(prefix.size(), name.size() - prefix.size() - kSuffix.size());
  std::int64_t number = -1;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  const bool whole = error == std::errc() && end == digits.data() + digits.size();
  return whole ? number : -1;
}

// A stop comes after the epoch's own file, so it is the newer one of two written in the same
// instant.
auto age_key(const CheckpointFile& file) {
  const std::int64_t stop = number_of(file.name, kStopPrefix);
  return std::make_tuple(file.written_ns, stop >= 0,
                         std::max(stop, number_of(file.name, kEpochPrefix)));
}

std::vector<CheckpointFile> newest_first(const std::vector<CheckpointFile>& files) {
  std::vector<CheckpointFile> ours;
  for (const CheckpointFile& file : files) {
    if (is_checkpoint_name(file.name)) ours.push_back(file);
  }
  std::sort(ours.begin(), ours.end(), [](const CheckpointFile& a, const CheckpointFile& b) {
    return age_key(a) > age_key(b);
  });
  return ours;
}

}  // namespace

std::string epoch_checkpoint_name(Epoch last_completed) {
  return numbered(kEpochPrefix, 3, std::int64_t{last_completed} + 1);
}

std::string stop_checkpoint_name(Step steps_done) { return numbered(kStopPrefix, 6, steps_done); }

bool is_checkpoint_name(std::string_view name) {
  return number_of(name, kEpochPrefix) >= 0 || number_of(name, kStopPrefix) >= 0;
}

std::optional<std::string> newest_checkpoint(const std::vector<CheckpointFile>& files) {
  const auto ours = newest_first(files);
  if (ours.empty()) return std::nullopt;
  return ours.front().name;
}

std::vector<std::string> surplus_checkpoints(const std::vector<CheckpointFile>& files,
                                             std::int64_t keep) {
  std::vector<std::string> names;
  if (keep <= 0) return names;
  const auto ours = newest_first(files);
  for (std::size_t i = static_cast<std::size_t>(keep); i < ours.size(); ++i) {
    names.push_back(ours[i].name);
  }
  return names;
}

}  // namespace ringside::core
