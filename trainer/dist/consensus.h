// Small collectives on the metrics group: sums for printed lines, a check that all ranks have the
// same parameters, and the agreement to stop after the same step. Training thread only; with one
// rank each returns the rank's own value.
#pragma once

#include <cstdint>
#include <span>

#include <ATen/core/Tensor.h>

#include "trainer/dist/process_groups.h"

namespace ringside::dist {

/// Collective: replaces each value by its sum over the ranks.
void sum_over_ranks(const ProcessGroups& groups, std::span<double> values);

/// Collective: true on all ranks if all passed the same number. `what` names the comparison for
/// last_collective().
bool same_on_all_ranks(const ProcessGroups& groups, std::uint64_t value, const char* what);

/// The most urgent stop request of any rank, which all ranks learn after the same step. Requests
/// are numbers; 0 = continue. It does not wait: an all-reduce (maximum) is started after one step
/// and read after the next. With short steps it pauses, so that it asks about every kAgreeEvery_ns;
/// the pause is part of the all-reduce, so it is the same on all ranks.
class StopConsensus {
 public:
  static constexpr std::int64_t kAgreeEvery_ns = 20'000'000;
  static constexpr std::int64_t kMaxPause = 1000;  ///< steps

  explicit StopConsensus(const ProcessGroups& groups);
  ~StopConsensus();
  StopConsensus(const StopConsensus&) = delete;
  StopConsensus& operator=(const StopConsensus&) = delete;

  /// Called after each step. `stop` is this rank's request. `step_ns` is the duration of the step
  /// on this rank; 0: unknown, which asks again after the next step. Returns the largest request of
  /// all ranks, after the same step on each, one step or one pause after it was made.
  int after_step(int stop, std::int64_t step_ns);
  /// Collective that waits; for use between passes.
  int agree_now(int stop);

 private:
  void start(int stop, std::int64_t step_ns);
  int finish();

  const ProcessGroups& groups_;
  at::Tensor question_;  ///< int64: stop request, number of steps to pause after the result
  c10::intrusive_ptr<c10d::Work> asked_;
  std::int64_t pause_ = 0;
};

}  // namespace ringside::dist
