// How long ranks wait for the slowest when they exchange gradients. A difference that the clocks of
// two ranks cannot resolve is not a wait; on one node only the devices' clocks limit that. Ranges
// of steps are read rank by rank, since the times of one rank are contiguous. Refers to the model;
// one thread.
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

/// Time at which a rank was ready in a step, with its uncertainty.
struct Ready {
  std::int64_t ns = std::numeric_limits<std::int64_t>::min();
  std::int64_t device_ns = 0;  ///< of its device's clock against its host's
  std::int64_t node_ns = 0;    ///< of its host's clock against node 0
  Node node = 0;
  std::size_t rank = 0;  ///< index among the ranks

  /// Uncertainty of the difference between both.
  std::int64_t unsure_ns(const Ready& other) const {
    const std::int64_t devices = device_ns + other.device_ns;
    return node == other.node ? devices : devices + node_ns + other.node_ns;
  }
};

/// All ranks, ascending; empty if some ranks of the run have not joined.
std::vector<const model::RankModel*> joined_ranks(const model::RunModel& model);

class Waits {
 public:
  /// Compares these ranks, ascending. `resized`: the number of ranks has changed, so a step needs
  /// only as many ranks as there were then.
  Waits(const model::RunModel& model, std::vector<const model::RankModel*> ranks, bool resized);

  /// Reads the beginning of a range, at most kMostSteps, and replaces what was read before. The
  /// functions below take the index k of a step in it.
  StepRange read(StepRange range);
  static constexpr Step kMostSteps = 512;
  /// Whether every rank of the step reported when it was ready.
  bool told(std::size_t k) const {
    return !steps_[k].missing && steps_[k].slowest.ns != Ready().ns;
  }
  bool known(std::size_t k) const;
  const Ready& slowest(std::size_t k) const { return steps_[k].slowest; }
  /// Time at which the second slowest rank was ready.
  std::int64_t second_ns(std::size_t k) const { return steps_[k].second_ns; }
  /// Whether the slowest rank is certain, given the uncertainty of the clocks against each other
  /// rank: also one slightly earlier than the second may really be the last.
  bool certain(std::size_t k) const;
  /// Largest uncertainty of the difference between two ranks.
  std::int64_t most_unsure_ns(std::size_t k) const;

  struct Wait {
    std::int64_t ns = 0;
    std::size_t on = 0;  ///< index of the rank that is waited for; its own index: unknown
  };
  /// Whether the wait of this rank (by index) is known: all ranks of the step reported, the clocks
  /// are known, and the rank took part.
  bool has(std::size_t rank, std::size_t k) const;
  /// The wait of this rank (by index) in a step for which has() is true.
  Wait of(std::size_t rank, std::size_t k) const;

 private:
  struct Clocks {
    const model::ClockHistory* history = nullptr;
    std::size_t node = 0;  ///< index among the nodes
  };
  struct AtStep {
    Ready slowest;
    Ready surest;  ///< the latest lower bound of a ready time
    std::int64_t second_ns = std::numeric_limits<std::int64_t>::min();
    std::int64_t most_unsure_ns = 0;  ///< maximum over the ranks
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
  std::vector<Ready> of_nodes_;  ///< the slowest of each node, node by node; empty on one node
};

}  // namespace ringside::analysis
