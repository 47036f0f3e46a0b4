// What a training loop reports besides its steps: states, notices, whole passes. For the agent's
// log, and in part for rank 0's output. Training thread only.
#pragma once

#include <string>

#include "protocol/messages/records.h"
#include "trainer/engine/flop_count.h"
#include "trainer/engine/loop/evaluate.h"
#include "trainer/engine/loop/train_progress.h"

namespace ringside::engine {

class LoopReports {
 public:
  /// All references must outlive this object.
  LoopReports(const RankParts& parts, const TrainProgress& progress, telemetry::Reporter& reporter)
      : parts_(parts), progress_(progress), reporter_(reporter) {}

  telemetry::Reporter& reporter() { return reporter_; }
  void state(messages::State state, const std::string& text = {});
  void notice(messages::Severity severity, const std::string& code, const std::string& text);
  /// Collective: adds up the parts of all ranks. Returns the accuracy, each sample counted once, 0
  /// .. 1.
  double pass(messages::Phase phase, Epoch epoch, const PassResult& result, double seconds);
  /// Posts memory use at the end of a step: parameters, gradients and optimizer state once; for a
  /// GPU also the counts of LibTorch's allocator, read on the host about once per second at this
  /// step time, on all ranks in the same steps.
  void memory(Step step, std::int64_t step_ns);
  /// Posts the floating-point operations of a step.
  void flops(Step step, const FlopCount& count);

 private:
  void post_mib(const char* name, Step step, std::int64_t bytes);
  void memory_parts(Step step);

  const RankParts& parts_;
  const TrainProgress& progress_;
  telemetry::Reporter& reporter_;
  bool told_parts_ = false;
};

/// Prints a line to this process's output and flushes it.
void print_line(const std::string& text);

/// Seconds since `begin_ns` (mono_now_ns()).
double seconds_since(std::int64_t begin_ns);

}  // namespace ringside::engine
