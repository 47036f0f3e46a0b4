#include "gui/analysis/groups/hangs.h"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>

#include "gui/model/groups/group_store.h"
#include "gui/model/rank_model.h"
#include "gui/model/run_events.h"
#include "gui/model/run_model.h"
#include "protocol/messages/notice_codes.h"
#include "protocol/messages/silence.h"

namespace ringside::analysis {
namespace {

using messages::Collective;
using model::GroupArrival;
using model::GroupRound;

/// Delay of a collective's report if no step follows.
constexpr std::int64_t kToldNs = 2'000'000'000;

/// A collective of a group that some members wait in and others have not entered.
struct Wait {
  const GroupRound* round = nullptr;
  std::int64_t since_ns = 0;
  std::vector<Rank> waiting;
  std::vector<Rank> missing;
};

/// Whether members may complete their part without the others; on a device the time of that is
/// unknown.
bool ends_alone(Collective operation) {
  return operation == Collective::kBroadcast || operation == Collective::kReduce ||
         operation == Collective::kGather || operation == Collective::kScatter;
}

std::optional<Wait> wait_in(const model::GroupStore& store, const GroupRound& round) {
  const auto& ranks = store.groups()[round.group].ranks;
  const auto reached = store.reached(round.group);
  Wait wait{&round, std::numeric_limits<std::int64_t>::max(), {}, {}};
  for (std::size_t place = 0; place < ranks.size(); ++place) {
    const GroupArrival& arrival = round.arrivals[place];
    if (reached[place] < round.number) {
      wait.missing.push_back(ranks[place]);
    } else if (arrival.came && arrival.done_ns < 0 &&
               !(round.on_device && ends_alone(arrival.operation))) {
      wait.waiting.push_back(ranks[place]);
      wait.since_ns = std::min(wait.since_ns, arrival.entered_ns);
    }
  }
  if (wait.missing.empty() || wait.waiting.empty()) return std::nullopt;
  std::sort(wait.waiting.begin(), wait.waiting.end());
  return wait;
}

/// The first wait of each group.
std::vector<Wait> waits_of(const model::GroupStore& store) {
  std::vector<Wait> waits;
  std::optional<std::size_t> found;
  for (const auto& [key, pending] : store.pending()) {
    if (found == key.first) continue;
    auto wait = wait_in(store, pending.round);
    if (!wait) continue;
    found = key.first;
    waits.push_back(std::move(*wait));
  }
  return waits;
}

/// Whether a rank has reported all collectives that it has entered.
bool tells_all(const model::RunModel& model, Rank number, const std::set<Node>& unknown) {
  const model::RankModel* rank = model.rank(number);
  if (rank == nullptr || rank->left || rank->behind || rank->goodbye || !rank->state) return false;
  if (rank->state->state != messages::State::kTraining || unknown.contains(rank->node))
    return false;
  if (rank->counts.lost > rank->lost_before || !model.groups().last_entered(number)) return false;
  return std::none_of(model.notices().begin(), model.notices().end(), [&](const auto& entry) {
    return entry.stamp.rank == number && entry.notice.code == messages::kInstrumentOff;
  });
}

class Search {
 public:
  Search(const model::RunModel& model, std::int64_t now_ns, const std::set<Node>& unknown)
      : model_(model), now_ns_(now_ns), unknown_(unknown), waits_(waits_of(model.groups())) {
    for (const Wait& wait : waits_) waiting_.insert(wait.waiting.begin(), wait.waiting.end());
  }

  Hangs found(const std::set<Rank>& silent) const {
    std::map<Rank, const Wait*> named;
    for (const Wait& wait : waits_) {
      if (!is_among_some(wait)) continue;
      const bool stands = std::any_of(wait.waiting.begin(), wait.waiting.end(),
                                      [&](Rank rank) { return silent.contains(rank); });
      for (const Rank rank : wait.missing) {
        if (!stands || !is_to_blame(rank) || !waited_ns(wait, rank)) continue;
        const Wait*& of = named[rank];
        if (of == nullptr || comes_before(wait, *of)) of = &wait;
      }
    }
    Hangs result;
    for (const auto& [rank, wait] : named) {
      result.explained.insert(rank);
      const std::int64_t waited = *waited_ns(*wait, rank);
      if (waited < messages::kLeastSilenceNs) continue;
      const double seconds = static_cast<double>(waited) / 1e9;
      result.hangs.push_back({rank, wait->round->group, wait->round->operation, wait->round->number,
                              seconds, wait->waiting});
    }
    explain(result.explained);
    return result;
  }

 private:
  bool is_among_some(const Wait& wait) const {
    const auto members = model_.groups().groups()[wait.round->group].ranks.size();
    return static_cast<Rank>(members) < model_.world_size();
  }

  bool is_to_blame(Rank rank) const {
    if (waiting_.contains(rank) || !tells_all(model_, rank, unknown_)) return false;
    const auto last = model_.groups().last_entered(rank);
    return !last->between_two || last->done;
  }

  /// How long the missing rank has kept the others waiting, as far as the records of both nodes
  /// show; nothing if that is unknown. If the rank was itself held up before, the time counts from
  /// when it resumed.
  std::optional<std::int64_t> waited_ns(const Wait& wait, Rank missing) const {
    std::int64_t late_ns = 0;
    for (const Rank number : {wait.waiting.front(), missing}) {
      const Node node = model_.rank(number)->node;
      const auto late = model_.late_ns(node);
      if (!late || !model_.clock_known(node)) return std::nullopt;
      late_ns = std::max(late_ns, *late);
    }
    const std::int64_t resumed_ns = model_.groups().last_entered(missing)->resumed_ns;
    return now_ns_ - late_ns - kToldNs - std::max(wait.since_ns, resumed_ns);
  }

  /// A wait with fewer missing members comes first; the others wait elsewhere for the same ranks.
  static bool comes_before(const Wait& one, const Wait& other) {
    if (one.missing.size() != other.missing.size())
      return one.missing.size() < other.missing.size();
    return one.since_ns < other.since_ns;
  }

  void explain(std::set<Rank>& explained) const {
    for (std::size_t before = 0; before != explained.size();) {
      before = explained.size();
      for (const Wait& wait : waits_) {
        const bool through = std::any_of(wait.missing.begin(), wait.missing.end(),
                                         [&](Rank rank) { return explained.contains(rank); });
        if (through) explained.insert(wait.waiting.begin(), wait.waiting.end());
      }
    }
  }

  const model::RunModel& model_;
  std::int64_t now_ns_;
  const std::set<Node>& unknown_;
  std::vector<Wait> waits_;
  std::set<Rank> waiting_;
};

}  // namespace

Hangs hangs(const model::RunModel& model, std::int64_t now_ns, const std::set<Rank>& silent,
            const std::set<Node>& unknown) {
  if (silent.empty()) return {};
  return Search(model, now_ns, unknown).found(silent);
}

}  // namespace ringside::analysis
