// The gradient exchange of the newest steps, from the times of their buckets.
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "gui/analysis/step_parts.h"
#include "gui/model/rank_model.h"
#include "gui/model/run_model.h"

namespace ringside::analysis {
namespace {

/// One bucket of one step over all ranks.
struct Exchange {
  std::int32_t bucket = 0;
  std::int64_t all_ready_ns = std::numeric_limits<std::int64_t>::min();
  std::int64_t reduced_ns = std::numeric_limits<std::int64_t>::min();
  std::int64_t size_bytes = 0;
  Rank ranks = 0;
};
using StepExchanges = std::vector<Exchange>;

/// Finds the entry of a bucket. Ranks report the buckets of a step in nearly the same order, so
/// `next`, the one after the last found, is usually right.
Exchange& exchange_of(StepExchanges& buckets, std::int32_t bucket, std::size_t& next) {
  if (next >= buckets.size() || buckets[next].bucket != bucket) {
    const auto found =
        std::ranges::find_if(buckets, [&](const Exchange& one) { return one.bucket == bucket; });
    next = static_cast<std::size_t>(found - buckets.begin());
    if (found == buckets.end()) buckets.push_back({bucket});
  }
  return buckets[next++];
}

void add_rank(const model::RankModel& rank, StepRange range, std::vector<StepExchanges>& steps) {
  const auto& buckets = rank.buckets;
  // The oldest step may be stored only in part.
  const bool full = buckets.size() >= model::kKeptBuckets;
  const Step begin = full ? std::max(range.begin, buckets.front().step + 1) : range.begin;
  std::size_t next = 0;
  Step step = range.end;
  for (auto bucket = buckets.rbegin(); bucket != buckets.rend() && bucket->step >= begin;
       ++bucket) {
    if (bucket->step >= range.end) continue;
    if (bucket->step != step) next = 0;
    step = bucket->step;
    Exchange& exchange =
        exchange_of(steps[static_cast<std::size_t>(step - range.begin)], bucket->bucket, next);
    exchange.all_ready_ns = std::max(exchange.all_ready_ns, bucket->ready_ns);
    exchange.reduced_ns = std::max(exchange.reduced_ns, bucket->reduced_ns);
    exchange.size_bytes = bucket->size_bytes;
    ++exchange.ranks;
  }
}

/// Exchanges by step of the range; empty if a rank has not reported all of the step.
std::vector<StepExchanges> kept_steps(const model::RunModel& model, StepRange range) {
  std::vector<StepExchanges> steps(static_cast<std::size_t>(range.count()));
  for (const Rank rank : model.ranks()) add_rank(*model.rank(rank), range, steps);
  for (StepExchanges& step : steps) {
    const bool all = std::ranges::all_of(
        step, [&](const Exchange& exchange) { return exchange.ranks == model.world_size(); });
    if (!all) step.clear();
  }
  return steps;
}

/// Adds the buckets of a step, which are exchanged one after another: each begins when its last
/// rank is ready and the one before it is complete.
void add_step(StepExchanges& buckets, Transfer& total) {
  std::ranges::sort(buckets, [](const auto& a, const auto& b) {
    return std::pair(a.all_ready_ns, a.bucket) < std::pair(b.all_ready_ns, b.bucket);
  });
  const std::int64_t computed = buckets.back().all_ready_ns;
  std::int64_t busy_until = std::numeric_limits<std::int64_t>::min();
  for (const Exchange& exchange : buckets) {
    const std::int64_t begin = std::max(exchange.all_ready_ns, busy_until);
    const std::int64_t end = std::max(begin, exchange.reduced_ns);
    total.transfer_ns += static_cast<double>(end - begin);
    total.hidden_ns +=
        static_cast<double>(std::max<std::int64_t>(0, std::min(end, computed) - begin));
    total.size_bytes += exchange.size_bytes;
    busy_until = end;
  }
  total.buckets = static_cast<std::int32_t>(buckets.size());
  ++total.steps;
}

}  // namespace

Transfer transfer(const model::RunModel& model, StepRange range) {
  Transfer total;
  if (model.world_size() < 2 || !model.clocks_known()) return total;
  const StepRange known{std::max<Step>(0, range.begin),
                        std::min(range.end, static_cast<Step>(model.steps_end()))};
  StepRange counted;
  auto kept = kept_steps(model, known);
  for (std::size_t i = 0; i < kept.size(); ++i) {
    if (kept[i].empty()) continue;
    const Step step = known.begin + static_cast<Step>(i);
    if (total.steps == 0) counted.begin = step;
    counted.end = step + 1;
    add_step(kept[i], total);
  }
  if (total.steps == 0) return total;
  const auto steps = static_cast<double>(total.steps);
  total.transfer_ns /= steps;
  total.hidden_ns /= steps;
  total.size_bytes /= total.steps;
  total.exposed_ns = total.transfer_ns - total.hidden_ns;
  // The exposed time is the mean over ranks, as in the parts of a step, since the rank that ends
  // last is not typical.
  const auto parts = mean_of(counted == recent_steps(model) ? recent_step_parts(model)
                                                            : step_parts(model, counted));
  if (const double exposed = parts.mean_ns(Part::kAllReduce); std::isfinite(exposed)) {
    total.exposed_ns = exposed;
    total.transfer_ns = total.hidden_ns + exposed;
  }
  const auto ranks = static_cast<double>(model.world_size());
  if (total.transfer_ns > 0) {
    total.bus_bytes_per_s =
        2 * (ranks - 1) / ranks * static_cast<double>(total.size_bytes) / total.transfer_ns * 1e9;
  }
  return total;
}

}  // namespace ringside::analysis
