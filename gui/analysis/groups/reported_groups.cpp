#include "gui/analysis/groups/reported_groups.h"

#include <algorithm>

#include "gui/analysis/range.h"
#include "gui/model/rank_model.h"
#include "gui/model/run_model.h"
#include "protocol/messages/group_records.h"

namespace ringside::analysis {
namespace {

/// Larger than the number of buckets in any step.
constexpr std::int64_t kBucketsOfAStep = 1 << 16;

messages::GroupReport all_ranks(const model::RunModel& model) {
  messages::GroupReport report;
  report.name = "0";
  report.purpose = "DDP";
  for (const Rank rank : model.ranks()) {
    report.ranks.push_back(rank);
    const auto& hello = model.rank(rank)->hello;
    if (hello) report.group_backend = hello->backend;
  }
  return report;
}

/// The own time before a bucket starts when the bucket before it was ready, and for the first
/// bucket of a step at the end of the exchange in the step before, for which all ranks waited.
void add_buckets(const model::RankModel& rank, StepRange range, model::GroupStore& store) {
  std::int64_t before_ns = -1;
  std::int64_t exchanged_ns = -1;
  Step before = -1;
  for (const model::BucketTimes& bucket : rank.buckets) {
    if (bucket.step < range.begin || bucket.step >= range.end) continue;
    if (bucket.step != before) before_ns = bucket.step == before + 1 ? exchanged_ns : -1;
    messages::CollectiveReport report;
    report.step = bucket.step;
    report.number = bucket.step * kBucketsOfAStep + bucket.bucket % kBucketsOfAStep;
    report.size_bytes = bucket.size_bytes;
    report.entered_ns = report.issued_ns = bucket.ready_ns;
    report.done_ns = bucket.reduced_ns;
    if (before_ns >= 0) report.own_ns = std::max<std::int64_t>(0, bucket.ready_ns - before_ns);
    store.add(rank.rank, report);
    exchanged_ns =
        bucket.step == before ? std::max(exchanged_ns, bucket.reduced_ns) : bucket.reduced_ns;
    before = bucket.step;
    before_ns = bucket.ready_ns;
  }
}

model::GroupStore groups_of_buckets(const model::RunModel& model) {
  model::GroupStore store;
  const auto ranks = model.ranks();
  const bool told = ranks.size() > 1 && std::ranges::any_of(ranks, [&](Rank rank) {
                      return !model.rank(rank)->buckets.empty();
                    });
  if (!told) return store;
  const messages::GroupReport all = all_ranks(model);
  const StepRange range = recent_steps(model);
  for (const Rank rank : ranks) {
    store.add(rank, all);
    add_buckets(*model.rank(rank), range, store);
  }
  return store;
}

}  // namespace

const model::GroupStore& reported_groups(const model::RunModel& model) {
  return model.groups().groups().empty() ? model.once<model::GroupStore>(groups_of_buckets)
                                         : model.groups();
}

}  // namespace ringside::analysis
