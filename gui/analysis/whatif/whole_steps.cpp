#include "gui/analysis/whatif/whole_steps.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <utility>

#include "gui/analysis/arrivals.h"
#include "gui/model/run_model.h"

namespace ringside::analysis {
namespace {

using model::Metric;
using model::RankModel;

/// Buckets by step of a range; a step that is stored only in part has none.
std::map<Step, std::vector<model::BucketTimes>> buckets_of(const RankModel& rank, StepRange range) {
  std::map<Step, std::vector<model::BucketTimes>> found;
  const bool full = rank.buckets.size() >= model::kKeptBuckets;
  for (const model::BucketTimes& bucket : rank.buckets) {
    const bool cut = full && bucket.step == rank.buckets.front().step;
    if (!cut && bucket.step >= range.begin && bucket.step < range.end)
      found[bucket.step].push_back(bucket);
  }
  for (auto& [step, buckets] : found)
    std::ranges::stable_sort(buckets, {}, &model::BucketTimes::ready_ns);
  return found;
}

std::optional<RankTimes> times_of(const RankModel& rank, Step step,
                                  const std::vector<model::BucketTimes>& buckets) {
  const auto time = time_of_step(rank, step);
  if (!time || time->begin_ns >= time->end_ns) return std::nullopt;
  RankTimes times;
  times.begin = time->begin_ns;
  times.end = time->end_ns;
  const std::size_t at = model::step_index(step);
  const auto data = static_cast<double>(rank.series(Metric::kDataWait).at(at));
  const auto backward = static_cast<double>(rank.series(Metric::kBackward).at(at));
  if (std::isfinite(data)) times.data = data;
  if (std::isfinite(backward)) times.backward = backward;
  times.buckets = buckets;
  return times;
}

bool same_buckets(const RankTimes& a, const RankTimes& b) {
  return std::ranges::equal(a.buckets, b.buckets, [](const auto& one, const auto& other) {
    return one.bucket == other.bucket && one.size_bytes == other.size_bytes;
  });
}

}  // namespace

std::vector<StepTimes> whole_steps(const model::RunModel& model, StepRange range) {
  std::vector<std::map<Step, std::vector<model::BucketTimes>>> buckets;
  for (const Rank rank : model.ranks()) buckets.push_back(buckets_of(*model.rank(rank), range));
  std::vector<StepTimes> steps;
  for (Step step = range.end; step-- > range.begin && std::ssize(steps) < kMostReplayed;) {
    StepTimes times{step, {}};
    for (std::size_t i = 0; i < buckets.size(); ++i) {
      const auto found = buckets[i].find(step);
      if (found == buckets[i].end()) break;
      auto one = times_of(*model.rank(model.ranks()[i]), step, found->second);
      const RankTimes* first = !steps.empty()         ? &steps.front().ranks.front()
                               : !times.ranks.empty() ? &times.ranks.front()
                                                      : nullptr;
      if (!one || (first != nullptr && !same_buckets(*one, *first))) break;
      times.ranks.push_back(std::move(*one));
    }
    if (times.ranks.size() == buckets.size()) steps.push_back(std::move(times));
  }
  std::ranges::reverse(steps);
  return steps;
}

}  // namespace ringside::analysis
