// Makes each kind of place. Reads the environment, and where a comment says so calls Slurm's
// programs, for ten seconds at most each. Any thread.
#pragma once

#include <optional>

#include "gui/place/place.h"
#include "gui/slurm/allocation.h"
#include "gui/slurm/options.h"

namespace ringside::place {

/// This machine; `inside`: in which allocation this program is, where a study may go on.
PlacePtr here(std::optional<slurm::Allocation> inside = {});
/// As here(), inside the allocation of this process if there is one, with what Slurm reports about
/// it now.
PlacePtr around_here(const launch::Cancelled& cancelled);

/// Jobs of Slurm with these options, or steps of the allocation.
PlacePtr on_slurm(slurm::Options options, std::optional<slurm::Allocation> inside);

}  // namespace ringside::place
