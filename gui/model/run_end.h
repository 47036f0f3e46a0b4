// Whether a run has recorded its end. Pure; any thread.
#pragma once

#include "gui/model/run_model.h"
#include "protocol/messages/rank_records.h"

namespace ringside::model {

/// Whether the run has recorded its end, of whatever kind; an interrupted run has not.
inline bool has_ended(const RunModel& run) {
  return run.run_state() && messages::is_final(run.run_state()->state);
}

}  // namespace ringside::model
