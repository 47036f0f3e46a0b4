#include "gui/session/run/what_if_controller.h"

#include <utility>

#include "gui/model/run_model.h"

namespace ringside::session {

void WhatIfController::look() {
  jobs_.start(
      "predictions",
      [this, runs_dir = runs_dir_]() -> Jobs::Completion {
        return [this, record = runs::proved_predictions(runs_dir)] {
          record_ = record;
          ++revision_;
        };
      },
      JobKind::kReads);
}

void WhatIfController::prove(const runlog::RunFolder& of_run, const model::RunModel& model,
                             const analysis::LinkProbe* probe, const analysis::StepChange& change,
                             std::function<void(const Result<StartedStudy>&)> done) {
  jobs_.start(
      "prove",
      [runs_dir = runs_dir_, of_run, spec = model.spec(), change,
       run = analysis::replayable(model, probe), done = std::move(done)]() -> Jobs::Completion {
        const auto prediction = analysis::predict(run, change);
        return [done, proof = start_proof(runs_dir, of_run, spec, change, prediction)] {
          done(proof);
        };
      });
}

}  // namespace ringside::session
