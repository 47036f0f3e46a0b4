// Paths among the settings of a run as whoever typed them meant them. Reads the working folder and
// the home folder; any thread.
#pragma once

#include "protocol/base/result.h"
#include "protocol/messages/spec/run_spec.h"

namespace ringside::launch {

/// The settings with every path whole, so that the run can be resumed from another folder; a custom
/// program without a working folder gets that of now. A bad request where the working folder is
/// needed and gone.
Result<messages::RunSpec> with_whole_paths(messages::RunSpec spec);

}  // namespace ringside::launch
