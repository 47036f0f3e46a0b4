// Makes the paths in a run's settings absolute. Reads the working folder and the home folder; any
// thread.
#pragma once

#include "protocol/base/result.h"
#include "protocol/messages/spec/run_spec.h"

namespace ringside::launch {

/// The settings with absolute paths, so that the run can be resumed from another folder; a custom
/// program without a working folder gets the present one. Returns a bad request if the working
/// folder is needed but was deleted.
Result<messages::RunSpec> with_whole_paths(messages::RunSpec spec);

}  // namespace ringside::launch
