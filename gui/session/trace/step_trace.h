// The steps of a run as a trace for Perfetto and chrome://tracing: a process per rank with its
// steps, the parts of each, and its collectives. Pure.
// Format: "Trace Event Format", Google, whose complete (X), metadata (M) and asynchronous (b, e)
// events are used.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gui/analysis/range.h"
#include "gui/session/trace/rank_profile.h"

namespace ringside::session {

/// Steps of a trace for which nobody asked for others: the newest.
inline constexpr Step kTraceSteps = 2000;

struct StepTrace {
  std::string json;
  std::uint64_t events = 0;   ///< without those that only name ranks
  analysis::StepRange steps;  ///< that the run has of those asked for
};

/// Where the times of a trace of these steps begin, on the scale of the model.
std::int64_t trace_begin_ns(const model::RunModel& model, analysis::StepRange steps);

/// `run`: what the trace is called. Times are in us from the begin of the first step. A part's
/// length is as recorded; parts stand one after the other in the order of a step, since nobody
/// records when each begins. Collectives stand where they were entered and done. `profiles`: what
/// profilers saw of these steps, of ranks whose times are from trace_begin_ns() on.
StepTrace step_trace(const model::RunModel& model, analysis::StepRange steps,
                     const std::string& run, const std::vector<RankProfile>& profiles = {});

}  // namespace ringside::session
