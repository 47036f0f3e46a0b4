// The process groups of a run and what their members did together: each collective with when every
// member entered it and was done. Numbers of ranks are brought together here, by group and number;
// what not all have told yet waits. Bounded: of a long run every second, fourth, ... step is kept.
// Part of RunModel, whose times it has; used by one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "protocol/base/ids.h"
#include "protocol/messages/group_records.h"

namespace ringside::model {

struct ProcessGroup {
  std::string name;
  std::string dimension;  ///< of the device mesh; empty: none is known
  std::string purpose;
  std::string backend;
  std::vector<Rank> ranks;
};

/// One member of one collective.
struct GroupArrival {
  bool came = false;  ///< reported by this member; the rest is valid only then
  messages::Collective operation{};
  std::int64_t entered_ns = 0;
  std::int64_t done_ns = -1;  ///< -1: not known
  std::int64_t own_ns = -1;   ///< its own time before it; -1: not known
};

/// The collective that a rank entered last, of whichever group.
struct LastEntered {
  bool between_two = false;  ///< a send or a receive
  bool done = false;
  std::int64_t entered_ns = 0;
  std::int64_t resumed_ns = 0;  ///< when it went on after its newest pause or wait of over 2 s
};

struct GroupRound {
  std::size_t group = 0;
  messages::Collective operation{};
  bool alike = true;       ///< all members that came did this operation
  bool on_device = false;  ///< when it was entered says only when it was put into a queue
  Step step = 0;
  std::int64_t number = 0;
  std::int64_t size_bytes = -1;        ///< most of any member
  std::vector<GroupArrival> arrivals;  ///< by place in the group's ranks
};

inline constexpr std::size_t kMostGroups = 4096;
inline constexpr std::size_t kMostGroupRanks = 65536;  ///< of all groups together
inline constexpr std::size_t kMostPending = 16'384;    ///< collectives that not all have told
/// A group of many ranks may have fewer of them.
inline constexpr std::size_t kMostPendingArrivals = std::size_t{1} << 22;
inline constexpr std::size_t kMostArrivals = std::size_t{1} << 18;

class GroupStore {
 public:
  /// A rank begins anew, its numbers too.
  void begin(Rank rank);
  /// All ranks start a new attempt at step `first`. Collectives that were not complete are dropped,
  /// and those of that step and later are expected again.
  void begin_attempt(Step first);
  /// False where nobody can believe it, or there are too many.
  bool add(Rank rank, const messages::GroupReport& report);
  /// Times as the model has them. A second report of a collective says that it is done. False if
  /// this rank has reported no such group.
  bool add(Rank rank, const messages::CollectiveReport& report);

  std::span<const ProcessGroup> groups() const { return groups_; }
  /// Rounds that all members have told, sends and receives each by itself; the newest steps last.
  const std::deque<GroupRound>& rounds() const { return rounds_; }
  /// The first one in which members did different things, as far as they have told; kept however
  /// long the run is.
  const std::optional<GroupRound>& mismatch() const { return mismatch_; }
  /// One step in so many is kept.
  Step stride() const { return stride_; }

  struct Pending {
    GroupRound round;
    std::size_t came = 0;
  };
  /// By group and number: what not all members have told.
  const std::map<std::pair<std::size_t, std::int64_t>, Pending>& pending() const {
    return pending_;
  }
  /// The highest number that each member of a group has told, by place; -1: none.
  std::span<const std::int64_t> reached(std::size_t group) const { return reached_[group]; }
  /// A rank below it, of a group of its, works on the same samples.
  bool shares_samples(Rank rank) const { return sharing_.contains(rank); }
  /// Nothing where the rank has told of none since it began.
  std::optional<LastEntered> last_entered(Rank rank) const;

 private:
  struct Own {
    std::size_t group = 0;
    std::size_t place = 0;  ///< in its ranks
  };

  void leave_pending(std::size_t group, std::size_t place);
  bool told_again(std::size_t group, std::size_t place, const messages::CollectiveReport& report);
  void forget_old();
  void keep(GroupRound round);
  void thin();
  void count_arrivals();

  std::vector<ProcessGroup> groups_;
  std::size_t group_ranks_ = 0;
  std::map<std::pair<Rank, std::int32_t>, Own> own_;  ///< by whom and its number of the group
  std::map<std::pair<std::size_t, std::int64_t>, Pending> pending_;
  std::vector<std::vector<std::int64_t>> reached_;  ///< by group and place
  std::map<Rank, LastEntered> last_entered_;
  std::set<Rank> sharing_;
  std::deque<GroupRound> rounds_;
  std::optional<GroupRound> mismatch_;
  std::size_t arrivals_ = 0;  ///< of rounds_
  Step stride_ = 1;
};

}  // namespace ringside::model
