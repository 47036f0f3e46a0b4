#include "gui/model/run_clock.h"

#include <utility>
#include <variant>

#include "gui/model/bounds.h"
#include "protocol/messages/records.h"

namespace ringside::model {
namespace {

// Wall-clock time in a rank's hello, or in the agent's record of a queued or starting attempt; 0:
// none.
std::int64_t wall_ns_in(const messages::Stamp& stamp, const messages::Record& record) {
  if (const auto* hello = std::get_if<messages::RankHello>(&record)) return hello->wall_ns;
  const auto* state = std::get_if<messages::RankState>(&record);
  const bool begins =
      state != nullptr && stamp.rank == kNoRank &&
      (state->state == messages::State::kQueued || state->state == messages::State::kStarting);
  return begins ? state->wall_ns : 0;
}

bool is_correction(std::int64_t shift_ns) {
  return shift_ns >= -kWallCorrectionNs && shift_ns <= kWallCorrectionNs;
}

}  // namespace

// The monotonic clock restarts with the host. A run that is resumed after that is put on its first
// time scale by the wall-clock time that has passed; smaller differences are corrections of the
// wall clock.
std::int64_t RunClock::note(const messages::Stamp& stamp, const messages::Record& record) {
  const std::int64_t wall_ns = wall_ns_in(stamp, record);
  if (wall_ns == 0) return 0;
  const std::int64_t base = bounded(wall_ns, kMaxWallNs) - bounded(stamp.mono_ns, kMaxTimeNs);
  const auto [known, first] = nodes_.try_emplace(stamp.node, NodeClock{base, 0});
  if (first) return 0;
  const std::int64_t shift = bounded(base - known->second.base_ns, kMaxWallNs);
  const std::int64_t now = is_correction(shift) ? 0 : shift;
  const std::int64_t moved = now - std::exchange(known->second.shift_ns, now);
  return is_correction(moved) ? 0 : moved;
}

std::int64_t RunClock::on_first_scale(Node node, std::int64_t mono_ns) const {
  const auto known = nodes_.find(node);
  return bounded(mono_ns, kMaxTimeNs) + (known == nodes_.end() ? 0 : known->second.shift_ns);
}

std::optional<std::int64_t> RunClock::wall_base_ns(Node node) const {
  const auto known = nodes_.find(node);
  if (known == nodes_.end()) return std::nullopt;
  return known->second.base_ns + known->second.shift_ns;
}

std::optional<Node> RunClock::first_told() const {
  return nodes_.empty() ? std::nullopt : std::optional(nodes_.begin()->first);
}

}  // namespace ringside::model
