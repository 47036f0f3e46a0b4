#include "gui/session/run/what_if.h"

#include <utility>

#include "gui/place/run_place.h"
#include "gui/runs/chosen_baseline.h"
#include "gui/runs/probe_file.h"
#include "gui/session/studies/plan_request.h"
#include "protocol/base/clock.h"
#include "protocol/messages/spec/watched.h"

namespace ringside::session {

Result<WhatIfRun> read_what_if(const std::filesystem::path& runs_dir, const std::string& name,
                               analysis::StepRange only) {
  const auto found = RINGSIDE_TRY(runs::find_run(runs_dir, name));
  place::refresh(runs_dir);
  WhatIfRun run{runs::read_summary(found), {}, {}, {}};
  if (!run.summary.spec_read)
    return bad_request("the settings of run " + runs::label_of(run.summary) +
                       " cannot be read: " + run.summary.problem);
  const auto read = runs::read_run(found.folder, run.summary.spec);
  const auto baseline = runs::read_baseline(found.folder, run.summary.spec);
  const auto probe = runs::probe_of_run(found.folder, *read.model);
  const Step first = only.count() > 0 ? messages::first_step_number(run.summary.spec) : 0;
  run.replayable =
      analysis::replayable(*read.model, probe.get(), {only.begin - first, only.end - first});
  run.speedup = analysis::speedup(*read.model, baseline ? baseline->model.get() : nullptr,
                                  run.summary.state.ended);
  run.record = runs::proved_predictions(runs_dir);
  return run;
}

Result<StartedStudy> start_proof(const std::filesystem::path& runs_dir,
                                 const runlog::RunFolder& of_run, const messages::RunSpec& spec,
                                 const analysis::StepChange& change,
                                 const analysis::Prediction& prediction,
                                 const launch::Cancelled& cancelled) {
  if (!prediction.refused.empty()) return bad_request(prediction.refused);
  StudyPlanRequest plan_request;
  plan_request.spec = RINGSIDE_TRY(view::proving_spec(spec, change));
  plan_request.request.one_setting = true;
  plan_request.earlier
      .emplace();  // no earlier run is needed: it is compared with the prediction only
  const auto machine = RINGSIDE_TRY(plan_request.where->machine(cancelled));
  auto plan = RINGSIDE_TRY(plan_study(runs_dir, plan_request, machine));
  RINGSIDE_TRY(launch::refuse_failures(checks_of(plan, machine, runs_dir)));
  plan.prepare = [&](const std::vector<runlog::RunFolder>& folders) {
    return runs::keep_prediction(
        folders.back(), {of_run.id(), view::change_options(change), prediction.recorded_ns / 1e6,
                         prediction.step_ns.value / 1e6, prediction.step_ns.low / 1e6,
                         prediction.step_ns.high / 1e6});
  };
  return start_study(runs_dir, std::move(plan), cancelled);
}

}  // namespace ringside::session
