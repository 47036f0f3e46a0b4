// The file `place.json` in a run folder, as far as it is the same for all places: which of them has
// the run beside its agent. Described in gui/place/FORMAT.md. Reads a file; any thread.
#pragma once

#include <string>

#include "protocol/runlog/run_folder.h"

namespace ringside::runlog {

inline constexpr const char* kPlaceFile = "place.json";
/// Older runs of Slurm have it alone.
inline constexpr const char* kOldSlurmFile = "slurm.json";

/// "slurm"; empty: nothing but its agent has the run, or the file cannot be read.
std::string place_kind(const RunFolder& folder);

}  // namespace ringside::runlog
