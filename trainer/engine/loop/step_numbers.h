// The metrics of a step other than its times. One list defines how each is measured, on the host
// and on a device, and which field of the report it fills. Training thread only.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <ATen/core/Tensor.h>

#include "protocol/messages/step_records.h"
#include "trainer/engine/grad_norm.h"
#include "trainer/engine/loop/rank_parts.h"

namespace ringside::engine {

/// Result of one part of a batch; kept until the metrics of the step are computed.
struct BatchPart {
  at::Tensor output;
  at::Tensor labels;
  at::Tensor loss;
  double share = 1.0;  ///< fraction of the batch's samples
};

/// The state of a step after its update and before the next gradients, from which the metrics are
/// measured.
struct MeasuredStep {
  RankParts& parts;
  const std::vector<BatchPart>& batch_parts;
  Step step;
  bool norm_due;  ///< norms are measured
  MeasuringSchedule& norm_rhythm;
  std::int64_t last_step_ns;  ///< duration of an earlier step; 0: unknown
};

/// The metrics of one step in the order of the list. On a GPU they are in `slot` (float,
/// page-locked) when the step is done.
struct StepNumbers {
  static constexpr std::size_t kMost = 8;
  std::array<float, kMost> values{};
  std::size_t count = 0;  ///< number of `values`
  at::Tensor slot;
};

/// Whether norms are measured in the step that begins. Call it once per step.
bool is_norm_due(const RankParts& parts, Step step, MeasuringSchedule& rhythm);

/// Computes the metrics on the host, without waiting for a device.
StepNumbers numbers_on_host(const MeasuredStep& step);

/// One float per metric, on the device of the step; only enqueues.
at::Tensor numbers_on_device(const MeasuredStep& step);

/// Enqueues the copy to the host.
StepNumbers fetch(const at::Tensor& numbers);

/// Fills the fields of the report; a slot must be complete.
void put_numbers(const StepNumbers& numbers, messages::StepReport& report);

}  // namespace ringside::engine
