// Promise R5: after a failure all ranks restart, exactly as often as limits.restarts says.
#include <algorithm>
#include <csignal>

#include "protocol/base/clock.h"
#include "protocol/messages/run_state.h"
#include "protocol/wire/control_client.h"
#include "tests/integration/agent/agent_rig.h"
#include "tests/support/catch.h"
#include "tests/support/patience.h"

using namespace ringside;
using namespace ringside::testing;
using messages::State;

namespace {

auto with_restarts(std::int64_t restarts) {
  return [restarts](messages::RunSpec& spec) { spec.limits.restarts = restarts; };
}

std::size_t notices_with(const runlog::RunFolder& run, const std::string& code) {
  std::size_t count = 0;
  for (const auto& notice : all_of<messages::Notice>(records_of(run)))
    count += notice.code == code ? 1U : 0U;
  return count;
}

// Seconds from the verdict about each attempt to the start of the next, both recorded by the agent.
std::vector<double> waits_of(const runlog::RunFolder& run) {
  std::vector<double> waits;
  std::int64_t failed_ns = 0;
  for (const auto& entry : records_of(run).entries) {
    const auto* notice = std::get_if<messages::Notice>(&entry.record);
    if (notice != nullptr && notice->code == "restart") failed_ns = entry.stamp.mono_ns;
    const auto* state = std::get_if<messages::RankState>(&entry.record);
    const bool begins = messages::is_of_run(entry.stamp, state) &&
                        state->state == State::kStarting &&
                        state->attempt == static_cast<std::int32_t>(waits.size()) + 1;
    if (failed_ns == 0 || !begins) continue;
    waits.push_back(static_cast<double>(entry.stamp.mono_ns - std::exchange(failed_ns, 0)) * 1e-9);
  }
  return waits;
}

bool is_waiting(const runlog::RunFolder& run) { return notice_with(run, "restart").has_value(); }

}  // namespace

TEST_CASE("R5: ranks that always fail restart exactly as often as limits.restarts allows") {
  const int budget = GENERATE(0, 1, 3);
  AgentRig rig;
  const auto run =
      rig.make_run(2, {"--steps=1000000", "--exit-at=3", "--only-rank=1"}, with_restarts(budget));
  CHECK(rig.run({run}, 30) == 1);
  CHECK(notices_with(run, "restart") == static_cast<std::size_t>(budget));
  CHECK(notices_with(run, "rank_failed") == static_cast<std::size_t>(budget) + 1);
  CHECK(notices_with(run, "no_restart") == (budget > 0 ? 1U : 0U));
  CHECK(notices_with(run, "frames_refused") == 0);
  for (int attempt = 0; attempt <= budget; ++attempt) {
    CHECK(text_of(run.rank_dir(attempt, 1) / "stdout").find("starts") != std::string::npos);
    // The other rank may be ended before it has written anything.
    CHECK(std::filesystem::exists(run.rank_dir(attempt, 0) / "stdout"));
  }
  CHECK_FALSE(std::filesystem::exists(run.attempt_dir(budget + 1)));
  const auto waits = waits_of(run);
  REQUIRE(waits.size() == static_cast<std::size_t>(budget));
  for (std::size_t i = 0; i < waits.size(); ++i) {
    CHECK(waits[i] >= static_cast<double>(1U << i));
    CHECK(waits[i] < static_cast<double>(1U << i) + 3);
  }
  CHECK(last_state(run, kNoRank)->state == State::kFailed);
  CHECK(last_state(run, kNoRank)->attempt == budget);
  CHECK(last_state(run, kNoRank)->text.find("rank 1: exit code 3") == 0);
  CHECK(processes_with(run.path().string()).empty());
}

TEST_CASE("R5: a run that failed once and then succeeds has finished") {
  AgentRig rig;
  const auto run = rig.make_run(
      3, {"--steps=8", "--signal-at=4", "--signal=9", "--only-rank=2", "--before-attempt=1"},
      with_restarts(3));
  const auto next = rig.make_run(1, {"--steps=3"});
  CHECK(rig.run({run, next}, 20) == 0);
  CHECK(last_state(run, kNoRank)->state == State::kFinished);
  CHECK(last_state(run, kNoRank)->attempt == 1);
  CHECK(last_state(next, kNoRank)->state == State::kFinished);
  CHECK(notices_with(run, "restart") == 1);
  CHECK(notices_with(run, "restart_policy") == 1);
  // All ranks sent another hello with the number of the attempt, in the same log.
  std::vector<int> hellos(2);
  for (const auto& hello : all_of<messages::RankHello>(records_of(run)))
    ++hellos.at(static_cast<std::size_t>(hello.attempt));
  CHECK(hellos[0] <= 3);  // a rank may be ended before it has sent anything
  CHECK(hellos[1] == 3);
  // The run must never appear to have ended in between.
  for (const auto& state : all_of<messages::RankState>(records_of(run))) {
    if (state.about == kNoRank && state.attempt == 0) CHECK_FALSE(messages::is_final(state.state));
  }
  CHECK_FALSE(std::filesystem::exists(run.attempt_dir(2)));
}

TEST_CASE("R5: an invalid request and a missing program are tried only once") {
  AgentRig rig;
  const bool missing = GENERATE(false, true);
  const auto run = rig.make_run(2, {"--exit-at=0", "--code=2"}, [&](messages::RunSpec& spec) {
    spec.limits.restarts = 5;
    if (missing) spec.program.argv = {"/no/such/program"};
  });
  CHECK(rig.run({run}, 10) == 1);
  CHECK(notices_with(run, "restart") == 0);
  CHECK(notices_with(run, "no_restart") == 1);
  CHECK_FALSE(std::filesystem::exists(run.attempt_dir(1)));
  CHECK(last_state(run, kNoRank)->state == State::kFailed);
}

TEST_CASE("R5, R7: a stop during the wait ends the run at once") {
  const std::string way = GENERATE("signal", "viewer");
  AgentRig rig;
  // The run always fails at once: the fourth wait lasts 8 s, after which an attempt would begin.
  const auto run = rig.make_run(2, {"--exit-at=0"}, with_restarts(10));
  const pid_t agent = rig.start({run});
  REQUIRE(wait_until(30, [&] { return notices_with(run, "restart") == 4; }));
  std::int64_t asked_ns = 0;
  if (way == "signal") {
    asked_ns = mono_now_ns();
    ::kill(agent, SIGTERM);
  } else {
    auto viewer = wire::ControlClient::connect(*wire::read_agent_endpoint(run.agent_path()));
    REQUIRE(viewer);
    const auto status = viewer->ask_status(kPatienceNs);
    REQUIRE(status);
    CHECK(status->find("\"starting\"") != std::string::npos);
    asked_ns = mono_now_ns();
    REQUIRE(viewer->ask_stop(wire::StopMode::kGraceful, kPatienceNs));
  }
  CHECK(rig.wait_exit(agent, 5) == 0);
  CHECK(static_cast<double>(last_state_ns(run) - asked_ns) * 1e-9 < 5);
  CHECK(last_state(run, kNoRank)->state == State::kStopped);
  CHECK(last_state(run, kNoRank)->text.find("before the next attempt began") != std::string::npos);
  CHECK_FALSE(std::filesystem::exists(run.attempt_dir(4)));
}

TEST_CASE("R1, R5: a killed agent does not restart") {
  AgentRig rig;
  const auto run = rig.make_run(2, {"--exit-at=0"}, with_restarts(3));
  const pid_t agent = rig.start({run});
  REQUIRE(wait_until(20, [&] { return is_waiting(run); }));
  ::kill(agent, SIGKILL);
  CHECK(rig.wait_exit(agent, 5) == -SIGKILL);
  CHECK(wait_until(5, [&] { return processes_with(run.path().string()).empty(); }));
}

TEST_CASE("R1, R5: a new agent does not adopt ranks of a killed one, but starts the next attempt") {
  AgentRig rig;
  const auto run = rig.make_run(2, {"--steps=1000000"});
  const pid_t first = rig.start({run});
  const auto before = rank_pids(run, 2);
  ::kill(first, SIGKILL);
  CHECK(rig.wait_exit(first, 5) == -SIGKILL);
  REQUIRE(wait_until(5, [&] { return processes_with(run.path().string()).empty(); }));
  const pid_t second = rig.start({run});
  REQUIRE(wait_until(10, [&] { return all_of<messages::RankHello>(records_of(run)).size() == 4; }));
  const auto hellos = all_of<messages::RankHello>(records_of(run));
  for (std::size_t i = 0; i < 4; ++i) {
    CHECK(hellos[i].attempt == static_cast<std::int32_t>(i / 2));
    if (i >= 2) CHECK(std::count(before.begin(), before.end(), hellos[i].pid) == 0);
  }
  ::kill(second, SIGTERM);
  CHECK(rig.wait_exit(second, 10) == 0);
}
