// The cores that ranks of a run share, and how fast ranks are if several compute at once. Plain
// data and pure functions of the model.
#pragma once

#include <cstddef>
#include <vector>

namespace ringside::model {
class RunModel;
}

namespace ringside::analysis {

/// Groups of ranks and the cores that each group shares: those of its host or, if ranks are bound
/// to CPUs of which none is another group's, these.
struct Cores {
  double per_rank = 0;                ///< 0: each rank has a device of its own
  std::vector<std::size_t> group_of;  ///< by rank
  std::vector<double> all;            ///< by group
  std::vector<std::size_t> host_of;   ///< by rank
  std::vector<double> of_host;        ///< cores of each host; 0: unknown
  double others = 0;  ///< share of all cores used by other processes, however many ranks compute
  /// Whether no core is ever idle. Ranks stay on their cores, so with three ranks on two cores one
  /// rank has a core and two have half of one.
  bool full = false;
  /// Relative speed of the slowest of this many ranks of a group computing at once.
  double speed(std::size_t group, int computing) const;
  /// Whether the ranks of a group are more than its cores.
  bool is_crowded(std::size_t group) const;
  /// Whether some ranks wait for a core.
  bool are_crowded() const;
  /// As many ranks on these hosts, of which none is bound: another number of ranks would be bound
  /// anew.
  Cores for_ranks(std::size_t ranks) const;
};

Cores cores_of(const model::RunModel& model);

}  // namespace ringside::analysis
