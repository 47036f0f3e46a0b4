// Updates a session as the window does until a condition on its input holds. Main thread.
#pragma once

#include <cstdint>

#include "protocol/base/clock.h"
#include "tests/support/patience.h"

namespace ringside::testing {

/// Returns false if the condition does not hold within the tests' timeout.
template <class Session, class Holds>
bool until(Session& session, Holds&& holds) {
  const std::int64_t deadline_ns = mono_now_ns() + kPatienceNs;
  while (mono_now_ns() < deadline_ns) {
    session.update();
    if (holds(session.input())) return true;
  }
  return false;
}

}  // namespace ringside::testing
