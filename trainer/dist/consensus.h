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

/// Collective: true on all ranks when all gave the same number. `what` names the comparison for
/// last_collective().
bool same_on_all_ranks(const ProcessGroups& groups, std::uint64_t value, const char* what);

/// How urgently anybody wants to stop, known by all ranks after the same step. Wishes are numbers,
/// 0 = go on, and the largest counts. Asks without waiting: an all-reduce of the maximum is started
/// after one step and read after the next. Quick steps ask seldom: about every kAgreeEvery_ns, in a
/// rhythm that travels with the question, so that it is equal everywhere.
class StopConsensus {
 public:
  static constexpr std::int64_t kAgreeEvery_ns = 20'000'000;
  static constexpr std::int64_t kMaxPause = 1000;  ///< steps

  explicit StopConsensus(const ProcessGroups& groups);
  ~StopConsensus();
  StopConsensus(const StopConsensus&) = delete;
  StopConsensus& operator=(const StopConsensus&) = delete;

  /// Called after each step. `stop`: request of this rank. `step_ns`: how long the step took here;
  /// 0: not known yet, which asks after the next step again. Returns the largest request of all
  /// ranks, after the same step on each, a step or a pause after it was made.
  int after_step(int stop, std::int64_t step_ns);
  /// Collective that waits: between passes, where no step asks.
  int agree_now(int stop);

 private:
  void start(int stop, std::int64_t step_ns);
  int finish();

  const ProcessGroups& groups_;
  at::Tensor question_;  ///< int64: stop, steps to pause after this answer
  c10::intrusive_ptr<c10d::Work> asked_;
  std::int64_t pause_ = 0;
};

}  // namespace ringside::dist
