// Compares the parameters of the ranks every train.compare_every steps without waiting for anybody:
// a sum of their bits is taken after one step, sent to the other ranks some steps later, when the
// device has it, and compared some steps after that, when all have it. Training thread only.
#pragma once

#include <optional>

#include <ATen/core/Tensor.h>
#include <torch/csrc/distributed/c10d/Work.hpp>

#include "trainer/engine/loop/loop_reports.h"

namespace ringside::engine {

class ReplicaWatch {
 public:
  /// Both outlive this object.
  ReplicaWatch(const RankParts& parts, LoopReports& reports);

  /// Called after so many steps, the same on every rank. Collective from time to time; throws what
  /// LibTorch throws. A difference is reported once, by rank 0.
  void after_step(Step steps);

 private:
  void send();
  void compare();

  const RankParts& parts_;
  LoopReports& reports_;
  Step every_;          ///< 0: never
  Step taken_at_ = -1;  ///< -1: nothing under way
  at::Tensor sum_;      ///< int64, on the host once the device has it
  at::Tensor sums_;     ///< int64, of all ranks
  c10::intrusive_ptr<c10d::Work> sent_;
  std::optional<Step> equal_at_;
  bool apart_ = false;
};

/// Sum of the bits of all parameters, read as 32-bit integers, each tensor times its place: an
/// int64 scalar on their device. Equal parameters give equal sums in whatever order they are added
/// up.
at::Tensor sum_of_bits(const std::vector<at::Tensor>& parameters);

}  // namespace ringside::engine
