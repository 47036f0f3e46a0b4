// The steps of a run as a trace for Perfetto and chrome://tracing: a process per rank with its
// steps, their parts, and its collectives. Pure.
// Format: "Trace Event Format", Google, whose complete (X), metadata (M) and asynchronous (b, e)
// events are used.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gui/analysis/range.h"
#include "gui/session/trace/rank_profile.h"

namespace ringside::session {

/// Number of the newest steps in a trace if no steps were requested.
inline constexpr Step kTraceSteps = 2000;

struct StepTrace {
  std::string json;
  std::uint64_t events = 0;   ///< without the metadata that names ranks
  analysis::StepRange steps;  ///< the requested steps that the run has
};

/// Start of the trace of these steps, in the time of the model.
std::int64_t trace_begin_ns(const model::RunModel& model, analysis::StepRange steps);

/// `run`: name of the trace. Times are in us from the beginning of the first step. Parts have their
/// recorded length and follow each other in the order of a step, since their beginnings are not
/// recorded. Collectives are placed at their recorded begin and end. `profiles`: events of
/// profilers in these steps, with times relative to trace_begin_ns().
StepTrace step_trace(const model::RunModel& model, analysis::StepRange steps,
                     const std::string& run, const std::vector<RankProfile>& profiles = {});

}  // namespace ringside::session
