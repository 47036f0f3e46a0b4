// How large the runs of a quick form are on this machine, and how long they take: from what some
// steps of the recipe cost here. All runs of a study have the same size, or they would not compare.
// Pure; any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "protocol/messages/spec/run_spec.h"

namespace ringside::launch {

/// What training costs one rank with a core to itself, in seconds.
struct StepCost {
  double start_s = 0;      ///< all but steps and evaluation: start, first steps, checkpoint, end
  double step_s = 0;       ///< of a step, whatever its batch
  double sample_s = 0;     ///< of a sample in a step
  double evaluated_s = 0;  ///< of a sample in an evaluation
  bool at_least = false;   ///< not all steps ended in the time given: it may cost more
};

/// Time from start to end of a run whose devices are settled. The ranks share `cores`.
double expected_seconds(const messages::RunSpec& settled, const StepCost& cost, int cores);

struct QuickRun {
  messages::RunSpec spec;  ///< at the size of its file, devices settled
  StepCost cost;
  bool may_go = false;  ///< the others are worth something without it
};

/// What a quick form may take.
struct QuickTime {
  double run_s = 20;
  double all_s = 20;  ///< of a study: for each repeat
};

struct QuickSize {
  std::int64_t train_samples = 0;
  std::vector<double> seconds;        ///< of each run, at that size
  std::vector<std::size_t> left_out;  ///< those that take too long even at the least size
  bool at_least = false;              ///< one that is not left out may take longer: see StepCost
  double total_s() const;             ///< of those that are not left out
};

/// The largest of a few sizes up to that of the file at which the runs keep within `time`, else the
/// least: every run has as many steps as it takes to measure some, and no shorter last batch than a
/// network with batch normalisation takes. `may_resize`: else it is that of the file.
QuickSize quick_size(std::span<const QuickRun> runs, int cores, const QuickTime& time,
                     bool may_resize = true);

}  // namespace ringside::launch
