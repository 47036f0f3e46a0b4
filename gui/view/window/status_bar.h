// The line at the bottom of the window: ranks that report, lost records, and the cost of telemetry.
// Pure.
#pragma once

#include <vector>

#include "gui/view/launch/launch_form.h"
#include "gui/view/run_context.h"
#include "gui/view/words.h"

namespace ringside::view {

struct StatusBarView {
  Shape shape = Shape::kRing;
  Tone tone = Tone::kDim;
  std::vector<Sentence>
      left;  ///< "4 of 4 ranks reported 12 ms ago", "Step reports 18,276 of 18,276, 0 lost", ...
  std::vector<Sentence> right;  ///< "Log 116.7 MB", "NCCL 2.28", "Ctrl K  commands"
};

StatusBarView build_status_bar(const model::RunModel* model, const RunContext& context);
/// Adds the resources for a launch: "5 of 8 GPUs free, 2 picked", "Driver 580".
void add_machine(const LaunchForm& form, const MachineSummary& machine, StatusBarView& bar);

}  // namespace ringside::view
