// The run that a run is compared with: the one that a person chose, kept in its folder so that
// window, list, report and command line say the same; else, or once that was deleted, the one that
// its settings name. Files only; any thread.
#pragma once

#include "protocol/base/ids.h"
#include "protocol/base/result.h"
#include "protocol/messages/spec/run_spec.h"
#include "protocol/runlog/run_folder.h"

namespace ringside::runs {

/// The id of the run's baseline; empty if it has none.
RunId baseline_id(const runlog::RunFolder& folder, const messages::RunSpec& spec);
/// Keeps the choice.
Result<void> choose_baseline(const runlog::RunFolder& folder, const RunId& id);

}  // namespace ringside::runs
