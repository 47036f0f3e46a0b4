// Starts a planned study, by one agent, as Slurm jobs or as steps of an allocation, and stops a
// study. The study is locked meanwhile, so that one program at a time does this. For the command
// line and the window. Reads and writes files; any thread, blocks until the agent has started.
#pragma once

#include <filesystem>
#include <string>

#include "gui/launch/start/start.h"
#include "gui/runs/catalogue.h"
#include "gui/session/studies/study_plan.h"
#include "protocol/wire/control_client.h"

namespace ringside::session {

struct StartedStudy {
  StudyPlan plan;        ///< its study contains the new runs
  launch::Started runs;  ///< without folders: nothing had to be trained
};
/// Writes the study, unless it has only one setting, creates the folders and starts the agent or
/// the steps, or submits the jobs. After a failure nothing new is left, except for tasks of srun,
/// which read the reason in the folder. A bad request if another program starts or stops the study
/// or has changed it since it was planned, or if its allocation has ended.
Result<StartedStudy> start_study(const std::filesystem::path& runs_dir, StudyPlan plan,
                                 const launch::Cancelled& cancelled = {});

/// Asks a run to stop; returns the answer. A run that still waits for its own baseline also stops
/// that, since no other run needs it. A baseline that a person chose belongs to another run and
/// continues.
Result<std::string> stop_run(const runs::RunSummary& run, wire::StopMode mode);

struct StoppedStudy {
  runs::Study study;
  int asked = 0;  ///< runs that were active or waiting
};
/// Asks all active and waiting runs to stop. A study that is being started is stopped after its
/// start; a bad request, with nothing stopped, if that takes too long or is `cancelled`. If a run
/// does not answer, `cancelled` leaves the others unasked: a failure.
Result<StoppedStudy> stop_study(const std::filesystem::path& runs_dir, const std::string& name,
                                wire::StopMode mode, const launch::Cancelled& cancelled = {});

}  // namespace ringside::session
