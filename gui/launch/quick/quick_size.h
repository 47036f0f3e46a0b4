// Chooses the size of a quick form's runs on this machine, and estimates their time, from the
// measured cost of some steps. All runs of a study get the same size, to be comparable. Pure; any
// thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "protocol/messages/spec/run_spec.h"

namespace ringside::launch {

/// Cost of training in seconds for one rank with a core of its own.
struct StepCost {
  /// Everything but steps and evaluation: start-up, first steps, checkpoint, end.
  double start_s = 0;
  double step_s = 0;       ///< per step, independent of the batch
  double sample_s = 0;     ///< per sample in a step
  double evaluated_s = 0;  ///< per sample in an evaluation
  bool at_least = false;   ///< lower bounds: not all steps ended in the time given
};

/// Duration of a run whose devices are chosen already. The ranks share `cores`.
double expected_seconds(const messages::RunSpec& settled, const StepCost& cost, int cores);

struct QuickRun {
  messages::RunSpec spec;  ///< at the size in its file, devices chosen
  StepCost cost;
  bool may_go = false;  ///< whether it may be left out: the other runs are useful without it
};

struct QuickTime {
  double run_s = 20;
  double all_s = 20;  ///< for a study: for each repeat
};

struct QuickSize {
  std::int64_t train_samples = 0;
  std::vector<double> seconds;        ///< for each run, at that size
  std::vector<std::size_t> left_out;  ///< runs that take too long even at the smallest size
  bool at_least = false;              ///< a remaining run may take longer: see StepCost
  double total_s() const;             ///< for all runs that are not left out
};

/// The largest of a few sizes at which the runs keep within `time`, up to that in the file, or else
/// the smallest: every run has enough steps to be measured, and no last batch that is too small for
/// batch normalisation. If not `may_resize`: the size in the file.
QuickSize quick_size(std::span<const QuickRun> runs, int cores, const QuickTime& time,
                     bool may_resize = true);

}  // namespace ringside::launch
