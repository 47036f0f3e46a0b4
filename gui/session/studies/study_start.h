// Starts what is planned of a study, the folders and the one agent that trains them, their jobs of
// Slurm or steps of an allocation, and stops a study. One program at a time: the study is locked
// meanwhile. For the command line and the window. Reads and writes files; any thread, blocks until
// the agent is there.
#pragma once

#include <filesystem>
#include <string>

#include "gui/launch/start.h"
#include "gui/runs/catalogue.h"
#include "gui/session/studies/study_plan.h"
#include "protocol/wire/control_client.h"

namespace ringside::session {

struct StartedStudy {
  StudyPlan plan;        ///< whose study has the runs that were made
  launch::Started runs;  ///< without folders: nothing had to be trained
};
/// Writes the study, unless it is of one setting, makes the folders and starts the agent or the
/// steps, or submits the jobs. When that fails nothing new is left, but for tasks of srun, which
/// read in the folder why. A bad request where another program starts or stops the study,
/// or has changed it since it was planned, or its allocation is over.
Result<StartedStudy> start_study(const std::filesystem::path& runs_dir, StudyPlan plan,
                                 const launch::Cancelled& cancelled = {});

/// Asks a run to stop; the answer. One that still waits for its own baseline takes that with it:
/// nobody else asked for it. One that a person chose to compare with is another's run and goes on.
Result<std::string> stop_run(const runs::RunSummary& run, wire::StopMode mode);

struct StoppedStudy {
  runs::Study study;
  int asked = 0;  ///< runs that went on or waited
};
/// Asks for a stop of all its runs that go on or wait. One that is being started is stopped once it
/// is there; a bad request where that takes too long, or `cancelled` meanwhile: nothing was
/// stopped. Where a run does not answer `cancelled` leaves the rest unasked: a failure.
Result<StoppedStudy> stop_study(const std::filesystem::path& runs_dir, const std::string& name,
                                wire::StopMode mode, const launch::Cancelled& cancelled = {});

}  // namespace ringside::session
