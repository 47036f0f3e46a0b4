// Pauses of a run between two of its attempts. Pure functions of the model.
#pragma once

#include <cstdint>
#include <vector>

#include "gui/model/run_model_fwd.h"

namespace ringside::analysis {

/// The time from the end of an attempt to the start of the next, mono_ns.
struct Stop {
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
};

/// Pauses between attempts, ascending; the last one until now while a further attempt is queued. If
/// an agent was killed and so recorded no end, its attempt ended with the last record of its ranks;
/// without any record the end is unknown, and there is no stop.
std::vector<Stop> stops(const model::RunModel& model);

/// Total length of all stops.
double stopped_s(const model::RunModel& model);

}  // namespace ringside::analysis
