// Small collectives on the metrics group: sums for the printed line, the check that ranks hold the
// same parameters, and the agreement to stop after one and the same step. Training thread only;
// with one rank every answer is this rank's own.
#pragma once

#include <cstdint>
#include <span>

#include <ATen/core/Tensor.h>

#include "trainer/dist/process_groups.h"

namespace ringside::dist {

/// Collective: each value becomes its sum over the ranks.
void sum_over_ranks(const ProcessGroups& groups, std::span<double> values);

/// Collective: true on all ranks when all gave the same number.
bool same_on_all_ranks(const ProcessGroups& groups, std::uint64_t value);

/// How urgently anybody wants to stop, known by all ranks after the same step. Wishes are numbers,
/// 0 = go on, and the largest counts. Asks without waiting: an all-reduce of the maximum is started
/// after one step and read after the next. Quick steps ask seldom: about every kAskEvery_ns, in a
/// rhythm that travels with the question, so that it is equal everywhere.
class StopAgreement {
 public:
  static constexpr std::int64_t kAskEvery_ns = 20'000'000;
  static constexpr std::int64_t kMaxPause = 1000;  ///< steps

  explicit StopAgreement(const ProcessGroups& groups);
  ~StopAgreement();
  StopAgreement(const StopAgreement&) = delete;
  StopAgreement& operator=(const StopAgreement&) = delete;

  /// After each step. `wish`: of this rank. `step_ns`: how long the step took here. Returns the
  /// largest wish of all ranks, after the same step on each, a step or a pause after it was given.
  int after_step(int wish, std::int64_t step_ns);
  /// Collective that waits: between passes, where no step asks.
  int ask_now(int wish);

 private:
  void start(int wish, std::int64_t step_ns);
  int finish();

  const ProcessGroups& groups_;
  at::Tensor question_;  ///< int64: wish, steps to pause after this answer
  c10::intrusive_ptr<c10d::Work> asked_;
  std::int64_t pause_ = 0;
};

}  // namespace ringside::dist
