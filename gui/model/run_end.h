// Whether a run told that it has come to its end. Pure; any thread.
#pragma once

#include "gui/model/run_model.h"
#include "protocol/messages/rank_records.h"

namespace ringside::model {

/// Whether the run has ended, in whatever way; one that was interrupted has not said so.
inline bool has_ended(const RunModel& run) {
  return run.run_state() && messages::is_final(run.run_state()->state);
}

}  // namespace ringside::model
