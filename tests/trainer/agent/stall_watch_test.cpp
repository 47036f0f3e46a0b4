#include "trainer/agent/stall_watch.h"

#include "protocol/messages/silence.h"
#include "tests/support/catch.h"

using namespace ringside;
using namespace ringside::agent;
using messages::Severity;
using messages::State;

namespace {

constexpr std::int64_t kMs = 1'000'000;
constexpr std::int64_t kSecond = 1000 * kMs;

char sleeping(Rank) { return 'S'; }

// Three ranks that stepped `steps` times, `step_ns` each, and ended that at the returned time.
std::int64_t train(StallWatch& watch, int steps, std::int64_t step_ns) {
  std::int64_t now = 0;
  for (int step = 0; step < steps; ++step) {
    now += step_ns;
    for (Rank rank = 0; rank < 3; ++rank) watch.on_step(rank, step, step_ns, now);
  }
  return now;
}

}  // namespace

TEST_CASE("R4: silence is allowed for ten seconds, or five median steps") {
  StallWatch quick(3, 60 * kSecond);
  train(quick, 40, 100 * kMs);
  CHECK(quick.allowed_silence_ns(0) == 10 * kSecond);
  StallWatch slow(3, 60 * kSecond);
  train(slow, 40, 4 * kSecond);
  CHECK(slow.allowed_silence_ns(0) == 20 * kSecond);
}

TEST_CASE("R4: a stopped process is named, once, and the others are not blamed") {
  StallWatch watch(3, 60 * kSecond);
  const std::int64_t last = train(watch, 20, 100 * kMs);
  const auto state = [](Rank rank) { return rank == 1 ? 'T' : 'S'; };
  CHECK_FALSE(watch.check(last + 9 * kSecond, state));
  CHECK(watch.next_check_ns() == last + 10 * kSecond);
  const auto notice = watch.check(last + 10 * kSecond, state);
  REQUIRE(notice);
  CHECK(notice->severity == Severity::kWarning);
  CHECK(notice->code == "stall");
  CHECK(notice->text ==
        "rank 1 silent for 10 s, last step 20: its process is stopped (SIGSTOP or a debugger); "
        "ranks 0 and 2 are "
        "silent too");
  CHECK_FALSE(watch.check(last + 30 * kSecond, state));
}

TEST_CASE("R4: without other evidence the rank that is behind is named") {
  StallWatch watch(3, 60 * kSecond);
  std::int64_t now = train(watch, 20, 100 * kMs);
  watch.on_step(0, 20, 100 * kMs, now + 100 * kMs);
  watch.on_step(2, 20, 100 * kMs, now + 100 * kMs);
  const auto notice = watch.check(now + 11 * kSecond, sleeping);
  REQUIRE(notice);
  CHECK(notice->text ==
        "rank 1 silent for 11 s, last step 20: behind the others; ranks 0 and 2 are silent too");
}

TEST_CASE("R4: with no evidence at all, all are named and nobody is blamed") {
  StallWatch watch(3, 60 * kSecond);
  const std::int64_t now = train(watch, 20, 100 * kMs);
  const auto notice = watch.check(now + 12 * kSecond, sleeping);
  REQUIRE(notice);
  CHECK(notice->text == "ranks 0, 1 and 2 silent for 12 s, last step 20");
}

TEST_CASE("R4: of ranks at the same step the one that has not entered a collective is named") {
  StallWatch watch(3, 60 * kSecond);
  const std::int64_t now = train(watch, 20, 100 * kMs);
  // Where a rank stands is no sign of progress.
  for (Rank rank = 0; rank < 3; ++rank)
    watch.on_state(rank, State::kTraining, now + 5 * kSecond,
                   rank == 2 ? "bucket 1, number 40" : "bucket 0, number 41");
  const auto notice = watch.check(now + 10 * kSecond, sleeping);
  REQUIRE(notice);
  CHECK(notice->text ==
        "rank 2 silent for 10 s, last step 20: has not entered bucket 0, number 41, in which rank "
        "0 waits; ranks 0 and 1 are silent too");
  CHECK(messages::collective_number("bucket 3, number 41") == 41);
  CHECK_FALSE(messages::collective_number("broadcast"));
  CHECK_FALSE(messages::collective_number("bucket, number x"));
}

TEST_CASE("a rank that goes on ends the warning, and may be warned of again") {
  StallWatch watch(3, 60 * kSecond);
  std::int64_t now = train(watch, 20, 100 * kMs);
  REQUIRE(watch.check(now + 10 * kSecond, sleeping));
  CHECK(watch.anyone_silent());
  now += 14 * kSecond;
  for (Rank rank = 0; rank < 3; ++rank) watch.on_step(rank, 20, 100 * kMs, now);
  const auto over = watch.check(now, sleeping);
  REQUIRE(over);
  CHECK_FALSE(watch.anyone_silent());
  CHECK(over->severity == Severity::kInfo);
  CHECK(over->text == "ranks 0, 1 and 2 go on, 4 s after the silence was noticed");
  CHECK_FALSE(watch.check(now, sleeping));
  CHECK(watch.check(now + 10 * kSecond, sleeping));
}

TEST_CASE("loading, evaluating and saving may take stall_s") {
  StallWatch watch(3, 60 * kSecond);
  std::int64_t now = train(watch, 20, 100 * kMs);
  for (Rank rank = 0; rank < 3; ++rank) watch.on_state(rank, State::kEvaluating, now);
  CHECK_FALSE(watch.check(now + 59 * kSecond, sleeping));
  CHECK(watch.check(now + 60 * kSecond, sleeping));
}

TEST_CASE("R4: a rank that is expected and does not arrive is named") {
  StallWatch watch(3, 60 * kSecond);
  watch.begin(5 * kSecond);
  CHECK(watch.next_check_ns() == 65 * kSecond);
  watch.on_state(1, State::kStarting, 7 * kSecond);
  watch.on_state(2, State::kStarting, 7 * kSecond);
  CHECK_FALSE(watch.check(64 * kSecond, sleeping));
  const auto notice = watch.check(65 * kSecond, sleeping);
  REQUIRE(notice);
  CHECK(notice->text ==
        "rank 0 silent for 60 s, not arrived since the start: behind the others; ranks 1 and 2 are "
        "silent too");
}

TEST_CASE("R4: of ranks that all wait for each other at the start the stopped one is named") {
  StallWatch watch(2, 60 * kSecond);
  watch.begin(0);
  const auto stopped = [](Rank rank) { return rank == 0 ? 'T' : 'S'; };
  const auto notice = watch.check(60 * kSecond, stopped);
  REQUIRE(notice);
  CHECK(notice->text ==
        "rank 0 silent for 60 s, not arrived since the start: its process is stopped (SIGSTOP or a "
        "debugger); rank 1 is silent too");
}

TEST_CASE("ranks that never spoke and ranks that have ended are not watched") {
  StallWatch watch(3, 60 * kSecond);
  CHECK_FALSE(watch.check(1000 * kSecond, sleeping));
  train(watch, 20, 100 * kMs);
  for (Rank rank = 0; rank < 3; ++rank) watch.on_end(rank);
  CHECK_FALSE(watch.check(1000 * kSecond, sleeping));
}
