// Predictions of the open run in the window: results of earlier ones, read in a job, and starting
// the run that tests one. Main thread.
#pragma once

#include <filesystem>
#include <functional>
#include <vector>

#include "gui/session/jobs.h"
#include "gui/session/run/what_if.h"

namespace ringside::session {

class WhatIfController {
 public:
  WhatIfController(std::filesystem::path runs_dir, Jobs& jobs)
      : runs_dir_(std::move(runs_dir)), jobs_(jobs) {}

  /// Reads the recorded predictions again.
  void look();
  /// Starts the run that tests a prediction; `done` is called on the main thread.
  void prove(const runlog::RunFolder& of_run, const model::RunModel& model,
             const analysis::LinkProbe* probe, const analysis::StepChange& change,
             std::function<void(const Result<StartedStudy>&)> done);
  view::WhatIfInput input() const { return {record_, revision_, jobs_.running("prove")}; }

 private:
  std::filesystem::path runs_dir_;
  Jobs& jobs_;
  std::vector<runs::ProvedPrediction> record_;
  std::uint64_t revision_ = 0;
};

}  // namespace ringside::session
