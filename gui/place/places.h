// Makes each kind of place. Reads the environment, and where a comment says so calls Slurm's
// programs, for ten seconds at most each. Any thread.
#pragma once

#include <optional>

#include "gui/place/place.h"
#include "gui/slurm/allocation.h"
#include "gui/slurm/options.h"
#include "gui/slurm/own_tasks.h"

namespace ringside::place {

/// This machine; `inside`: in which allocation this program is, where a study may go on.
PlacePtr here(std::optional<slurm::Allocation> inside = {});
/// As here(), inside the allocation of this process if there is one, with what Slurm reports about
/// it now.
PlacePtr around_here(const launch::Cancelled& cancelled);

/// The same without asking.
PlacePtr inside_here();

/// A place beside this machine that runs can go to, without options and without asking its
/// programs; null: there is none.
PlacePtr offered_here();
/// The same of another machine that submits jobs; never null.
PlacePtr offered_far();
/// What was asked for with the newest of these runs that has a place, and can be asked for with
/// more runs of their study; nothing: none has one, or it is a step of an allocation.
std::optional<launch::Typed> asked_before(const std::filesystem::path& runs_dir,
                                          const std::vector<std::string>& run_ids);

/// The tasks of a person's own srun, of which this process is that of rank 0; `sets` as of
/// slurm::on_tasks. Looks at this machine.
using TasksPtr = std::shared_ptr<slurm::TaskMeeting>;
Result<PlacePtr> on_tasks(TasksPtr tasks, std::vector<std::string> sets,
                          const launch::Cancelled& cancelled);

/// Jobs of Slurm with these options, or steps of the allocation.
PlacePtr on_slurm(slurm::Options options, std::optional<slurm::Allocation> inside);

}  // namespace ringside::place
