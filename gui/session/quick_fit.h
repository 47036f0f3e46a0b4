// Fits a quick run to this machine before it starts: measures with a probe of some steps how long
// its runs take here, and chooses a size within the time limit of quick runs. Trains for some
// seconds; any thread.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "gui/launch/machine.h"
#include "gui/launch/plan.h"
#include "gui/launch/quick/quick_size.h"

namespace ringside::session {

struct QuickFitRequest {
  std::vector<std::string> keys{};  ///< of the runs, if they are those of a study: "bf16-4"
  bool may_resize = true;           ///< the size of the runs was not given, so it may be changed
  /// The runs were not chosen by a person either: a variant of a study, such as "bf16-4", may be
  /// left out. Its numbers of devices stay.
  bool may_leave_out = false;
  launch::QuickTime time{};
  std::function<void()> probing{};  ///< called before a measurement that takes some seconds
  launch::Cancelled cancelled{};
};

struct QuickFit {
  bool probed = false;                ///< otherwise nothing is known, and nothing changes
  std::int64_t train_samples = 0;     ///< of every run; 0: as planned
  std::vector<std::string> left_out;  ///< keys, each once
  std::vector<double> seconds;        ///< of each remaining run, in their order
  std::vector<std::string> lines;     ///< messages to print before the start
};

/// Whether the environment (NAME=value) or an assignment (KEY=VALUE) sets the size of the runs.
bool chooses_size(std::span<const std::string> environment, std::span<const std::string> sets);

/// Fits the runs of a plan that has not been started. Measures nothing if they use anything but CPU
/// slots of this machine, do not train, or if other runs compute here. Fails only if cancelled.
Result<QuickFit> fit_quick(const launch::Plan& plan, const QuickFitRequest& request,
                           const launch::Machine& machine);

/// Sets the expected seconds of each run in a plan that was made with the result of a fit.
void expect_seconds(const QuickFit& fit, launch::Plan& plan);

struct QuickProbe {
  std::string precision;  ///< "bf16"
  std::int64_t batch = 0;
  launch::StepCost cost;
};
/// The messages about a fit. Pure.
std::vector<std::string> quick_lines(const launch::QuickSize& size, std::int64_t planned_samples,
                                     const std::vector<QuickProbe>& probes,
                                     const QuickFitRequest& request, double probe_s);

}  // namespace ringside::session
