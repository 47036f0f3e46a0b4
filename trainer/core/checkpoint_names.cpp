#include "trainer/core/checkpoint_names.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <tuple>

#include "protocol/base/text.h"

namespace ringside::core {
namespace {

constexpr std::string_view kEpochPrefix = "epoch_";
constexpr std::string_view kRanksPrefix = "ranks_epoch_";  ///< follows the number of ranks
constexpr std::string_view kStepPrefix = "step_";
constexpr std::string_view kStopPrefix = "stop_step_";
constexpr std::string_view kSuffix = ".pt";

std::string numbered(std::string_view prefix, int digits, std::int64_t number) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%0*lld", digits, static_cast<long long>(number));
  return std::string(prefix) + text.data() + std::string(kSuffix);
}

// The number in a name made by numbered(), or -1.
std::int64_t number_of(std::string_view name, std::string_view prefix) {
  if (!name.starts_with(prefix) || !name.ends_with(kSuffix)) return -1;
  if (name.size() <= prefix.size() + kSuffix.size()) return -1;
  const std::string_view digits =
      name.substr(prefix.size(), name.size() - prefix.size() - kSuffix.size());
  return whole_number(digits).value_or(-1);
}

std::int64_t epoch_number_of(std::string_view name) {
  const auto digits = std::min(name.find_first_not_of("0123456789"), name.size());
  return number_of(name.substr(digits), digits == 0 ? kEpochPrefix : kRanksPrefix);
}

// Times are compared only between files without an order number, since a copy has a new time. For
// equal times, a checkpoint within an epoch comes before the epoch's, and one at a stop after it.
auto age_key(const CheckpointFile& file) {
  const std::int64_t stop = number_of(file.name, kStopPrefix);
  const std::int64_t epoch = epoch_number_of(file.name);
  const int kind = stop >= 0 ? 2 : epoch >= 0 ? 1 : 0;
  return std::make_tuple(file.order, file.written_ns, kind,
                         std::max({stop, epoch, number_of(file.name, kStepPrefix)}));
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

std::string epoch_checkpoint_name(Epoch last_completed, std::int64_t ranks) {
  const std::int64_t number = std::int64_t{last_completed} + 1;
  if (ranks <= 0) return numbered(kEpochPrefix, 3, number);
  return std::to_string(ranks) + numbered(kRanksPrefix, 3, number);
}

std::string step_checkpoint_name(Step steps_done) { return numbered(kStepPrefix, 6, steps_done); }

std::string stop_checkpoint_name(Step steps_done) { return numbered(kStopPrefix, 6, steps_done); }

bool is_checkpoint_name(std::string_view name) {
  return epoch_number_of(name) >= 0 || number_of(name, kStepPrefix) >= 0 ||
         number_of(name, kStopPrefix) >= 0;
}

bool is_checkpoint_draft(std::string_view name) {
  if (!name.ends_with(kDraftSuffix)) return false;
  const std::string_view whole = name.substr(0, name.find(kSuffix) + kSuffix.size());
  return is_checkpoint_name(whole) || whole == kBestCheckpointName;
}

std::vector<std::string> newest_checkpoints(const std::vector<CheckpointFile>& files) {
  std::vector<std::string> names;
  for (const CheckpointFile& file : newest_first(files)) names.push_back(file.name);
  return names;
}

std::vector<std::string> surplus_checkpoints(const std::vector<CheckpointFile>& files,
                                             std::int64_t keep) {
  if (keep <= 0) return {};
  std::vector<CheckpointFile> readable = files;
  std::erase_if(readable,
                [](const CheckpointFile& file) { return file.order == kUnreadableOrder; });
  std::vector<std::string> names = newest_checkpoints(readable);
  names.erase(names.begin(),
              names.begin() + std::min(static_cast<std::ptrdiff_t>(keep), std::ssize(names)));
  return names;
}

}  // namespace ringside::core
