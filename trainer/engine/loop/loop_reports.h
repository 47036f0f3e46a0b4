// What a training loop reports beside its steps: states, notices, whole passes. For the agent's
// log, and in part for the reader of rank 0's output. Training thread only.
#pragma once

#include <string>

#include "protocol/messages/records.h"
#include "trainer/engine/flop_count.h"
#include "trainer/engine/loop/evaluate.h"
#include "trainer/engine/loop/train_progress.h"

namespace ringside::engine {

class LoopReports {
 public:
  /// All references outlive this object.
  LoopReports(const RankParts& parts, const TrainProgress& progress, telemetry::Reporter& reporter)
      : parts_(parts), progress_(progress), reporter_(reporter) {}

  telemetry::Reporter& reporter() { return reporter_; }
  void state(messages::State state, const std::string& text = {});
  /// Posts the notice and prints it.
  void notice(messages::Severity severity, const std::string& code, const std::string& text);
  /// Collective: adds up the parts of all ranks. Returns the accuracy, every sample counted once,
  /// 0 .. 1.
  double pass(messages::Phase phase, Epoch epoch, const PassResult& result, double seconds);
  /// Posts what memory holds where a step ended: parameters, gradients and the optimizer's state
  /// once, and of a GPU what LibTorch's allocator counts, on the host, about once a second at this
  /// length of a step, on all ranks in the same steps.
  void memory(Step step, std::int64_t step_ns);
  /// Posts what a step has computed.
  void flops(Step step, const FlopCount& count);

 private:
  void post_mib(const char* name, Step step, std::int64_t bytes);
  void memory_parts(Step step);

  const RankParts& parts_;
  const TrainProgress& progress_;
  telemetry::Reporter& reporter_;
  bool told_parts_ = false;
};

/// Prints a line for the reader of this process's output, at once.
void print_line(const std::string& text);

/// Seconds since a reading of mono_now_ns().
double seconds_since(std::int64_t begin_ns);

}  // namespace ringside::engine
