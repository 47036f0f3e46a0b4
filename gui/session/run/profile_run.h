// A profile of a few steps of a run that goes on: asks its ranks for it, waits for what they write
// and puts it together with the recorded steps. Any thread.
// Format: trainer/agent/RANKS.md, "Profiles".
#pragma once

#include <filesystem>
#include <functional>

#include "gui/analysis/range.h"
#include "gui/runs/find_run.h"
#include "gui/session/export_run.h"
#include "gui/view/table.h"

namespace ringside::session {

inline constexpr Step kUsualProfiledSteps = 3;
inline constexpr Step kMostProfiledSteps = 1000;

struct KeptProfile {
  TraceSummary trace;
  view::Table operations;
};

/// Waits until every rank has profiled so many steps, some seconds ahead. `to`: the file for the
/// trace; empty: in the run's folder. `asked` is told the steps once the ranks are asked for them;
/// `cancelled` ends the wait. Errors: the run has ended or is elsewhere, or what a rank said.
Result<KeptProfile> profile_run(const runs::ListedRun& run, Step steps,
                                const std::filesystem::path& to,
                                const std::function<bool()>& cancelled,
                                const std::function<void(analysis::StepRange)>& asked);

}  // namespace ringside::session
