// Whether a preset can run on this machine as its recipe asks, and what would change that. Looks at
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

/// GPUs first, then what another run must make, then data: the first thing that is missing. `spec`
/// is the preset's, with whatever a person changed; `quick` tells at which scale.
Readiness readiness(const LoadedPreset& preset, const messages::RunSpec& spec, bool quick,
                    const Machine& machine);

}  // namespace ringside::launch
