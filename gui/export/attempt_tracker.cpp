#include "gui/export/attempt_tracker.h"

#include <algorithm>

#include "protocol/messages/records.h"

namespace ringside::exporting {

std::int32_t AttemptTracker::attempt_of(const messages::Stamp& stamp,
                                        const messages::Record& record) {
  std::int32_t& attempt = attempts_[stamp.node];
  const auto* state = stamp.rank == kNoRank ? std::get_if<messages::RankState>(&record) : nullptr;
  if (state != nullptr) attempt = state->attempt;
  return attempt;
}

void NewestAttempt::accept(const messages::Stamp& stamp, const messages::Record& record) {
  newest_ = std::max(newest_, tracker_.attempt_of(stamp, record));
}

}  // namespace ringside::exporting
