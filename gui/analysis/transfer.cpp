// The gradient exchange of the newest steps, from the times of their buckets.
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "gui/analysis/step_parts.h"
#include "gui/model/rank_model.h"
#include "gui/model/run_model.h"

namespace ringside::analysis {
namespace {

/// One bucket of one step over all ranks.
struct Exchange {
  std::int64_t all_ready_ns = std::numeric_limits<std::int64_t>::min();
  std::int64_t reduced_ns = std::numeric_limits<std::int64_t>::min();
  std::int64_t size_bytes = 0;
  Rank ranks = 0;
};
using StepExchanges = std::map<std::int32_t, Exchange>;  // by bucket

std::map<Step, StepExchanges> kept_steps(const model::RunModel& model, StepRange range) {
  std::map<Step, StepExchanges> steps;
  for (const Rank rank : model.ranks()) {
    const auto& buckets = model.rank(rank)->buckets;
    // Of the oldest step only a part may be kept.
    const bool full = buckets.size() >= model::kKeptBuckets;
    const Step begin = full ? std::max(range.begin, buckets.front().step + 1) : range.begin;
    for (auto bucket = buckets.rbegin(); bucket != buckets.rend() && bucket->step >= begin;
         ++bucket) {
      if (bucket->step >= range.end) continue;
      Exchange& exchange = steps[bucket->step][bucket->bucket];
      exchange.all_ready_ns = std::max(exchange.all_ready_ns, bucket->ready_ns);
      exchange.reduced_ns = std::max(exchange.reduced_ns, bucket->reduced_ns);
      exchange.size_bytes = bucket->size_bytes;
      ++exchange.ranks;
    }
  }
  std::erase_if(steps, [&](const auto& step) {
    return std::any_of(step.second.begin(), step.second.end(), [&](const auto& bucket) {
      return bucket.second.ranks != model.world_size();
    });
  });
  return steps;
}

/// Buckets go one after another: one begins when its last rank is ready and the one before it is
/// through.
void add_step(const StepExchanges& buckets, Transfer& total) {
  std::vector<Exchange> order;
  for (const auto& [number, exchange] : buckets) order.push_back(exchange);
  std::sort(order.begin(), order.end(),
            [](const auto& a, const auto& b) { return a.all_ready_ns < b.all_ready_ns; });
  const std::int64_t computed = order.back().all_ready_ns;
  std::int64_t busy_until = std::numeric_limits<std::int64_t>::min();
  for (const Exchange& exchange : order) {
    const std::int64_t begin = std::max(exchange.all_ready_ns, busy_until);
    const std::int64_t end = std::max(begin, exchange.reduced_ns);
    total.transfer_ns += static_cast<double>(end - begin);
    total.hidden_ns +=
        static_cast<double>(std::max<std::int64_t>(0, std::min(end, computed) - begin));
    total.size_bytes += exchange.size_bytes;
    busy_until = end;
  }
  total.buckets = static_cast<std::int32_t>(order.size());
  ++total.steps;
}

}  // namespace

Transfer transfer(const model::RunModel& model, StepRange range) {
  Transfer total;
  if (model.world_size() < 2 || !model.clocks_known()) return total;
  const auto kept = kept_steps(model, range);
  for (const auto& [step, buckets] : kept) add_step(buckets, total);
  if (total.steps == 0) return total;
  const auto steps = static_cast<double>(total.steps);
  total.transfer_ns /= steps;
  total.hidden_ns /= steps;
  total.size_bytes /= total.steps;
  total.exposed_ns = total.transfer_ns - total.hidden_ns;
  // The rank that is through last would speak for all: what was exposed is the mean that the parts
  // of a step show too.
  const auto parts = mean_of(step_parts(model, {kept.begin()->first, kept.rbegin()->first + 1}));
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
