#include "gui/model/node_clocks.h"

#include <variant>

#include "gui/model/bounds.h"
#include "protocol/messages/records.h"

namespace ringside::model {

void NodeClocks::note(const messages::Stamp& stamp, const messages::Record& record) {
  const auto* sync = std::get_if<messages::ClockSync>(&record);
  if (sync == nullptr || stamp.rank != kNoRank) return;
  const std::int64_t offset_ns = bounded(sync->offset_ns, kMaxOffsetNs);
  if (stamp.node == 0) ahead_ns_[sync->peer] = offset_ns;
  if (stamp.node != 0 && sync->peer == 0) ahead_ns_[stamp.node] = -offset_ns;
}

std::int64_t NodeClocks::on_node_0(const messages::Stamp& stamp) const {
  const auto known = stamp.node == 0 ? ahead_ns_.end() : ahead_ns_.find(stamp.node);
  return bounded(stamp.mono_ns, kMaxTimeNs) - (known == ahead_ns_.end() ? 0 : known->second);
}

}  // namespace ringside::model
