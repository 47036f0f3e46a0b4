#include "gui/launch/start/ask_stop.h"

#include "protocol/runlog/copy_mark.h"
#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"

namespace ringside::launch {
namespace {

constexpr std::int64_t kMs = 1'000'000;

TEST_CASE("a slowly starting agent is waited for, and one that works without agent.json is not") {
  constexpr std::uintmax_t kNoFile = static_cast<std::uintmax_t>(-1);
  GrowingLog log(kNoFile);
  CHECK_FALSE(log.goes_on(kNoFile, 0));
  CHECK_FALSE(log.goes_on(64, 5 * kMs));
  CHECK_FALSE(log.goes_on(128, 10 * kMs));  // left by an earlier attempt
  // A slow driver is followed by a warning and the state, and then by agent.json.
  CHECK_FALSE(log.goes_on(256, 9'000 * kMs));
  CHECK_FALSE(log.goes_on(512, 9'005 * kMs));
  // Without agent.json the log keeps growing by the agent's samples, twice a second.
  CHECK_FALSE(log.goes_on(600, 9'500 * kMs));
  CHECK(log.goes_on(700, 10'000 * kMs));
}

TEST_CASE("stopping a copied run says where to stop it if it is live, or that it is over") {
  const TempFolder temp;
  const runlog::RunFolder run(temp.path() / "20261121T134005Z-7f3a1c");
  std::filesystem::create_directory(run.path());
  const auto refused = [&] {
    const auto asked = ask_stop(run, wire::StopMode::kNow);
    return asked ? *asked : asked.error().message;
  };
  REQUIRE(runlog::mark_copy(run, {"ssh://box", {0}}));
  CHECK(refused() == "the agent of run " + run.id() + " is on ssh://box: run `ringside stop " +
                         run.id() + "` there");
  REQUIRE(runlog::mark_copy(run, {"ssh://box", {}}));
  CHECK(refused() == "the agent of run " + run.id() + " is gone, so there is nothing to stop");
}

}  // namespace
}  // namespace ringside::launch
