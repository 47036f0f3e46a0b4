#include "gui/analysis/stops.h"

#include "gui/analysis/progress.h"
#include "tests/gui/analysis/made_run.h"
#include "tests/support/catch.h"

using namespace ringside;
using namespace ringside::analysis;
using messages::State;
using support::MadeRun;

namespace {

constexpr double kSecondMs = 1000;

void run_state(MadeRun& run, double at_s, State state, std::int32_t attempt) {
  messages::RankState body;
  body.state = state;
  body.attempt = attempt;
  run.say(kNoRank, at_s * kSecondMs, body);
}

void hello(MadeRun& run, double at_s, std::int32_t attempt, Step first_step) {
  messages::RankHello body;
  body.attempt = attempt;
  body.first_step = first_step;
  run.say(0, at_s * kSecondMs, body);
}

/// Adds ten steps of a second each.
void ten_steps(MadeRun& run, double from_s, Step first) {
  for (Step step = 0; step < 10; ++step)
    run.step(0, first + step, (from_s + static_cast<double>(step) + 1) * kSecondMs,
             {0, 0, 0, 0, 0, 0, 1000});
}

double elapsed_s(const MadeRun& run) { return *progress(run.model(), 0).elapsed_s; }

}  // namespace

TEST_CASE("Restarts from the same step subtract their waits, but nothing that was trained") {
  MadeRun run(1, 100, 1);
  run_state(run, 0, State::kStarting, 0);
  ten_steps(run, 0, 0);
  double now_s = 10;
  // Each attempt fails after ten steps that are discarded, and waits five seconds.
  for (std::int32_t attempt = 1; attempt < 4; ++attempt) {
    run_state(run, now_s, State::kStarting, attempt - 1);
    run_state(run, now_s + 5, State::kStarting, attempt);
    hello(run, now_s + 6, attempt, 5);
    ten_steps(run, now_s + 6, 5);
    now_s += 16;
  }
  CHECK(stops(run.model()).size() == 3);
  CHECK(stopped_s(run.model()) == Approx(15));
  CHECK(elapsed_s(run) == Approx(43));
}

TEST_CASE("A resume that fails before any rank reports leaves both stops, at once") {
  MadeRun run(1, 100, 1);
  run_state(run, 0, State::kStarting, 0);
  ten_steps(run, 0, 0);
  run_state(run, 10, State::kStopped, 0);
  run_state(run, 1000, State::kStarting, 1);
  CHECK(elapsed_s(run) == Approx(10));
  run_state(run, 1002, State::kFailed, 1);
  run_state(run, 5002, State::kStarting, 2);
  CHECK(elapsed_s(run) == Approx(12));
  hello(run, 5003, 2, 10);
  ten_steps(run, 5003, 10);
  CHECK(stopped_s(run.model()) == Approx(990 + 4000));
  CHECK(elapsed_s(run) == Approx(23));
}

TEST_CASE("A resumed run that waits in a queue does not count its waiting time") {
  MadeRun run(1, 100, 1);
  run_state(run, 0, State::kStarting, 0);
  ten_steps(run, 0, 0);
  const bool killed = GENERATE(false, true);
  if (!killed) run_state(run, 10, State::kStopped, 0);
  run_state(run, 500, State::kQueued, 1);
  run_state(run, 800, State::kQueued, 1);  // behind another run now
  CHECK(stopped_s(run.model()) == Approx(790));
  CHECK(elapsed_s(run) == Approx(10));
  const std::int64_t later_ns = run.model().last_ns() + MadeRun::ns(100 * kSecondMs);
  CHECK(*progress(run.model(), later_ns).elapsed_s == Approx(10));
  run_state(run, 1000, State::kStarting, 1);
  CHECK(stopped_s(run.model()) == Approx(990));
  hello(run, 1001, 1, 10);
  ten_steps(run, 1001, 10);
  CHECK(elapsed_s(run) == Approx(21));
}

TEST_CASE("A killed attempt ran until its ranks' last records, whether they are kept or not") {
  MadeRun run(1, 100, 1);
  run_state(run, 0, State::kStarting, 0);
  ten_steps(run, 0, 0);
  run_state(run, 500, State::kStarting, 1);
  hello(run, 501, 1, 0);
  ten_steps(run, 501, 0);
  // This attempt has no records of ranks, so its duration is unknown.
  run_state(run, 900, State::kStarting, 2);
  run_state(run, 950, State::kStarting, 3);
  hello(run, 951, 3, 0);
  ten_steps(run, 951, 0);
  const auto found = stops(run.model());
  REQUIRE(found.size() == 2);
  CHECK(found[0].begin_ns == MadeRun::kStart + MadeRun::ns(10 * kSecondMs));
  CHECK(found[1].begin_ns == MadeRun::kStart + MadeRun::ns(511 * kSecondMs));
  CHECK(elapsed_s(run) == Approx(961 - 490 - 389));
}
