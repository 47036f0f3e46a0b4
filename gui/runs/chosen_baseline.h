// The run that a run is compared with: the one that a person chose, stored in the run folder so
// that window, list, report and command line agree; or, without a choice or once that run was
// deleted, the one named in the settings. Files only; any thread.
#pragma once

#include "protocol/base/ids.h"
#include "protocol/base/result.h"
#include "protocol/messages/spec/run_spec.h"
#include "protocol/runlog/run_folder.h"

namespace ringside::runs {

/// The id of the run's baseline; empty if it has none.
RunId baseline_id(const runlog::RunFolder& folder, const messages::RunSpec& spec);
/// Stores the choice.
Result<void> choose_baseline(const runlog::RunFolder& folder, const RunId& id);

}  // namespace ringside::runs
