#include "gui/model/groups/group_store.h"

#include <algorithm>

namespace ringside::model {
namespace {

/// A pause between or within collectives that is longer than any normal step takes.
constexpr std::int64_t kPauseNs = 2'000'000'000;

/// Rounds after which no rank reports the completion of an older one any more.
constexpr std::size_t kMostAgainBehind = 4096;

/// Compares the operations that the members reported; the first member determines the operation of
/// the round.
void settle(GroupRound& round) {
  const auto came = [](const GroupArrival& one) { return one.came; };
  const auto first = std::ranges::find_if(round.arrivals, came);
  round.operation = first->operation;
  round.alike = std::all_of(first, round.arrivals.end(), [&](const GroupArrival& one) {
    return !one.came || one.operation == first->operation;
  });
}

}  // namespace

std::optional<LastEntered> GroupStore::last_entered(Rank rank) const {
  const auto last = last_entered_.find(rank);
  return last == last_entered_.end() ? std::nullopt : std::optional(last->second);
}

void GroupStore::begin(Rank rank) {
  last_entered_.erase(rank);
  sharing_.erase(rank);
  const auto end = own_.lower_bound({rank + 1, 0});
  for (auto own = own_.lower_bound({rank, 0}); own != end; own = own_.erase(own))
    leave_pending(own->second.group, own->second.place);
}

/// Forgets what a rank reported of incomplete rounds, since its call numbers restart and would
/// match those of earlier rounds.
void GroupStore::leave_pending(std::size_t group, std::size_t place) {
  reached_[group][place] = -1;
  auto pending = pending_.lower_bound({group, 0});
  while (pending != pending_.end() && pending->first.first == group) {
    auto& [round, came] = pending->second;
    if (round.arrivals[place].came) --came;
    round.arrivals[place] = {};
    if (came > 0) {
      settle(round);
      ++pending;
    } else {
      pending = pending_.erase(pending);
    }
  }
}

void GroupStore::begin_attempt(Step first) {
  pending_.clear();
  last_entered_.clear();
  for (auto& group : reached_) std::ranges::fill(group, -1);
  if (mismatch_ && mismatch_->step >= first) mismatch_.reset();
  std::erase_if(rounds_, [first](const GroupRound& round) { return round.step >= first; });
  count_arrivals();
}

bool GroupStore::add(Rank rank, const messages::GroupReport& report) {
  const auto member = std::ranges::find(report.ranks, rank);
  if (member == report.ranks.end() || report.group < 0) return false;
  if (own_.size() >= kMostGroupRanks && !own_.contains({rank, report.group})) return false;
  const auto same = [&](const ProcessGroup& one) {
    return one.name == report.name && one.ranks == report.ranks;
  };
  auto known = std::ranges::find_if(groups_, same);
  if (known == groups_.end()) {
    if (groups_.size() >= kMostGroups || group_ranks_ + report.ranks.size() > kMostGroupRanks)
      return false;
    group_ranks_ += report.ranks.size();
    known = groups_.insert(groups_.end(), ProcessGroup{report.name, {}, {}, {}, report.ranks});
    reached_.emplace_back(report.ranks.size(), -1);
  }
  known->purpose = report.purpose;
  known->backend = report.group_backend;
  if (!report.dimension.empty()) known->dimension = report.dimension;
  if (report.same_samples != 0 && rank != *std::ranges::min_element(report.ranks))
    sharing_.insert(rank);
  own_[{rank, report.group}] = {static_cast<std::size_t>(known - groups_.begin()),
                                static_cast<std::size_t>(member - report.ranks.begin())};
  return true;
}

/// Handles a second report of a complete round, which adds when this rank was done.
bool GroupStore::told_again(std::size_t group, std::size_t place,
                            const messages::CollectiveReport& report) {
  std::int64_t& reached = reached_[group][place];
  const bool fresh = report.number > reached || pending_.contains({group, report.number});
  reached = std::max(reached, report.number);
  if (fresh) return false;
  const auto newest = rounds_.rbegin();
  const auto oldest =
      newest + static_cast<std::ptrdiff_t>(std::min(rounds_.size(), kMostAgainBehind));
  const auto same = std::find_if(newest, oldest, [&](const GroupRound& one) {
    return one.group == group && one.number == report.number && !is_between_two(one.operation);
  });
  if (same != oldest) same->arrivals[place].done_ns = report.done_ns;
  return true;
}

bool GroupStore::add(Rank rank, const messages::CollectiveReport& report) {
  const auto own = own_.find({rank, report.group});
  if (own == own_.end()) return false;
  const auto [group, place] = own->second;
  const auto operation = static_cast<messages::Collective>(report.operation);
  const bool between_two = is_between_two(operation);
  LastEntered& last = last_entered_[rank];
  if (report.entered_ns - last.entered_ns > kPauseNs) last.resumed_ns = report.entered_ns;
  if (report.done_ns - report.entered_ns > kPauseNs)
    last.resumed_ns = std::max(last.resumed_ns, report.done_ns);
  if (report.entered_ns >= last.entered_ns)
    last = {between_two, report.done_ns >= 0, report.entered_ns, last.resumed_ns};
  if (!between_two && told_again(group, place, report)) return true;
  const std::size_t members = groups_[group].ranks.size();
  const GroupArrival arrival{true, operation, report.entered_ns, report.done_ns, report.own_ns};
  Pending alone;
  Pending& pending = between_two ? alone : pending_[{group, report.number}];
  GroupRound& round = pending.round;
  if (round.arrivals.empty()) {
    round.group = group;
    round.number = report.number;
    round.arrivals.resize(members);
  }
  round.on_device = round.on_device || report.on_device != 0;
  round.step = std::max(round.step, report.step);
  round.size_bytes = std::max(round.size_bytes, report.size_bytes);
  // Another member with the operation of all so far changes nothing, and members may be thousands.
  const bool joins = pending.came > 0 && round.alike && round.operation == operation;
  if (!round.arrivals[place].came) ++pending.came;
  round.arrivals[place] = arrival;
  if (!joins) settle(round);
  const bool same = mismatch_ && mismatch_->group == group && mismatch_->number == report.number;
  if (!round.alike && (!mismatch_ || same)) mismatch_ = round;
  if (between_two) {
    keep(std::move(round));
  } else if (pending.came == members) {
    keep(std::move(round));
    pending_.erase({group, report.number});
  } else if (pending_.size() > std::min(kMostPending, kMostPendingArrivals / members)) {
    forget_old();
  }
  return true;
}

/// Drops the older half of the incomplete rounds, whose missing reports may never come.
void GroupStore::forget_old() {
  std::vector<Step> steps;
  for (const auto& [key, pending] : pending_) steps.push_back(pending.round.step);
  const auto middle = steps.begin() + static_cast<std::ptrdiff_t>(steps.size() / 2);
  std::nth_element(steps.begin(), middle, steps.end());
  const Step newest = *middle;
  std::erase_if(pending_, [newest](const auto& one) { return one.second.round.step <= newest; });
}

void GroupStore::keep(GroupRound round) {
  if (round.step % stride_ != 0) return;
  arrivals_ += round.arrivals.size();
  rounds_.push_back(std::move(round));
  if (arrivals_ > kMostArrivals) thin();
}

void GroupStore::count_arrivals() {
  arrivals_ = 0;
  for (const GroupRound& round : rounds_) arrivals_ += round.arrivals.size();
}

/// Keeps fewer steps. If that does not help, as without step numbers, drops the oldest rounds.
void GroupStore::thin() {
  whole_ = false;
  stride_ *= 2;
  std::erase_if(rounds_, [&](const GroupRound& round) { return round.step % stride_ != 0; });
  count_arrivals();
  if (arrivals_ <= kMostArrivals * 3 / 4) return;
  stride_ /= 2;
  rounds_.erase(rounds_.begin(), rounds_.begin() + static_cast<std::ptrdiff_t>(rounds_.size() / 2));
  count_arrivals();
}

}  // namespace ringside::model
