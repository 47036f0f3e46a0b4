#include "gui/analysis/arrivals.h"

#include <algorithm>
#include <cmath>

#include "gui/analysis/waits.h"
#include "gui/model/rank_model.h"
#include "gui/model/run_model.h"

namespace ringside::analysis {
namespace {

using model::Metric;
using model::RankModel;

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

/// Adds how long each rank waited, over steps that all ranks reported. Loops over ranks first,
/// since the times of one rank are contiguous.
void add_waits(const Waits& waits, std::size_t steps, std::vector<Tally>& tallies) {
  for (std::size_t i = 0; i < tallies.size(); ++i) {
    for (std::size_t k = 0; k < steps; ++k) {
      if (waits.has(i, k)) tallies[i].wait_ns += static_cast<double>(waits.of(i, k).ns);
    }
  }
}

/// Counts which rank was last in each step.
void add_last(const Waits& waits, std::size_t steps, ArrivalClock& clock,
              std::vector<Tally>& tallies) {
  for (std::size_t k = 0; k < steps; ++k) {
    if (!waits.told(k)) continue;
    ++clock.compared;
    clock.clocks_known = waits.known(k);
    const std::int64_t late = waits.slowest(k).ns - waits.second_ns(k);
    if (!clock.clocks_known || late == 0 || !waits.certain(k)) {
      ++clock.undecided;
      continue;
    }
    Tally& last = tallies[waits.slowest(k).rank];
    ++last.times_last;
    last.late_ns += static_cast<double>(late);
  }
}

/// Sets the uncertainty to that of the newest step in which the clocks are known.
void set_uncertainty(const Waits& waits, std::size_t steps, ArrivalClock& clock) {
  for (std::size_t k = steps; k-- > 0;) {
    if (!waits.told(k) || !waits.known(k)) continue;
    clock.uncertainty_ns = waits.most_unsure_ns(k);
    return;
  }
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
  std::vector<Tally> tallies(ranks.size());
  Waits waits(model, ranks, false);
  for (StepRange rest{std::max<Step>(0, range.begin), range.end}; rest.count() > 0;) {
    const StepRange read = waits.read(rest);
    const auto steps = static_cast<std::size_t>(read.count());
    add_waits(waits, steps, tallies);
    add_last(waits, steps, clock, tallies);
    set_uncertainty(waits, steps, clock);
    rest.begin = read.end;
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
