// Tests every event in every phase.
#include "trainer/agent/nodes/member_phase.h"

#include <map>
#include <utility>

#include "tests/support/catch.h"

namespace ringside::agent {

TEST_CASE("each event has an effect only in the phases in which it is expected") {
  using P = MemberPhase;
  using E = MemberEvent;
  const std::map<std::pair<P, E>, P> counts = {
      {{P::kSeeking, E::kHeard}, P::kReady},  {{P::kSeeking, E::kClose}, P::kClosed},
      {{P::kSeeking, E::kLose}, P::kLost},    {{P::kReady, E::kTry}, P::kReady},
      {{P::kReady, E::kBegin}, P::kRunning},  {{P::kReady, E::kClose}, P::kClosed},
      {{P::kReady, E::kLose}, P::kLost},      {{P::kRunning, E::kEnded}, P::kOver},
      {{P::kRunning, E::kClose}, P::kClosed}, {{P::kRunning, E::kLose}, P::kLost},
      {{P::kOver, E::kTry}, P::kReady},       {{P::kOver, E::kClose}, P::kClosed},
      {{P::kOver, E::kLose}, P::kLost},
  };
  for (std::size_t phase = 0; phase < kMemberPhases; ++phase) {
    for (std::size_t event = 0; event < kMemberEvents; ++event) {
      const std::pair key(static_cast<P>(phase), static_cast<E>(event));
      const auto found = counts.find(key);
      CAPTURE(phase, event);
      CHECK(phase_after(key.first, key.second) ==
            (found == counts.end() ? std::nullopt : std::optional(found->second)));
    }
  }
}

}  // namespace ringside::agent
