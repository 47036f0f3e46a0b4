#include "trainer/agent/stall_watch.h"

#include <limits>

#include "protocol/messages/silence.h"
#include "tests/support/catch.h"

using namespace ringside;
using namespace ringside::agent;
using messages::Severity;
using messages::State;

namespace {

constexpr std::int64_t kStallWatchMs = 1'000'000;
constexpr std::int64_t kStallWatchSecond = 1000 * kStallWatchMs;

char sleeping(Rank) { return 'S'; }

// Three ranks with `steps` steps of `step_ns` each; returns the time of the last step.
std::int64_t train(StallWatch& watch, int steps, std::int64_t step_ns) {
  std::int64_t now = 0;
  for (int step = 0; step < steps; ++step) {
    now += step_ns;
    for (Rank rank = 0; rank < 3; ++rank) watch.on_step(rank, step, step_ns, now);
  }
  return now;
}

}  // namespace

TEST_CASE("R4: silence is allowed for ten seconds or five median steps, whichever is longer") {
  StallWatch quick(3, 60 * kStallWatchSecond);
  train(quick, 40, 100 * kStallWatchMs);
  CHECK(quick.allowed_silence_ns(0) == 10 * kStallWatchSecond);
  StallWatch slow(3, 60 * kStallWatchSecond);
  train(slow, 40, 4 * kStallWatchSecond);
  CHECK(slow.allowed_silence_ns(0) == 20 * kStallWatchSecond);
}

TEST_CASE(
    "R4: a stopped process is reported at once, and no rank that waits for it counts as silent") {
  StallWatch watch(3, 60 * kStallWatchSecond);
  const std::int64_t last = train(watch, 20, 100 * kStallWatchMs);
  const auto state = [](Rank rank) { return rank == 1 ? 'T' : 'S'; };
  const auto notice = watch.check(last + kStallWatchSecond, state);
  REQUIRE(notice);
  CHECK(notice->severity == Severity::kWarning);
  CHECK(notice->code == "rank_stopped");
  CHECK(notice->text ==
        "rank 1 does not run, last step 20: its process is stopped (SIGSTOP or a debugger)");
  CHECK(watch.anyone_silent());
  CHECK(watch.next_check_ns() == std::numeric_limits<std::int64_t>::max());
  CHECK_FALSE(watch.check(last + 300 * kStallWatchSecond, state));
  // The last records of the stopped rank may arrive late.
  watch.on_step(1, 20, 100 * kStallWatchMs, last + 300 * kStallWatchSecond);
  CHECK_FALSE(watch.check(last + 301 * kStallWatchSecond, state));
  const auto over = watch.check(last + 302 * kStallWatchSecond, sleeping);
  REQUIRE(over);
  CHECK(over->code == "stall_over");
  CHECK(over->text == "rank 1 goes on, 301 s after the silence was noticed");
  CHECK_FALSE(watch.anyone_silent());
  CHECK_FALSE(watch.check(last + 311 * kStallWatchSecond, sleeping));
  CHECK(watch.check(last + 312 * kStallWatchSecond, sleeping));
}

TEST_CASE(
    "R4: a rank that is stopped before its first step is reported at once, whoever waits longer") {
  StallWatch watch(2, 60 * kStallWatchSecond);
  const auto state = [](Rank rank) { return rank == 1 ? 'T' : 'S'; };
  std::string progress;
  SECTION("a program without telemetry") { progress = "not arrived since the start"; }
  SECTION("while loading") {
    watch.begin(0);
    watch.on_state(0, State::kStarting, kStallWatchSecond);
    watch.on_state(1, State::kStarting, 40 * kStallWatchSecond);
    progress = "no step yet";
  }
  SECTION("in its first step") {
    watch.on_state(0, State::kTraining, kStallWatchSecond);
    watch.on_state(1, State::kTraining, 40 * kStallWatchSecond);
    progress = "no step yet";
  }
  const auto notice = watch.check(41 * kStallWatchSecond, state);
  REQUIRE(notice);
  CHECK(notice->text ==
        "rank 1 does not run, " + progress + ": its process is stopped (SIGSTOP or a debugger)");
  // Rank 0 has been silent for a minute, and waits.
  CHECK_FALSE(watch.check(61 * kStallWatchSecond, state));
}

TEST_CASE(
    "R4: a process held by a debugger is reported after ten seconds, and one that is briefly "
    "traced is not") {
  StallWatch watch(2, 60 * kStallWatchSecond);
  const auto held = [](Rank rank) { return rank == 0 ? 't' : 'S'; };
  CHECK_FALSE(watch.check(0, held));
  CHECK_FALSE(watch.check(9 * kStallWatchSecond, held));
  CHECK_FALSE(watch.check(10 * kStallWatchSecond, sleeping));
  CHECK_FALSE(watch.check(11 * kStallWatchSecond, held));
  CHECK(watch.check(21 * kStallWatchSecond, held));
}

TEST_CASE("R4: a rank that is killed while stopped does not block later checks") {
  StallWatch watch(2, 60 * kStallWatchSecond);
  const auto stopped = [](Rank rank) { return rank == 0 ? 'T' : 'S'; };
  watch.on_state(1, State::kStarting, 0);
  REQUIRE(watch.check(0, stopped));
  watch.on_end(0);
  CHECK_FALSE(watch.check(kStallWatchSecond, sleeping));
  CHECK(watch.check(61 * kStallWatchSecond, sleeping));
}

TEST_CASE("R4: without other evidence the rank that is behind is named") {
  StallWatch watch(3, 60 * kStallWatchSecond);
  std::int64_t now = train(watch, 20, 100 * kStallWatchMs);
  watch.on_step(0, 20, 100 * kStallWatchMs, now + 100 * kStallWatchMs);
  watch.on_step(2, 20, 100 * kStallWatchMs, now + 100 * kStallWatchMs);
  const auto notice = watch.check(now + 11 * kStallWatchSecond, sleeping);
  REQUIRE(notice);
  CHECK(notice->text ==
        "rank 1 silent for 11 s, last step 20: behind the others; ranks 0 and 2 are silent too");
}

TEST_CASE("R4: without any evidence all silent ranks are reported and none is blamed") {
  StallWatch watch(3, 60 * kStallWatchSecond);
  const std::int64_t now = train(watch, 20, 100 * kStallWatchMs);
  const auto notice = watch.check(now + 12 * kStallWatchSecond, sleeping);
  REQUIRE(notice);
  CHECK(notice->text == "ranks 0, 1 and 2 silent for 12 s, last step 20");
}

TEST_CASE("R4: among ranks at the same step the one that has not entered a collective is named") {
  StallWatch watch(3, 60 * kStallWatchSecond);
  const std::int64_t now = train(watch, 20, 100 * kStallWatchMs);
  // A reported position is not a sign of progress.
  for (Rank rank = 0; rank < 3; ++rank)
    watch.on_state(rank, State::kTraining, now + 5 * kStallWatchSecond,
                   rank == 2 ? "bucket 1, number 40" : "bucket 0, number 41");
  const auto notice = watch.check(now + 10 * kStallWatchSecond, sleeping);
  REQUIRE(notice);
  CHECK(notice->text ==
        "rank 2 silent for 10 s, last step 20: has not entered bucket 0, number 41, in which rank "
        "0 waits; ranks 0 and 1 are silent too");
  CHECK(messages::collective_number("bucket 3, number 41") == 41);
  CHECK_FALSE(messages::collective_number("broadcast"));
  CHECK_FALSE(messages::collective_number("bucket, number x"));
}

TEST_CASE("R4: the member for which its group waits is named, but not one that itself waits") {
  StallWatch watch(4, 60 * kStallWatchSecond);
  const std::int64_t now = train(watch, 20, 100 * kStallWatchMs);
  for (Step step = 0; step < 20; ++step) watch.on_step(3, step, 100 * kStallWatchMs, now);
  const auto stands = [&](Rank rank, const char* where) {
    watch.on_state(rank, State::kTraining, now + 6 * kStallWatchSecond, where);
  };
  stands(0, "all-reduce 7 of tp (ranks 0, 1)");
  stands(1, "all-gather 41 of dp_shard (ranks 1, 3)");
  stands(2, "barrier of all ranks, number 9");
  std::string expected = "ranks 0, 1, 2 and 3 silent for 10 s, last step 20";
  SECTION("one that does not wait") {
    stands(3, "all-reduce 6 of tp (ranks 2, 3), done");
    expected =
        "rank 3 silent for 10 s, last step 20: has not entered all-gather 41 of dp_shard (ranks 1, "
        "3), in which rank 1 waits; ranks 0, 1 and 2 are silent too";
  }
  SECTION("one that does not report its position") {}
  SECTION("one that has entered it") { stands(3, "all-gather 41 of dp_shard (ranks 1, 3)"); }
  SECTION("one that waits in a receive") { stands(3, "receive 2 of pp (ranks 2, 3)"); }
  const auto notice = watch.check(now + 10 * kStallWatchSecond, sleeping);
  REQUIRE(notice);
  CHECK(notice->text == expected);
}

TEST_CASE("a rank in a receive waits for one rank, not for its whole group") {
  CHECK(messages::ranks_waited_among("all-gather 41 of dp (ranks 0, 12)") ==
        std::vector<Rank>{0, 12});
  CHECK(messages::ranks_waited_among("receive 2 of pp (ranks 2, 3)").empty());
  CHECK(messages::ranks_waited_among("all-gather 41 of dp (ranks 0, 12), done").empty());
  CHECK(messages::ranks_waited_among("all-gather 41 of dp (ranks of)").empty());
  CHECK(messages::ranks_waited_among("").empty());
  CHECK(messages::waits_among_some("receive 2 of pp (ranks 2, 3)"));
}

TEST_CASE("a rank that continues ends the warning, and can be reported again") {
  StallWatch watch(3, 60 * kStallWatchSecond);
  std::int64_t now = train(watch, 20, 100 * kStallWatchMs);
  REQUIRE(watch.check(now + 10 * kStallWatchSecond, sleeping));
  CHECK(watch.anyone_silent());
  now += 14 * kStallWatchSecond;
  for (Rank rank = 0; rank < 3; ++rank) watch.on_step(rank, 20, 100 * kStallWatchMs, now);
  const auto over = watch.check(now, sleeping);
  REQUIRE(over);
  CHECK_FALSE(watch.anyone_silent());
  CHECK(over->severity == Severity::kInfo);
  CHECK(over->text == "ranks 0, 1 and 2 go on, 4 s after the silence was noticed");
  CHECK_FALSE(watch.check(now, sleeping));
  CHECK(watch.check(now + 10 * kStallWatchSecond, sleeping));
}

TEST_CASE("loading, evaluating and saving may take stall_s") {
  StallWatch watch(3, 60 * kStallWatchSecond);
  std::int64_t now = train(watch, 20, 100 * kStallWatchMs);
  for (Rank rank = 0; rank < 3; ++rank) watch.on_state(rank, State::kEvaluating, now);
  CHECK_FALSE(watch.check(now + 59 * kStallWatchSecond, sleeping));
  CHECK(watch.check(now + 60 * kStallWatchSecond, sleeping));
}

TEST_CASE("R4: a rank that is expected and does not arrive is named") {
  StallWatch watch(3, 60 * kStallWatchSecond);
  watch.begin(5 * kStallWatchSecond);
  CHECK(watch.next_check_ns() == 65 * kStallWatchSecond);
  watch.on_state(1, State::kStarting, 7 * kStallWatchSecond);
  watch.on_state(2, State::kStarting, 7 * kStallWatchSecond);
  CHECK_FALSE(watch.check(64 * kStallWatchSecond, sleeping));
  const auto notice = watch.check(65 * kStallWatchSecond, sleeping);
  REQUIRE(notice);
  CHECK(notice->text ==
        "rank 0 silent for 60 s, not arrived since the start: behind the others; ranks 1 and 2 are "
        "silent too");
}

TEST_CASE("R4: the silent ranks wait for a rank that ended without having got further") {
  StallWatch watch(3, 60 * kStallWatchSecond);
  const std::int64_t last = train(watch, 20, 100 * kStallWatchMs);
  watch.on_end(1);
  const auto notice = watch.check(last + 10 * kStallWatchSecond, sleeping);
  REQUIRE(notice);
  CHECK(notice->text ==
        "ranks 0 and 2 silent for 10 s, last step 20: rank 1 ended before, last step 20");
}

TEST_CASE("ranks without records and ranks that have ended are not watched") {
  StallWatch watch(3, 60 * kStallWatchSecond);
  CHECK_FALSE(watch.check(1000 * kStallWatchSecond, sleeping));
  train(watch, 20, 100 * kStallWatchMs);
  for (Rank rank = 0; rank < 3; ++rank) watch.on_end(rank);
  CHECK_FALSE(watch.check(1000 * kStallWatchSecond, sleeping));
}
