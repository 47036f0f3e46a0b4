#include "gui/analysis/arrivals.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "gui/model/rank_model.h"
#include "gui/model/run_model.h"

namespace ringside::analysis {
namespace {

using model::Metric;
using model::RankModel;

/// The two latest of a step, and when.
struct Latest {
  std::size_t last = 0;  ///< index into the ranks
  std::int64_t last_ns = std::numeric_limits<std::int64_t>::min();
  std::int64_t second_ns = std::numeric_limits<std::int64_t>::min();
};

struct Tally {
  Step times_last = 0;
  double late_ns = 0;
  double wait_ns = 0;
};

std::vector<const RankModel*> ranks_of(const model::RunModel& model) {
  std::vector<const RankModel*> ranks;
  for (const Rank rank : model.ranks()) {
    if (!model.rank(rank)->left) ranks.push_back(model.rank(rank));
  }
  return ranks;
}

std::int64_t ready_at(const RankModel& rank, Step step) {
  return rank.last_ready_ns.at(static_cast<std::size_t>(step));
}

/// Of each step of the range; `last_ns` is absent where a rank of the run has not said when it was
/// ready. Rank by rank, since the times of one lie side by side.
std::vector<Latest> latest_of(const std::vector<const RankModel*>& ranks, StepRange range) {
  std::vector<Latest> all(static_cast<std::size_t>(range.count()));
  std::vector<bool> unknown(all.size());
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    for (std::size_t k = 0; k < all.size(); ++k) {
      const std::int64_t ready = ready_at(*ranks[i], range.begin + static_cast<Step>(k));
      Latest& latest = all[k];
      if (model::is_absent(ready)) {
        unknown[k] = true;
      } else if (ready > latest.last_ns) {
        latest = {i, ready, latest.last_ns};
      } else if (ready > latest.second_ns) {
        latest.second_ns = ready;
      }
    }
  }
  for (std::size_t k = 0; k < all.size(); ++k) {
    if (unknown[k]) all[k].last_ns = model::absent<std::int64_t>();
  }
  return all;
}

/// How long each rank waited for the latest, over all steps that are known of all.
void add_waits(const std::vector<const RankModel*>& ranks, Step begin,
               const std::vector<Latest>& latest, std::vector<Tally>& tallies) {
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    for (std::size_t k = 0; k < latest.size(); ++k) {
      if (model::is_absent(latest[k].last_ns)) continue;
      tallies[i].wait_ns += static_cast<double>(latest[k].last_ns -
                                                ready_at(*ranks[i], begin + static_cast<Step>(k)));
    }
  }
}

/// How wrong the order of two ranks may be: both devices' clocks against their hosts', and between
/// nodes both hosts' against node 0.
std::int64_t uncertainty_between(const model::RunModel& model, const RankModel& a,
                                 const RankModel& b) {
  const std::int64_t devices = a.clock_uncertainty_ns + b.clock_uncertainty_ns;
  if (a.node == b.node) return devices;
  return devices + model.clock_offset(a.node).uncertainty_ns +
         model.clock_offset(b.node).uncertainty_ns;
}

std::int64_t largest_uncertainty(const model::RunModel& model,
                                 const std::vector<const RankModel*>& ranks) {
  std::map<Node, std::int64_t> nodes;
  std::int64_t device = 0;
  for (const RankModel* rank : ranks) {
    nodes[rank->node] = model.clock_offset(rank->node).uncertainty_ns;
    device = std::max(device, rank->clock_uncertainty_ns);
  }
  if (nodes.size() < 2) return 2 * device;
  std::int64_t most = 0;
  std::int64_t second = 0;
  for (const auto& [node, uncertainty_ns] : nodes) {
    second = std::max(second, std::min(most, uncertainty_ns));
    most = std::max(most, uncertainty_ns);
  }
  return most + second + 2 * device;
}

/// Whether the latest is so by more than the clocks can be wrong against each of the others: one a
/// little before the second may be the later of both.
bool certain(const model::RunModel& model, const std::vector<const RankModel*>& ranks,
             const Latest& latest, Step step) {
  const RankModel& last = *ranks[latest.last];
  return std::all_of(ranks.begin(), ranks.end(), [&](const RankModel* other) {
    const std::int64_t ready = ready_at(*other, step);
    return other == &last || latest.last_ns - ready > uncertainty_between(model, last, *other);
  });
}

void finish(ArrivalClock& clock, const std::vector<const RankModel*>& ranks,
            const std::vector<Tally>& tallies) {
  const Step decided = clock.compared - clock.undecided;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    RankArrival arrival;
    arrival.rank = ranks[i]->rank;
    arrival.times_last = tallies[i].times_last;
    if (decided > 0)
      arrival.share = static_cast<double>(tallies[i].times_last) / static_cast<double>(decided);
    if (tallies[i].times_last > 0)
      arrival.mean_late_ns = tallies[i].late_ns / static_cast<double>(tallies[i].times_last);
    if (clock.compared > 0)
      arrival.mean_wait_ns = tallies[i].wait_ns / static_cast<double>(clock.compared);
    const auto begin = static_cast<std::size_t>(std::max<Step>(0, clock.range.begin));
    const auto end = static_cast<std::size_t>(std::max<Step>(0, clock.range.end));
    arrival.mean_own_work_ns = ranks[i]->series(Metric::kOwnWork).sum(begin, end).mean();
    clock.ranks.push_back(arrival);
  }
}

}  // namespace

ArrivalClock arrival_clock(const model::RunModel& model, StepRange range) {
  ArrivalClock clock;
  clock.range = range;
  const auto ranks = ranks_of(model);
  if (ranks.size() < 2 || static_cast<Rank>(ranks.size()) < model.world_size()) return clock;
  clock.clocks_known = model.clocks_known();
  clock.uncertainty_ns = largest_uncertainty(model, ranks);
  std::vector<Tally> tallies(ranks.size());
  const StepRange steps{std::max<Step>(0, range.begin), range.end};
  const std::vector<Latest> all = latest_of(ranks, steps);
  add_waits(ranks, steps.begin, all, tallies);
  for (std::size_t k = 0; k < all.size(); ++k) {
    const Latest& latest = all[k];
    if (model::is_absent(latest.last_ns)) continue;
    ++clock.compared;
    const std::int64_t late = latest.last_ns - latest.second_ns;
    const bool decided = late > clock.uncertainty_ns ||
                         certain(model, ranks, latest, steps.begin + static_cast<Step>(k));
    if (!clock.clocks_known || late == 0 || !decided) {
      ++clock.undecided;
      continue;
    }
    ++tallies[latest.last].times_last;
    tallies[latest.last].late_ns += static_cast<double>(late);
  }
  finish(clock, ranks, tallies);
  return clock;
}

const ArrivalClock& recent_arrivals(const model::RunModel& model) {
  return model.once<ArrivalClock>(
      [](const model::RunModel& run) { return arrival_clock(run, recent_steps(run)); });
}

std::optional<StepArrival> last_arrival(const model::RunModel& model, Step step) {
  const ArrivalClock clock = arrival_clock(model, {step, step + 1});
  for (const RankArrival& rank : clock.ranks) {
    if (rank.times_last == 1) return StepArrival{rank.rank, std::llround(rank.mean_late_ns)};
  }
  return std::nullopt;
}

}  // namespace ringside::analysis
