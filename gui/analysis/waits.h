// How long ranks wait for the slowest when they exchange gradients. What the clocks of two ranks
// cannot tell apart is not a wait between them; ranks of one node are compared exactly, but for
// their devices' clocks. Stretches of steps are read rank by rank, since the times of one lie side
// by side. Refers to the model; one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "gui/analysis/range.h"

namespace ringside::model {
class ClockHistory;
struct RankModel;
}  // namespace ringside::model

namespace ringside::analysis {

/// When a rank was ready in a step, and how wrong that may be.
struct Ready {
  std::int64_t ns = std::numeric_limits<std::int64_t>::min();
  std::int64_t device_ns = 0;  ///< of its device's clock against its host's
  std::int64_t node_ns = 0;    ///< of its host's against node 0
  Node node = 0;
  std::size_t rank = 0;  ///< place among the ranks

  /// What may be wrong with the distance of both.
  std::int64_t unsure_ns(const Ready& other) const {
    const std::int64_t devices = device_ns + other.device_ns;
    return node == other.node ? devices : devices + node_ns + other.node_ns;
  }
};

/// All ranks, ascending; none where not all of the run have joined.
std::vector<const model::RankModel*> joined_ranks(const model::RunModel& model);

class Waits {
 public:
  /// Compares these ranks, ascending. `resized`: the number of ranks changed, so a step needs only
  /// as many as there were then.
  Waits(const model::RunModel& model, std::vector<const model::RankModel*> ranks, bool resized);

  /// Reads the begin of a range, at most kMostSteps, in place of what was read before. What follows
  /// is asked of the k-th step read.
  StepRange read(StepRange range);
  static constexpr Step kMostSteps = 512;
  /// Every rank of the step said when it was ready; and the clocks of all nodes were known then.
  bool told(std::size_t k) const {
    return !steps_[k].missing && steps_[k].slowest.ns != Ready().ns;
  }
  bool known(std::size_t k) const;
  const Ready& slowest(std::size_t k) const { return steps_[k].slowest; }
  /// When the last rank before the slowest was ready.
  std::int64_t second_ns(std::size_t k) const { return steps_[k].second_ns; }
  /// The slowest is so by more than the clocks can be wrong against each of the others: one a
  /// little before the second may be the later of both.
  bool certain(std::size_t k) const;
  /// The most that may be wrong with the distance of two ranks.
  std::int64_t most_unsure_ns(std::size_t k) const;

  struct Wait {
    std::int64_t ns = 0;
    std::size_t on = 0;  ///< index of the rank that is waited for; its own index: not known
  };
  /// Whether the wait of this rank (by index) is known: all ranks of the step reported, the clocks
  /// are known, and the rank took part.
  bool has(std::size_t rank, std::size_t k) const;
  /// The wait of this rank (by index) in a step for which has() is true.
  Wait of(std::size_t rank, std::size_t k) const;

 private:
  struct Clocks {
    const model::ClockHistory* history = nullptr;
    std::size_t node = 0;  ///< place among the nodes
  };
  struct AtStep {
    Ready slowest;
    Ready surest;  ///< the latest that it can at least have been
    std::int64_t second_ns = std::numeric_limits<std::int64_t>::min();
    std::int64_t most_unsure_ns = 0;  ///< of one rank
    Rank everybody = 0;
    bool missing = false;
  };
  Ready ready(std::size_t rank, Step step) const;
  void read_rank(std::size_t rank);

  const model::RunModel& model_;
  std::vector<const model::RankModel*> ranks_;
  std::vector<Clocks> clocks_;  ///< by rank
  std::size_t nodes_ = 0;
  bool resized_;
  StepRange range_;
  std::vector<AtStep> steps_;
  std::vector<Ready> of_nodes_;  ///< the slowest of each, node by node; empty on one node
};

}  // namespace ringside::analysis
