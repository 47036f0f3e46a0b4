#include "trainer/agent/nodes/node_clock.h"

#include <algorithm>
#include <cstdlib>

namespace ringside::agent {
namespace {

constexpr std::size_t kTrips = 8;  // one per second
constexpr std::size_t kTripsNeeded = 4;
constexpr std::int64_t kEveryNs = 60'000'000'000;
constexpr std::int64_t kMuchBetter = 2;

}  // namespace

void NodeClock::add(std::int64_t sent_ns, std::int64_t answered_ns, std::int64_t received_ns) {
  if (received_ns < sent_ns) return;
  const std::int64_t half_ns = (received_ns - sent_ns) / 2;
  trips_.push_back({sent_ns, answered_ns - (sent_ns + half_ns), half_ns + 1});
  if (trips_.size() > kTrips) trips_.pop_front();
}

std::int64_t NodeClock::Trip::uncertainty_at(std::int64_t at_ns) const {
  return uncertainty_ns + messages::clock_drift_ns(at_ns - since_ns);
}

const NodeClock::Trip& NodeClock::best(std::int64_t now_ns) const {
  return *std::min_element(trips_.begin(), trips_.end(), [now_ns](const Trip& a, const Trip& b) {
    return a.uncertainty_at(now_ns) < b.uncertainty_at(now_ns);
  });
}

std::optional<messages::ClockSync> NodeClock::due(std::int64_t now_ns) {
  if (trips_.size() < kTripsNeeded) return std::nullopt;
  const Trip& found = best(now_ns);
  const Trip now{now_ns, found.offset_ns, found.uncertainty_at(now_ns)};
  if (told_) {
    const std::int64_t allowed = told_->uncertainty_at(now_ns);
    const bool apart = std::abs(now.offset_ns - told_->offset_ns) > now.uncertainty_ns + allowed;
    const bool better = allowed > kMuchBetter * now.uncertainty_ns;
    if (!apart && !better && now_ns - told_->since_ns < kEveryNs) return std::nullopt;
  }
  told_ = now;
  return messages::ClockSync{0, now.offset_ns, now.uncertainty_ns};
}

}  // namespace ringside::agent
