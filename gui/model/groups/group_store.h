// The process groups of a run and their collectives, with the times at which every member entered
// and was done. Matches the ranks' own group numbers; rounds wait until all members have reported
// them. Memory is bounded: of a long run every second, fourth, ... step is kept. Part of RunModel,
// which converts the times; used by one thread.
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
  std::string dimension;  ///< of the device mesh; empty: unknown
  std::string purpose;
  std::string backend;
  std::vector<Rank> ranks;
};

/// A send or a receive, whose calls each rank numbers by peer.
inline bool is_between_two(messages::Collective operation) {
  return operation == messages::Collective::kSend || operation == messages::Collective::kReceive;
}

/// The part of one member in one collective.
struct GroupArrival {
  bool came = false;  ///< reported by this member; the other fields are valid only then
  messages::Collective operation{};
  std::int64_t entered_ns = 0;
  std::int64_t done_ns = -1;  ///< -1: unknown
  std::int64_t own_ns = -1;   ///< time before it in which the rank did not wait; -1: unknown
};

/// The collective of any group that a rank entered last.
struct LastEntered {
  bool between_two = false;  ///< a send or a receive
  bool done = false;
  std::int64_t entered_ns = 0;
  std::int64_t resumed_ns = 0;  ///< end of its newest pause or wait of more than 2 s
};

struct GroupRound {
  std::size_t group = 0;
  messages::Collective operation{};
  bool alike = true;       ///< all members that entered called the same operation
  bool on_device = false;  ///< `entered` is only the time at which it was put into a device queue
  Step step = 0;
  std::int64_t number = 0;
  std::int64_t size_bytes = -1;        ///< maximum over the members
  std::vector<GroupArrival> arrivals;  ///< by index in the group's ranks
};

inline constexpr std::size_t kMostGroups = 4096;
inline constexpr std::size_t kMostGroupRanks = 65536;  ///< in all groups together
inline constexpr std::size_t kMostPending = 16'384;    ///< incomplete collectives
/// Limit for groups of many ranks, which reach it with fewer collectives.
inline constexpr std::size_t kMostPendingArrivals = std::size_t{1} << 22;
inline constexpr std::size_t kMostArrivals = std::size_t{1} << 18;

class GroupStore {
 public:
  /// Called when a rank restarts, and with it its call numbers.
  void begin(Rank rank);
  /// Called when all ranks start a new attempt at step `first`. Drops incomplete collectives, and
  /// those of this step and later, which are expected again.
  void begin_attempt(Step first);
  /// False if the report is not plausible, or if there are too many groups.
  bool add(Rank rank, const messages::GroupReport& report);
  /// Adds a report whose times are already converted. A second report of a collective means that it
  /// is done. False if this rank has reported no such group.
  bool add(Rank rank, const messages::CollectiveReport& report);

  std::span<const ProcessGroup> groups() const { return groups_; }
  /// Rounds that all members have reported, and single sends and receives; the newest steps last.
  const std::deque<GroupRound>& rounds() const { return rounds_; }
  /// The first round in which members called different operations, as far as reported; kept however
  /// long the run is.
  const std::optional<GroupRound>& mismatch() const { return mismatch_; }
  /// One of this many steps is kept.
  Step stride() const { return stride_; }

  /// No complete round was dropped.
  bool whole() const { return whole_; }

  struct Pending {
    GroupRound round;
    std::size_t came = 0;
  };
  /// Incomplete rounds, by group and call number.
  const std::map<std::pair<std::size_t, std::int64_t>, Pending>& pending() const {
    return pending_;
  }
  /// The highest call number that each member of a group has reported, by index; -1: none.
  std::span<const std::int64_t> reached(std::size_t group) const { return reached_[group]; }
  /// Whether a lower rank of one of its groups works on the same samples.
  bool shares_samples(Rank rank) const { return sharing_.contains(rank); }
  /// Nothing if the rank has reported none since it started.
  std::optional<LastEntered> last_entered(Rank rank) const;

 private:
  struct Own {
    std::size_t group = 0;
    std::size_t place = 0;  ///< index in its ranks
  };

  void leave_pending(std::size_t group, std::size_t place);
  bool told_again(std::size_t group, std::size_t place, const messages::CollectiveReport& report);
  void forget_old();
  void keep(GroupRound round);
  void thin();
  void count_arrivals();

  std::vector<ProcessGroup> groups_;
  std::size_t group_ranks_ = 0;
  /// By rank and the rank's own number of the group.
  std::map<std::pair<Rank, std::int32_t>, Own> own_;
  std::map<std::pair<std::size_t, std::int64_t>, Pending> pending_;
  std::vector<std::vector<std::int64_t>> reached_;  ///< by group and member index
  std::map<Rank, LastEntered> last_entered_;
  std::set<Rank> sharing_;
  std::deque<GroupRound> rounds_;
  std::optional<GroupRound> mismatch_;
  std::size_t arrivals_ = 0;  ///< total of all rounds_
  Step stride_ = 1;
  bool whole_ = true;
};

}  // namespace ringside::model
