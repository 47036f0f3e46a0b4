#include "gui/analysis/groups/groups.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <tuple>

#include "gui/analysis/groups/reported_groups.h"
#include "gui/model/rank_model.h"
#include "gui/model/run_model.h"

namespace ringside::analysis {
namespace {

using model::GroupArrival;
using model::GroupRound;
using model::Metric;

double middle_of(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

/// Median of the others; `sorted` has two values or more, including `own`.
double middle_without(const std::vector<double>& sorted, double own) {
  const auto place =
      static_cast<std::size_t>(std::ranges::lower_bound(sorted, own) - sorted.begin());
  const auto other = [&](std::size_t k) { return sorted[k < place ? k : k + 1]; };
  const std::size_t others = sorted.size() - 1;
  if (others % 2 == 1) return other(others / 2);
  return (other(others / 2 - 1) + other(others / 2)) / 2;
}

/// Uncertainty between the clocks of its members' nodes; nothing: one is unknown.
std::optional<std::int64_t> unsure_ns(const model::RunModel& model,
                                      const model::ProcessGroup& group) {
  std::map<Node, std::int64_t> nodes;
  for (const Rank number : group.ranks) {
    const model::RankModel* rank = model.rank(number);
    const Node node = rank == nullptr ? 0 : rank->node;
    if (!model.clock_known(node)) return std::nullopt;
    nodes[node] = model.clock_uncertainty_ns(node, model.last_ns());
  }
  std::int64_t sum = 0;
  for (const auto& [node, uncertainty] : nodes) sum += nodes.size() > 1 ? uncertainty : 0;
  return sum;
}

/// Uncertainties by group, in the order of the store.
std::vector<std::optional<std::int64_t>> unsure_groups(const model::RunModel& model) {
  std::vector<std::optional<std::int64_t>> unsure;
  for (const auto& group : reported_groups(model).groups())
    unsure.push_back(unsure_ns(model, group));
  return unsure;
}

struct RowSums {
  GroupOperation row;
  Step sized = 0;  ///< number of calls with a known size
  double bytes = 0;
  std::int64_t waits = 0;
  double wait_ns = 0;
  std::int64_t transfers = 0;
  double transfer_ns = 0;
  double link_bytes = 0;  ///< bytes over the link in those of them whose transfer took link_ns
  double link_ns = 0;
};

/// Bytes over each link of a ring of this many ranks, per byte of a rank's input.
double link_share(messages::Collective operation, std::size_t ranks) {
  const double others = static_cast<double>(ranks) - 1;
  switch (operation) {
    case messages::Collective::kAllReduce:
      return 2 * others / static_cast<double>(ranks);
    case messages::Collective::kAllGather:
    case messages::Collective::kGather:
      return others;
    case messages::Collective::kReduceScatter:
    case messages::Collective::kScatter:
    case messages::Collective::kAllToAll:
      return others / static_cast<double>(ranks);
    case messages::Collective::kBarrier:
      return 0;
    default:
      return 1;
  }
}

bool all_came(const GroupRound& round) {
  return std::ranges::all_of(round.arrivals, [](const GroupArrival& one) { return one.came; });
}

/// Adds which rank came last in a call, how long the others waited, and how long the transfer took.
/// It starts when the last rank came, or at `free_ns`, the end of the call before, since a group
/// runs its calls one after another. Returns the end; -1: unknown.
std::int64_t judge(const GroupRound& round, std::int64_t unsure, std::int64_t free_ns,
                   RowSums& sums) {
  const auto& arrivals = round.arrivals;
  const auto earlier = [](const GroupArrival& a, const GroupArrival& b) {
    return a.entered_ns < b.entered_ns;
  };
  const auto last = std::ranges::max_element(arrivals, earlier);
  std::int64_t second_ns = std::numeric_limits<std::int64_t>::min();
  std::int64_t end_ns = 0;
  bool ended = true;
  for (std::size_t i = 0; i < arrivals.size(); ++i) {
    const std::int64_t wait_ns = last->entered_ns - arrivals[i].entered_ns;
    ended = ended && arrivals[i].done_ns >= 0;
    end_ns = std::max(end_ns, arrivals[i].done_ns);
    if (&arrivals[i] == &*last) continue;
    second_ns = std::max(second_ns, arrivals[i].entered_ns);
    if (wait_ns <= unsure) continue;
    sums.row.members[i].mean_wait_ns += static_cast<double>(wait_ns);
    sums.wait_ns += static_cast<double>(wait_ns);
  }
  sums.waits += static_cast<std::int64_t>(arrivals.size()) - 1;
  ++sums.row.judged;
  if (last->entered_ns - second_ns > unsure)
    ++sums.row.members[static_cast<std::size_t>(last - arrivals.begin())].times_last;
  if (!ended || end_ns < last->entered_ns) return -1;
  const std::int64_t begin_ns = std::max(last->entered_ns, free_ns);
  // The call overlaps with the one before, so its duration is unknown.
  if (end_ns <= begin_ns) return end_ns;
  const auto took_ns = static_cast<double>(end_ns - begin_ns);
  ++sums.transfers;
  sums.transfer_ns += took_ns;
  if (round.size_bytes < 0) return end_ns;
  sums.link_bytes +=
      static_cast<double>(round.size_bytes) * link_share(round.operation, round.arrivals.size());
  sums.link_ns += took_ns;
  return end_ns;
}

GroupOperation finished(RowSums sums, Step steps) {
  GroupOperation row = std::move(sums.row);
  if (steps > 0) row.calls_per_step = static_cast<double>(row.calls) / static_cast<double>(steps);
  if (sums.sized > 0) row.size_bytes = sums.bytes / static_cast<double>(sums.sized);
  if (sums.waits > 0) row.wait_ns = sums.wait_ns / static_cast<double>(sums.waits);
  if (sums.transfers > 0) row.transfer_ns = sums.transfer_ns / static_cast<double>(sums.transfers);
  if (sums.link_bytes > 0 && sums.link_ns > 0)
    row.link_per_s = sums.link_bytes / sums.link_ns * 1e9;
  for (GroupMember& member : row.members) {
    if (row.judged > 0) member.mean_wait_ns /= static_cast<double>(row.judged);
  }
  if (row.judged == 0) row.members.clear();
  return row;
}

/// Excess of a rank's own time over the others' in each step.
struct Excess {
  std::vector<double> more;  ///< over the median of the others
  std::vector<double> lead;  ///< over the longest of the others
};

/// Wilcoxon's signed-rank statistic in standard deviations: how far the values are from being as
/// often and as much above zero as below, which spikes in few values do not affect. Source:
/// Hollander, Wolfe, Chicken, "Nonparametric Statistical Methods", 3rd ed., 3.1.
double signed_rank(std::vector<double> values) {
  std::erase(values, 0.0);
  std::ranges::sort(values, {}, [](double value) { return std::abs(value); });
  double sum = 0;
  for (std::size_t begin = 0, end = 0; begin < values.size(); begin = end) {
    while (end < values.size() && std::abs(values[end]) == std::abs(values[begin])) ++end;
    const double rank = static_cast<double>(begin + 1 + end) / 2;  // mean rank of equal values
    for (std::size_t i = begin; i < end; ++i) sum += std::copysign(rank, values[i]);
  }
  const auto n = static_cast<double>(values.size());
  return n == 0 ? 0 : sum / std::sqrt(n * (n + 1) * (2 * n + 1) / 6);
}

/// Whether it is longer than every other by 4 standard deviations, and longer than their median by
/// more than `least` in both halves of the steps.
bool proven(const Excess& of, double least) {
  if (of.more.size() < static_cast<std::size_t>(kLeastGroupSteps)) return false;
  const auto half = of.more.begin() + static_cast<std::ptrdiff_t>(of.more.size() / 2);
  return middle_of({of.more.begin(), half}) > least && middle_of({half, of.more.end()}) > least &&
         signed_rank(of.lead) > 4;
}

/// Ranks' own times by place in the step. A rank is judged at each place, where its group waits for
/// the slowest, and for the whole step, in which small excesses may add up.
class OwnTimes {
 public:
  void add(const GroupRound& round, const model::ProcessGroup& group, Step place) {
    std::map<Rank, double> own;
    for (std::size_t i = 0; i < group.ranks.size(); ++i) {
      if (round.arrivals[i].own_ns < 0) continue;
      own[group.ranks[i]] = static_cast<double>(round.arrivals[i].own_ns);
    }
    if (own.size() < 2) return;
    std::vector<double> sorted;
    for (const auto& [rank, time] : own) sorted.push_back(time);
    std::ranges::sort(sorted);
    auto& ranks = places_[{round.group, round.operation, place}];
    for (const auto& [rank, time] : own) {
      const double more = time - middle_without(sorted, time);
      ranks[rank].more.push_back(more);
      ranks[rank].lead.push_back(lead(sorted, time));
      steps_[round.step][rank] += more;
    }
  }

  std::optional<GroupBlame> blame(double step_ns) const {
    if (step_ns <= 0) return std::nullopt;  // without step times the excess cannot be judged
    std::map<Rank, Excess> whole;
    for (const auto& [step, ranks] : steps_) {
      std::vector<double> sorted;
      for (const auto& [rank, more] : ranks) sorted.push_back(more);
      std::ranges::sort(sorted);
      for (const auto& [rank, more] : ranks) {
        whole[rank].more.push_back(more);
        whole[rank].lead.push_back(lead(sorted, more));
      }
    }
    std::optional<GroupBlame> found;
    const auto judge = [&](const std::map<Rank, Excess>& ranks, const Place* place) {
      for (const auto& [rank, excess] : ranks) {
        const double more_ns =
            proven(excess, kLeastGroupExcess * step_ns) ? middle_of(excess.more) : 0;
        if (more_ns <= (found ? found->excess_ns : 0)) continue;
        const auto leads = std::ranges::count_if(excess.lead, [](double lead) { return lead > 0; });
        found =
            GroupBlame{rank, 0, {}, 0, more_ns, 0, static_cast<Step>(excess.more.size()), leads};
        if (place == nullptr) set_place(*found);
        if (place != nullptr) std::tie(found->group, found->operation, found->place) = *place;
      }
    };
    judge(whole, nullptr);
    for (const auto& [place, ranks] : places_) judge(ranks, &place);
    return found;
  }

 private:
  using Place = std::tuple<std::size_t, messages::Collective, Step>;

  /// Excess over the longest of the others; `sorted` has two values or more.
  static double lead(const std::vector<double>& sorted, double own) {
    return own - (own < sorted.back() ? sorted.back() : sorted.end()[-2]);
  }

  /// Sets the place with the rank's largest excess.
  void set_place(GroupBlame& blame) const {
    double greatest = 0;
    for (const auto& [place, ranks] : places_) {
      const auto rank = ranks.find(blame.rank);
      const double excess = rank == ranks.end() ? 0 : middle_of(rank->second.more);
      if (excess <= greatest) continue;
      greatest = excess;
      std::tie(blame.group, blame.operation, blame.place) = place;
    }
  }

  std::map<Step, std::map<Rank, double>> steps_;
  std::map<Place, std::map<Rank, Excess>> places_;
};

double mean_of(const model::RankModel& rank, Metric metric, StepRange range) {
  return rank.series(metric)
      .sum(static_cast<std::size_t>(range.begin), static_cast<std::size_t>(range.end))
      .mean();
}

double step_time_ns(const model::RunModel& model, StepRange range) {
  double longest = 0;
  for (const Rank rank : model.ranks()) {
    const double mean = mean_of(*model.rank(rank), Metric::kStepTime, range);
    if (mean > longest) longest = mean;
  }
  return longest;
}

/// 0 if a rank does not report how long it waits for data.
double data_excess_ns(const model::RunModel& model, Rank blamed, StepRange range) {
  std::vector<double> others;
  for (const Rank rank : model.ranks()) {
    const double mean = mean_of(*model.rank(rank), Metric::kDataWait, range);
    if (rank != blamed && !std::isnan(mean)) others.push_back(mean);
  }
  const double own = mean_of(*model.rank(blamed), Metric::kDataWait, range);
  return others.empty() || std::isnan(own) ? 0 : std::max(0.0, own - middle_of(std::move(others)));
}

/// Calls in these steps by the group's call numbers, so those of a step are in order.
std::vector<const GroupRound*> calls_of(const model::GroupStore& store, StepRange range) {
  std::vector<const GroupRound*> calls;
  for (const GroupRound& round : store.rounds()) {
    if (range.count() == 0 || (round.step >= range.begin && round.step < range.end))
      calls.push_back(&round);
  }
  std::ranges::stable_sort(calls, [](const GroupRound* a, const GroupRound* b) {
    return std::tuple(a->group, a->step, a->number) < std::tuple(b->group, b->step, b->number);
  });
  return calls;
}

/// Whether a collective is missing between these: ranks that make very many report only some steps.
bool has_gap(const std::vector<const GroupRound*>& calls) {
  std::map<std::size_t, std::int64_t> newest;
  for (const GroupRound* call : calls) {
    if (model::is_between_two(call->operation)) continue;
    const auto [at, first] = newest.try_emplace(call->group, call->number);
    if (!first && call->number > at->second + 1) return true;
    at->second = std::max(at->second, call->number);
  }
  return false;
}

/// Begin of a step, mean of these ranks; nothing if one has not reported it.
std::optional<double> begin_ns(const model::RunModel& model, const std::vector<Rank>& ranks,
                               Step step) {
  double sum = 0;
  for (const Rank number : ranks) {
    const model::RankModel* rank = model.rank(number);
    const auto time = rank == nullptr ? std::nullopt : time_of_step(*rank, step);
    if (!time) return std::nullopt;
    sum += static_cast<double>(time->begin_ns);
  }
  return sum / static_cast<double>(ranks.size());
}

LaneCall placed(const GroupRound& round, double begin_ns) {
  double first = std::numeric_limits<double>::max();
  double sum = 0;
  LaneCall call;
  bool ended = true;
  for (const GroupArrival& one : round.arrivals) {
    const double entered = static_cast<double>(one.entered_ns) - begin_ns;
    first = std::min(first, entered);
    sum += entered;
    call.arrived_ns = std::max(call.arrived_ns, entered);
    call.done_ns = std::max(call.done_ns, static_cast<double>(one.done_ns) - begin_ns);
    ended = ended && one.done_ns >= 0;
  }
  call.entered_ns = first;
  call.wait_ns = call.arrived_ns - sum / static_cast<double>(round.arrivals.size());
  if (!ended) call.done_ns = call.arrived_ns;
  return call;
}

/// Mean calls of steps with the same number of calls.
std::vector<LaneCall> mean_calls(const std::vector<std::vector<LaneCall>>& steps) {
  std::vector<LaneCall> mean(steps.front().size());
  const auto count = static_cast<double>(steps.size());
  for (const auto& calls : steps) {
    for (std::size_t i = 0; i < calls.size(); ++i) {
      mean[i].entered_ns += calls[i].entered_ns / count;
      mean[i].arrived_ns += calls[i].arrived_ns / count;
      mean[i].done_ns += calls[i].done_ns / count;
      mean[i].wait_ns += calls[i].wait_ns / count;
    }
  }
  return mean;
}

}  // namespace

std::vector<Lane> lanes(const model::RunModel& model) {
  const model::GroupStore& store = reported_groups(model);
  const StepRange range = recent_steps(model);
  if (range.count() == 0) return {};
  const auto unsure = unsure_groups(model);
  std::map<std::pair<std::size_t, Step>, std::vector<LaneCall>> steps;
  for (const GroupRound* round : calls_of(store, range)) {
    const model::ProcessGroup& group = store.groups()[round->group];
    if (group.ranks.size() < 2 || !all_came(*round) || round->on_device) continue;
    const auto begin = begin_ns(model, group.ranks, round->step);
    if (begin && unsure[round->group])
      steps[{round->group, round->step}].push_back(placed(*round, *begin));
  }
  std::map<std::size_t, std::map<std::size_t, std::vector<std::vector<LaneCall>>>> alike;
  for (auto& [key, calls] : steps) {
    const std::size_t count = calls.size();
    alike[key.first][count].push_back(std::move(calls));
  }
  std::vector<Lane> found;
  for (const auto& [group, counts] : alike) {
    const auto most = std::max_element(
        counts.begin(), counts.end(),
        [](const auto& a, const auto& b) { return a.second.size() < b.second.size(); });
    found.push_back({group, mean_calls(most->second)});
  }
  return found;
}

std::optional<Mismatch> mismatch(const model::RunModel& model) {
  const auto& round = model.groups().mismatch();
  if (!round) return std::nullopt;
  const std::vector<Rank>& ranks = model.groups().groups()[round->group].ranks;
  Mismatch found;
  found.group = round->group;
  found.number = round->number;
  found.step = round->step;
  std::map<messages::Collective, std::vector<Rank>> entered;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    if (!round->arrivals[i].came) continue;
    entered[round->arrivals[i].operation].push_back(ranks[i]);
    found.at_ns = std::max(found.at_ns, round->arrivals[i].entered_ns);
  }
  for (auto& [operation, who] : entered) {
    std::ranges::sort(who);
    found.entered.push_back({operation, std::move(who)});
  }
  std::ranges::stable_sort(
      found.entered, [](const auto& a, const auto& b) { return a.ranks.size() < b.ranks.size(); });
  found.majority = 2 * found.entered.back().ranks.size() > ranks.size();
  found.all_came = all_came(*round);
  return found;
}

Groups groups(const model::RunModel& model) {
  const model::GroupStore& store = reported_groups(model);
  const StepRange range = timed_steps(model).range;
  std::map<std::pair<std::size_t, messages::Collective>, RowSums> rows;
  const auto unsure = unsure_groups(model);
  Groups found;
  std::set<Step> steps;
  OwnTimes own;
  const GroupRound* before = nullptr;
  std::int64_t free_ns = -1;
  Step place = 0;
  const auto calls = calls_of(store, range);
  for (const GroupRound* round : calls) {
    const bool same = before != nullptr && before->group == round->group;
    place = same && before->step == round->step ? place + 1 : 0;
    if (!same) free_ns = -1;
    before = round;
    steps.insert(round->step);
    const model::ProcessGroup& group = store.groups()[round->group];
    RowSums& sums = rows[{round->group, round->operation}];
    if (sums.row.members.empty()) {
      for (const Rank rank : group.ranks) sums.row.members.push_back({rank, 0, 0});
    }
    sums.row.group = round->group;
    sums.row.operation = round->operation;
    ++sums.row.calls;
    sums.sized += round->size_bytes >= 0 ? 1 : 0;
    sums.bytes += static_cast<double>(std::max<std::int64_t>(round->size_bytes, 0));
    const bool told = all_came(*round) && round->alike && !round->on_device;
    if (!told || group.ranks.size() < 2 || !unsure[round->group]) continue;
    free_ns = std::max(free_ns, judge(*round, *unsure[round->group], free_ns, sums));
    own.add(*round, group, place);
  }
  found.steps = static_cast<Step>(steps.size());
  // Calls of the newest steps may not be reported yet, and recording may have ended.
  const bool whole = !steps.empty() && store.whole() && !has_gap(calls);
  const Step until_newest = whole ? *steps.rbegin() + 1 - range.begin : found.steps;
  for (auto& [key, sums] : rows) {
    // Sends and receives are counted for each peer, so that a missing one does not show.
    const bool between_two = model::is_between_two(key.second);
    found.rows.push_back(finished(std::move(sums), between_two ? found.steps : until_newest));
  }
  found.blame = own.blame(step_time_ns(model, range));
  if (found.blame) found.blame->data_wait_ns = data_excess_ns(model, found.blame->rank, range);
  return found;
}

const Groups& known_groups(const model::RunModel& model) { return model.once<Groups>(groups); }

}  // namespace ringside::analysis
