// Creates each kind of place. Reads the environment; functions whose comment says so call Slurm's
// programs, which may take up to ten seconds each. Any thread.
#pragma once

#include <optional>

#include "gui/place/place.h"
#include "gui/slurm/allocation.h"
#include "gui/slurm/options.h"
#include "gui/slurm/own_tasks.h"

namespace ringside::place {

/// This machine. `inside`: the allocation that this program runs in, where a study may continue.
PlacePtr here(std::optional<slurm::Allocation> inside = {});
/// Like here(), inside the allocation of this process if there is one, with what Slurm reports
/// about it now.
PlacePtr around_here(const launch::Cancelled& cancelled);

/// Like around_here(), but does not ask Slurm.
PlacePtr inside_here();

/// A place other than this machine that runs can be sent to, without options and without calling
/// its programs; null: there is none.
PlacePtr local_place();
/// Like local_place(), for another machine that submits jobs; never null.
PlacePtr remote_place();
/// The options given for the newest of these runs that has a place, if they can be given again for
/// more runs of their study; nothing if no run has a place or that run is a step of an allocation.
std::optional<launch::Typed> asked_before(const std::filesystem::path& runs_dir,
                                          const std::vector<std::string>& run_ids);

/// The tasks of a person's own srun; this process is the task of rank 0. `sets` as for
/// slurm::on_tasks. Reads the devices of this machine.
using TasksPtr = std::shared_ptr<slurm::TaskRendezvous>;
Result<PlacePtr> on_tasks(TasksPtr tasks, std::vector<std::string> sets,
                          const launch::Cancelled& cancelled);

/// Slurm jobs with these options, or steps of the allocation.
PlacePtr on_slurm(slurm::Options options, std::optional<slurm::Allocation> inside);

}  // namespace ringside::place
