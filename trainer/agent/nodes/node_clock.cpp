#include "trainer/agent/nodes/node_clock.h"

#include <algorithm>
#include <cstdlib>

namespace ringside::agent {
namespace {

constexpr std::size_t kTrips = 8;  // one a second: old ones know nothing of how clocks drift
constexpr std::size_t kTripsNeeded = 4;
constexpr std::int64_t kEveryNs = 60'000'000'000;

}  // namespace

void NodeClock::add(std::int64_t sent_ns, std::int64_t answered_ns, std::int64_t received_ns) {
  if (received_ns < sent_ns) return;
  const std::int64_t half_ns = (received_ns - sent_ns) / 2;
  trips_.push_back({answered_ns - (sent_ns + half_ns), half_ns + 1});
  if (trips_.size() > kTrips) trips_.pop_front();
}

const NodeClock::Trip* NodeClock::best() const {
  const auto found = std::min_element(
      trips_.begin(), trips_.end(),
      [](const Trip& a, const Trip& b) { return a.uncertainty_ns < b.uncertainty_ns; });
  return found == trips_.end() ? nullptr : &*found;
}

std::optional<messages::ClockSync> NodeClock::due(std::int64_t now_ns) {
  if (trips_.size() < kTripsNeeded) return std::nullopt;
  const Trip& now = *best();
  const bool apart = told_ && std::abs(now.offset_ns - told_->offset_ns) >
                                  now.uncertainty_ns + told_->uncertainty_ns;
  if (told_ && !apart && now_ns - told_ns_ < kEveryNs) return std::nullopt;
  told_ = now;
  told_ns_ = now_ns;
  return messages::ClockSync{0, now.offset_ns, now.uncertainty_ns};
}

}  // namespace ringside::agent
