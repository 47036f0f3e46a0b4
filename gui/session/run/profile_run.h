// A profile of a few steps of an active run: requests it from the ranks, waits for the files they
// write and merges them with the recorded steps. Any thread.
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

/// Waits until every rank has profiled `steps` steps, starting some seconds from now. `to`: the
/// file for the trace; empty: in the run's folder. `asked` is called with the steps once they were
/// requested; `cancelled` ends the wait. Errors: the run has ended or is on another machine, or the
/// error of a rank.
Result<KeptProfile> profile_run(const runs::ListedRun& run, Step steps,
                                const std::filesystem::path& to,
                                const std::function<bool()>& cancelled,
                                const std::function<void(analysis::StepRange)>& asked);

}  // namespace ringside::session
