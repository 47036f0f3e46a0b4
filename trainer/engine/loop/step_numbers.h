// What a step computes beside its times: one list says how each number is measured, on the host and
// on a device, and which field of the report it fills. Training thread only.
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

/// What one part of a batch gave; kept until the numbers of the step are taken.
struct BatchPart {
  at::Tensor output;
  at::Tensor labels;
  at::Tensor loss;
  double share = 1.0;  ///< of the samples of the batch
};

/// A step between its update and the next one's gradients: what its numbers are measured of.
struct MeasuredStep {
  RankParts& parts;
  const std::vector<BatchPart>& batch_parts;
  Step step;
  bool norm_due;  ///< norms are taken
  MeasuringRhythm& norm_rhythm;
  std::int64_t last_step_ns;  ///< length of an earlier step; 0: not known yet
};

/// The numbers of one step in the order of the list. On a GPU they lie in `slot` (float,
/// page-locked) once the step is done.
struct StepNumbers {
  static constexpr std::size_t kMost = 8;
  std::array<float, kMost> values{};
  std::size_t count = 0;  ///< of `values`
  at::Tensor slot;
};

/// Whether norms are taken in a step that begins. Asked once a step.
bool is_norm_due(const RankParts& parts, Step step, MeasuringRhythm& rhythm);

/// Waits for nothing but the host's own arithmetic.
StepNumbers numbers_on_host(const MeasuredStep& step);

/// One float per number, on the device of the step: enqueued, not waited for.
at::Tensor numbers_on_device(const MeasuredStep& step);

/// Enqueues the copy to the host.
StepNumbers fetch(const at::Tensor& numbers);

/// Fills the fields of the report; a slot must be done.
void put_numbers(const StepNumbers& numbers, messages::StepReport& report);

}  // namespace ringside::engine
