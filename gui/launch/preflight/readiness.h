// Whether a preset can run on this machine as its recipe asks, and what would change that. Checks
// the file system for data; any thread.
#pragma once

#include <string>

#include "gui/launch/machine.h"
#include "gui/launch/presets.h"

namespace ringside::launch {

struct Readiness {
  bool ready = true;
  std::string why;   ///< what is missing, as one sentence; empty when ready
  std::string then;  ///< what to do next; may be empty
};

/// The first thing that is missing: GPUs, then results of another run, then data. `spec`: the
/// preset's, with a person's changes; `quick` selects the scale.
Readiness readiness(const LoadedPreset& preset, const messages::RunSpec& spec, bool quick,
                    const Machine& machine);

}  // namespace ringside::launch
