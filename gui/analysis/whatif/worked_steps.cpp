#include "gui/analysis/whatif/worked_steps.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>

#include "gui/analysis/arrivals.h"
#include "gui/analysis/findings/fairness.h"
#include "gui/analysis/whatif/whole_steps.h"
#include "gui/model/machine_model.h"
#include "gui/model/rank_model.h"
#include "gui/model/run_model.h"

namespace ringside::analysis {
namespace {

using model::RankModel;

constexpr std::int64_t kBreakNs = 20'000;  ///< maximum gap between two consecutive steps
constexpr double kLeastAsleep = 0.02;      ///< share of a step
constexpr double kLeastLeft = 0.1;         ///< minimum number of cores for the ranks
constexpr std::size_t kPlacedSteps = 40;   ///< in which the places of sleep are looked for
constexpr int kRounds = 4;                 ///< until the length of a sleep is found
constexpr double kLeastFilling = 0.2;      ///< cores of other processes, if no core is idle

bool follows(const StepTimes& before, const StepTimes& now) {
  if (now.step != before.step + 1) return false;
  for (std::size_t i = 0; i < now.ranks.size(); ++i)
    if (std::abs(now.ranks[i].begin - before.ranks[i].end) > kBreakNs) return false;
  return true;
}

/// Durations of the pieces of a rank's step in ns; never negative.
std::vector<double> lengths_of(const RankTimes& times) {
  double at = static_cast<double>(times.begin) + times.data;
  const auto ready = static_cast<double>(times.buckets.back().ready_ns);
  const double backward = std::max(at, times.backward > 0 ? ready - times.backward : at);
  std::vector<double> lengths{times.data, backward - at};
  at = backward;
  std::int64_t reduced = times.begin;
  for (const model::BucketTimes& bucket : times.buckets) {
    const double then = std::max(at, static_cast<double>(bucket.ready_ns));
    lengths.push_back(then - at);
    at = then;
    reduced = std::max(reduced, bucket.reduced_ns);
  }
  lengths.push_back(static_cast<double>(std::max<std::int64_t>(0, times.end - reduced)));
  return lengths;
}

/// Adds the exchange times. A bucket starts when its last rank is ready and the one before it is
/// complete.
void add_exchange(const StepTimes& times, WorkedStep& step) {
  std::int64_t free = std::numeric_limits<std::int64_t>::min();
  for (std::size_t b = 0; b < times.ranks.front().buckets.size(); ++b) {
    std::int64_t begin = free;
    for (const RankTimes& rank : times.ranks) begin = std::max(begin, rank.buckets[b].ready_ns);
    free = begin;
    for (std::size_t i = 0; i < times.ranks.size(); ++i) {
      const std::int64_t reduced = times.ranks[i].buckets[b].reduced_ns;
      step.ranks[i].exchange_ns.push_back(
          static_cast<double>(std::max<std::int64_t>(0, reduced - begin)));
      free = std::max(free, reduced);
    }
  }
}

WorkedStep as_recorded(const StepTimes& times, std::int64_t zero) {
  WorkedStep step;
  step.step = times.step;
  for (const RankTimes& rank : times.ranks) {
    WorkedRank worked;
    worked.begin_ns = static_cast<double>(rank.begin - zero);
    for (const double length : lengths_of(rank)) worked.pieces.push_back({0, length});
    step.ranks.push_back(std::move(worked));
  }
  add_exchange(times, step);
  return step;
}

/// Usual work in a piece of a rank, ns.
double usual_work(const WorkedSteps& all, std::size_t rank, std::size_t piece) {
  std::vector<double> works;
  for (const WorkedStep& step : all.steps) works.push_back(step.ranks[rank].pieces[piece].work_ns);
  return upper_median(std::move(works));
}

/// Work that the other ranks usually have in a piece as a share of that of this one, which may have
/// less than they.
double others_share(const WorkedSteps& all, std::size_t rank, std::size_t piece) {
  std::vector<double> works;
  for (const WorkedStep& step : all.steps)
    for (std::size_t i = 0; i < step.ranks.size(); ++i)
      if (i != rank) works.push_back(step.ranks[i].pieces[piece].work_ns);
  return upper_median(std::move(works)) / std::max(1.0, usual_work(all, rank, piece));
}

/// Usual excess of each piece of a rank over that of the others, ns of its time. `worked`: the same
/// steps with the work that its pieces contain if no rank sleeps.
std::vector<double> usual_excess(const WorkedSteps& all, const WorkedSteps& worked,
                                 std::size_t rank) {
  std::vector<double> excess;
  for (std::size_t p = 0; p < all.steps.front().ranks[rank].pieces.size(); ++p) {
    const double longer = usual_work(all, rank, p) * (1 - others_share(worked, rank, p));
    excess.push_back(longer > kLeastAsleep * all.recorded_ns ? longer : 0);
  }
  return excess;
}

/// CPU use of each rank, % of one core.
using CoreShares = std::vector<std::optional<double>>;

/// CPU use of a rank during these steps, % of one core; nothing if it was not read.
std::optional<double> core_share(const model::RunModel& model, const RankModel& rank,
                                 std::int64_t begin_ns, std::int64_t end_ns) {
  const auto host = model.hosts().find(rank.node);
  if (host == model.hosts().end() || !rank.hello) return std::nullopt;
  const auto place = static_cast<std::size_t>(std::max(0, rank.hello->local_rank));
  if (place >= host->second.rank_cpu.size()) return std::nullopt;
  double sum = 0;
  double count = 0;
  for (const model::Sample& sample : host->second.rank_cpu[place].samples()) {
    if (sample.at_ns < begin_ns || sample.at_ns > end_ns) continue;
    sum += static_cast<double>(sample.value);
    ++count;
  }
  return count > 0 ? std::optional(sum / count) : std::nullopt;
}

/// Whether a rank sleeps in its extra time: then it uses as much CPU as the others, and otherwise
/// more. Nothing if CPU use was not read.
std::optional<bool> sleeps(const CoreShares& shares, std::size_t rank, double longer) {
  double others = 0;
  for (std::size_t i = 0; i < shares.size(); ++i) {
    if (!shares[i]) return std::nullopt;
    if (i != rank) others += *shares[i] / static_cast<double>(shares.size() - 1);
  }
  if (!(others > 0)) return std::nullopt;
  return *shares[rank] / others - 1 < 0.5 * longer;
}

CoreShares core_shares(const model::RunModel& model, const std::vector<StepTimes>& times) {
  CoreShares shares;
  for (std::size_t i = 0; i < times.front().ranks.size(); ++i)
    shares.push_back(core_share(model, *model.rank(model.ranks()[i]), times.front().ranks[i].begin,
                                times.back().ranks[i].end));
  return shares;
}

/// A time at which a rank starts or stops computing.
struct Turn {
  double at_ns = 0;
  int change = 0;  ///< change in the number of computing ranks
  Piece* piece = nullptr;
};

/// Adds a part of a piece that begins at that time.
void add_turns(double begin_ns, double length_ns, Piece& piece, std::vector<Turn>& turns) {
  turns.push_back({begin_ns, 1, &piece});
  turns.push_back({begin_ns + length_ns, -1, &piece});
}

std::vector<Turn> turns_of(std::size_t group, WorkedSteps& all,
                           const std::vector<StepTimes>& times) {
  std::vector<Turn> turns;
  const auto zero = static_cast<double>(times.front().ranks.front().begin);
  for (std::size_t s = 0; s < all.steps.size(); ++s) {
    for (std::size_t i = 0; i < all.steps[s].ranks.size(); ++i) {
      if (all.cores.group_of[i] != group) continue;
      auto& pieces = all.steps[s].ranks[i].pieces;
      double at = static_cast<double>(times[s].ranks[i].begin) - zero;
      for (std::size_t p = 0; p < pieces.size(); ++p) {
        const double end = p + 1 < pieces.size()
                               ? at + pieces[p].ns()
                               : static_cast<double>(times[s].ranks[i].end) - zero;
        const double first = pieces[p].work_ns * pieces[p].before;
        const double second = pieces[p].work_ns - first;
        add_turns(end - pieces[p].ns(), first, pieces[p], turns);
        add_turns(end - second, second, pieces[p], turns);
        at = end;
      }
    }
  }
  std::ranges::sort(turns, [](const Turn& a, const Turn& b) {
    return std::pair(a.at_ns, -a.change) < std::pair(b.at_ns, -b.change);
  });
  return turns;
}

/// Converts times into work: all ranks of a group that compute at a time are equally fast, so a
/// piece contains the work that each of them did between its begin and its end.
void take_shares_off(WorkedSteps& all, const std::vector<StepTimes>& times) {
  for (std::size_t group = 0; group < all.cores.all.size(); ++group) {
    const auto turns = turns_of(group, all, times);
    for (const Turn& turn : turns) turn.piece->work_ns = 0;
    int computing = 0;
    double done = 0;
    double last = 0;
    for (const Turn& turn : turns) {
      done += (turn.at_ns - last) * all.cores.speed(group, computing);
      last = turn.at_ns;
      computing += turn.change;
      turn.piece->work_ns -= turn.change * done;
    }
  }
}

/// By how much a rank takes longer than the others, and whether it sleeps in that time.
struct RankExcess {
  std::vector<double> by_piece;
  double sum = 0;
  std::optional<bool> asleep;
};

RankExcess rank_excess_of(const WorkedSteps& all, const WorkedSteps& worked,
                          const CoreShares& shares, std::size_t rank) {
  RankExcess excess{usual_excess(all, worked, rank), 0, {}};
  excess.sum = std::accumulate(excess.by_piece.begin(), excess.by_piece.end(), 0.0);
  if (excess.sum <= 0) return excess;
  double own = 0;
  for (const WorkedStep& step : all.steps)
    for (const Piece& piece : step.ranks[rank].pieces) own += piece.work_ns;
  own /= static_cast<double>(all.steps.size());
  excess.asleep = sleeps(shares, rank, excess.sum / std::max(1.0, own - excess.sum));
  return excess;
}

/// Takes the usual excess of a rank as sleep if its CPU use shows that. Ranks that wait for a core
/// use no CPU either; so of the ranks that share cores only that with the largest excess sleeps.
void put_to_sleep(const CoreShares& shares, const std::vector<StepTimes>& times, WorkedSteps& all) {
  all.knows_asleep = true;
  WorkedSteps worked = all;
  if (all.cores.all.size() > 1 && all.cores.are_crowded()) take_shares_off(worked, times);
  std::vector<RankExcess> excesses;
  std::vector<double> least(all.cores.all.size());  // by group
  for (std::size_t rank = 0; rank < shares.size(); ++rank) {
    const RankExcess& excess = excesses.emplace_back(rank_excess_of(all, worked, shares, rank));
    double& most = least[all.cores.group_of[rank]];
    if (excess.asleep.value_or(true) && all.cores.is_crowded(all.cores.group_of[rank]))
      most = std::max(most, excess.sum);
  }
  for (std::size_t rank = 0; rank < shares.size(); ++rank) {
    const RankExcess& excess = excesses[rank];
    if (excess.sum <= 0 || excess.sum < least[all.cores.group_of[rank]]) continue;
    all.knows_asleep = all.knows_asleep && excess.asleep.has_value();
    for (std::size_t p = 0; p < excess.by_piece.size(); ++p) {
      if (!excess.asleep.value_or(p == 0)) continue;
      for (WorkedStep& step : all.steps) {
        Piece& piece = step.ranks[rank].pieces[p];
        piece.asleep_ns = std::min(piece.work_ns, excess.by_piece[p]);
        piece.work_ns -= piece.asleep_ns;
      }
    }
  }
}

/// Time in ns in which each number of ranks of a group computed at once, by group and number.
std::vector<std::vector<double>> times_by_count(WorkedSteps& all,
                                                const std::vector<StepTimes>& times) {
  std::vector<std::vector<double>> found;
  for (std::size_t group = 0; group < all.cores.all.size(); ++group) {
    std::vector<double>& by_count = found.emplace_back(all.cores.group_of.size() + 1);
    int computing = 0;
    double last = 0;
    for (const Turn& turn : turns_of(group, all, times)) {
      // Rounded times of two steps may overlap by some ns.
      const auto count = std::min(static_cast<std::size_t>(computing), by_count.size() - 1);
      by_count[count] += turn.at_ns - last;
      last = turn.at_ns;
      computing += turn.change;
    }
  }
  return found;
}

/// Sets the share of the cores that other processes use, so that the replayed CPU time of the ranks
/// equals the measured one; at most what those processes used. The kernel divides a host among
/// sessions, so more computing ranks of one run do not get a larger share.
void add_others(const model::RunModel& model, const std::vector<StepTimes>& times,
                const CoreShares& shares, WorkedSteps& all) {
  const auto load = host_load(model);
  if (all.cores.per_rank == 0 || !load) return;
  all.cores.full = load->busy >= kFullHost * load->cpus && load->others() >= kLeastFilling;
  const auto times_by_group = times_by_count(all, times);
  const auto length = static_cast<double>(times.back().ranks[0].end - times.front().ranks[0].begin);
  double took_ns = 0;
  for (const auto& share : shares) took_ns += share.value_or(0) / 100 * length;
  double most = std::min(load->others() / load->cpus, 1 - kLeastLeft / load->cpus);
  double least = 0;
  const bool told = std::ranges::all_of(shares, [](const auto& one) { return one.has_value(); });
  for (int half = 0; told && half < 20; ++half) {
    all.cores.others = (least + most) / 2;
    double work_ns = 0;
    for (std::size_t group = 0; group < times_by_group.size(); ++group)
      for (std::size_t i = 1; i < times_by_group[group].size(); ++i)
        work_ns += static_cast<double>(i) * all.cores.per_rank * times_by_group[group][i] *
                   all.cores.speed(group, static_cast<int>(i));
    (work_ns > took_ns ? least : most) = all.cores.others;
  }
  all.cores.others = most;
}

/// Differences in work between the ranks but this one, ns: the sum over the pieces, each at its
/// median.
double differences_without(std::size_t rank, const WorkedSteps& all) {
  double sum = 0;
  for (std::size_t p = 0; p < all.steps.front().ranks.front().pieces.size(); ++p) {
    double least = std::numeric_limits<double>::infinity();
    double most = 0;
    for (std::size_t i = 0; i < all.cores.group_of.size(); ++i) {
      if (i == rank) continue;
      const double work = usual_work(all, i, p);
      least = std::min(least, work);
      most = std::max(most, work);
    }
    sum += most - least;
  }
  return sum;
}

bool sleeps_in(const WorkedSteps& all, std::size_t rank, std::size_t piece) {
  return std::ranges::any_of(all.steps, [&](const WorkedStep& step) {
    return step.ranks[rank].pieces[piece].asleep_ns > 0;
  });
}

/// Takes a piece of a rank to sleep after that share of its work, and to be awake so many times as
/// long.
void set_sleep(WorkedSteps& all, std::size_t rank, std::size_t p, double before, double longer) {
  for (WorkedStep& step : all.steps) {
    Piece& piece = step.ranks[rank].pieces[p];
    const double length = piece.ns();
    piece.work_ns = std::min(length, piece.work_ns * longer);
    piece.asleep_ns = length - piece.work_ns;
    piece.before = before;
  }
}

/// Finds where in its pieces a rank sleeps, at their begin, in the middle or at their end: then
/// ranks that share its cores have as much work as ranks elsewhere, and it has as much itself,
/// which tells how long it sleeps. Ranks that all share the same cores cannot tell, nor can one
/// other.
void place_sleep(std::vector<StepTimes> times, WorkedSteps& all) {
  if (all.cores.all.size() < 2 || all.cores.group_of.size() < 3) return;
  WorkedSteps some = all;
  some.steps.resize(std::min(all.steps.size(), kPlacedSteps));
  times.resize(some.steps.size());
  const auto with_sleep = [&](std::size_t rank, std::size_t p, double before) {
    set_sleep(some, rank, p, before, 1);
    WorkedSteps worked = some;
    take_shares_off(worked, times);
    return worked;
  };
  for (std::size_t rank = 0; rank < all.cores.group_of.size(); ++rank) {
    const std::size_t group = all.cores.group_of[rank];
    if (!all.cores.is_crowded(group) || std::ranges::count(all.cores.group_of, group) < 2) continue;
    for (std::size_t p = 0; p < all.steps.front().ranks.front().pieces.size(); ++p) {
      if (!sleeps_in(some, rank, p)) continue;
      double best = 0.5;
      double least = differences_without(rank, with_sleep(rank, p, best));
      for (const double before : {0.0, 1.0}) {
        const double differences = differences_without(rank, with_sleep(rank, p, before));
        if (differences >= least) continue;
        least = differences;
        best = before;
      }
      for (int round = 0; round < kRounds; ++round) {
        const double longer = others_share(with_sleep(rank, p, best), rank, p);
        set_sleep(some, rank, p, best, longer);
        set_sleep(all, rank, p, best, longer);
      }
    }
  }
}

std::string missing_in(const model::RunModel& model) {
  if (model.world_size() < 2)
    return "One rank waits for no other: a replay needs at least two ranks.";
  if (std::ssize(model.ranks()) < model.world_size())
    return "Not every rank of this run has reported.";
  if (!model.clocks_known()) return "The clocks of its nodes were never compared.";
  for (const Rank rank : model.ranks())
    if (model.rank(rank)->buckets.empty())
      return "Rank " + std::to_string(rank) +
             " recorded no gradient buckets, so it is not known when it was ready.";
  return {};
}

}  // namespace

double upper_median(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + std::ssize(values) / 2;
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

WorkedSteps worked_steps(const model::RunModel& model, StepRange only) {
  WorkedSteps all;
  all.missing = missing_in(model);
  if (!all.missing.empty()) return all;
  StepRange range = timed_steps(model).range;
  const Step attempt = model.attempts().empty() ? 0 : model.attempts().back().first_step;
  range.begin = std::max(only.count() > 0 ? only.begin : range.begin, attempt);
  if (only.count() > 0) range.end = std::min(range.end, only.end);
  const std::vector<StepTimes> times = whole_steps(model, range);
  if (std::ssize(times) < kLeastReplayed) {
    all.missing = "Only " + std::to_string(times.size()) +
                  (only.count() > 0 ? " of these steps" : " steps after the warm-up") +
                  " were recorded whole by all ranks and are kept; a replay needs " +
                  std::to_string(kLeastReplayed) + ".";
    return all;
  }
  for (const auto& bucket : times.back().ranks.front().buckets)
    all.bucket_bytes.push_back(bucket.size_bytes);
  for (std::size_t s = 0; s < times.size(); ++s) {
    all.steps.push_back(as_recorded(times[s], times.front().ranks.front().begin));
    all.steps.back().follows = s > 0 && follows(times[s - 1], times[s]);
    for (const RankTimes& rank : times[s].ranks)
      all.recorded_ns += static_cast<double>(rank.end - rank.begin);
  }
  all.recorded_ns /= static_cast<double>(times.size() * times.front().ranks.size());
  all.cores = cores_of(model);
  const CoreShares shares = core_shares(model, times);
  put_to_sleep(shares, times, all);
  add_others(model, times, shares, all);
  all.shared = all.cores.are_crowded();
  if (all.shared) {
    place_sleep(times, all);
    take_shares_off(all, times);
  }
  return all;
}

}  // namespace ringside::analysis
