// Compares the parameters of the ranks every train.compare_every steps without waiting: a sum of
// their bits is computed after one step, sent to the other ranks some steps later, when the device
// has finished it, and compared some steps after that, when all ranks have received it. Training
// thread only.
#pragma once

#include <optional>

#include <ATen/core/Tensor.h>
#include <torch/csrc/distributed/c10d/Work.hpp>

#include "trainer/engine/loop/loop_reports.h"

namespace ringside::engine {

class ReplicaWatch {
 public:
  /// Both references must outlive this object.
  ReplicaWatch(const RankParts& parts, LoopReports& reports);

  /// Called after `steps` steps, the same on every rank. Collective from time to time; throws what
  /// LibTorch throws. Rank 0 reports a difference once.
  void after_step(Step steps);

 private:
  void send();
  void compare();

  const RankParts& parts_;
  LoopReports& reports_;
  Step every_;          ///< 0: never
  Step taken_at_ = -1;  ///< -1: no comparison in progress
  at::Tensor sum_;      ///< int64, copied to the host
  at::Tensor sums_;     ///< int64, of all ranks
  c10::intrusive_ptr<c10d::Work> sent_;
  std::optional<Step> equal_at_;
  bool apart_ = false;
};

/// Sum of the bits of all parameters as 32-bit integers, each tensor weighted by its index: an
/// int64 scalar on their device. Integer addition makes it independent of the order of summation.
at::Tensor sum_of_bits(const std::vector<at::Tensor>& parameters);

}  // namespace ringside::engine
