#include "gui/launch/ask_stop.h"

#include "tests/support/catch.h"

namespace ringside::launch {
namespace {

constexpr std::int64_t kMs = 1'000'000;

TEST_CASE("an agent that comes up slowly is waited for, one that works without its file is not") {
  constexpr std::uintmax_t kNoFile = static_cast<std::uintmax_t>(-1);
  GrowingLog log(kNoFile);
  CHECK_FALSE(log.goes_on(kNoFile, 0));
  CHECK_FALSE(log.goes_on(64, 5 * kMs));
  CHECK_FALSE(log.goes_on(128, 10 * kMs));  // what an earlier attempt has left
  // A driver took its time, then come a warning and the state, and agent.json.
  CHECK_FALSE(log.goes_on(256, 9'000 * kMs));
  CHECK_FALSE(log.goes_on(512, 9'005 * kMs));
  // No agent.json: its readings alone go on twice a second.
  CHECK_FALSE(log.goes_on(600, 9'500 * kMs));
  CHECK(log.goes_on(700, 10'000 * kMs));
}

}  // namespace
}  // namespace ringside::launch
