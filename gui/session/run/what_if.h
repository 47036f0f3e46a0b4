// Predictions of a run under other conditions, and the run that tests a prediction. Reads and
// writes files; any thread.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "gui/analysis/whatif/what_if.h"
#include "gui/runs/predictions/predictions.h"
#include "gui/runs/run_figures.h"
#include "gui/session/studies/study_start.h"
#include "gui/view/scaling/what_if_view.h"

namespace ringside::session {

/// Everything that a prediction is made from and compared with.
struct WhatIfRun {
  runs::RunSummary summary;
  analysis::Replayable replayable;
  analysis::Speedup speedup;
  std::vector<runs::ProvedPrediction> record;
  view::WhatIfFacts facts() const {
    return {&replayable, &speedup, summary.spec, summary.folder.id(), record};
  }
};
/// `only`: steps to use, counted from 1; empty: the steps after the warm-up.
Result<WhatIfRun> read_what_if(const std::filesystem::path& runs_dir, const std::string& name,
                               analysis::StepRange only = {});

/// Starts a run of these settings with the change; its folder contains the prediction before it
/// begins. A bad request if no settings make the change, or the preflight refuses them.
Result<StartedStudy> start_proof(const std::filesystem::path& runs_dir,
                                 const runlog::RunFolder& of_run, const messages::RunSpec& spec,
                                 const analysis::StepChange& change,
                                 const analysis::Prediction& prediction,
                                 const launch::Cancelled& cancelled = {});

}  // namespace ringside::session
