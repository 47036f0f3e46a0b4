// Runs that need the same devices wait in order, whichever ends first and in whatever way.
#include <csignal>

#include "protocol/host/device_queue.h"
#include "protocol/wire/control_client.h"
#include "tests/integration/agent/agent_rig.h"
#include "tests/support/catch.h"
#include "tests/support/paths.h"
#include "tests/support/patience.h"

using namespace ringside;
using namespace ringside::testing;
using messages::State;

namespace {

bool in_state(const runlog::RunFolder& run, State state, double seconds = 20) {
  return wait_until(seconds, [&] {
    const auto last = last_state(run, kNoRank);
    return last && last->state == state;
  });
}

bool waits_behind(const runlog::RunFolder& run, const runlog::RunFolder& ahead) {
  return wait_until(10, [&] {
    const auto last = last_state(run, kNoRank);
    return last && last->state == State::kQueued &&
           last->text.find("run " + ahead.id()) != std::string::npos;
  });
}

std::size_t tickets() { return living_tickets(device_queue_folder().value()).size(); }

/// UUID of a GPU of the fake driver.
std::string gpu_uuid(int number) {
  return "GPU-fa4e0000-0000-0000-0000-00000000000" + std::to_string(number);
}

void change_mind(messages::RunSpec& spec, const char* when_busy) {
  spec.devices.when_busy = when_busy;
}

}  // namespace

TEST_CASE(
    "a run that needs busy slots is queued, names the run it waits for, and begins when they are "
    "free") {
  keep_two_cores();
  AgentRig rig;
  const auto first = rig.make_run(2, {"--steps=100000"});
  const auto second = rig.make_run(2, {"--steps=5"});
  const pid_t one = rig.start({first});
  const auto ranks = rank_pids(first, 2);
  const pid_t two = rig.start({second});
  REQUIRE(wait_until(10, [&] { return std::filesystem::exists(second.agent_path()); }));
  // The state is recorded with agent.json, so whoever can ask the agent knows what it waits for.
  REQUIRE(last_state(second, kNoRank));
  CHECK(last_state(second, kNoRank)->state == State::kQueued);
  const std::string text = last_state(second, kNoRank)->text;
  INFO(text);
  CHECK(text.find("run " + first.id()) != std::string::npos);
  for (const pid_t rank : ranks) CHECK(text.find(std::to_string(rank)) != std::string::npos);
  CHECK(text.find("on 2 CPU slots, since ") != std::string::npos);
  CHECK_FALSE(std::filesystem::exists(second.attempt_dir(0)));
  CHECK(tickets() == 2);
  SECTION("the first run ends normally") { ::kill(one, SIGTERM); }
  SECTION("the agent of the first run is killed") { ::kill(one, SIGKILL); }
  CHECK(rig.wait_exit(two, 20) == 0);
  CHECK(last_state(second, kNoRank)->state == State::kFinished);
  rig.wait_exit(one, 20);
  CHECK(tickets() == 0);
}

TEST_CASE("a queued run that is stopped never began, and leaves nothing behind") {
  keep_two_cores();
  AgentRig rig;
  const auto first = rig.make_run(2, {"--steps=100000"});
  const auto baseline = rig.make_run(1, {"--steps=5"});
  const auto second = rig.make_run(2, {"--steps=5"});
  const pid_t one = rig.start({first});
  rank_pids(first, 2);
  const pid_t two = rig.start({baseline, second});
  REQUIRE(waits_behind(baseline, first));
  REQUIRE(waits_behind(second, first));
  SECTION("stopped by a viewer") {
    auto viewer = wire::ControlClient::connect(*wire::read_agent_endpoint(baseline.agent_path()));
    REQUIRE(viewer->ask_stop(wire::StopMode::kGraceful, kPatienceNs));
    CHECK(rig.wait_exit(two, 10) == 0);
    CHECK(last_state(baseline, kNoRank)->text ==
          "asked by Ringside's window or a command before it started");
    CHECK(last_state(second, kNoRank)->text.find("not started: run") == 0);
  }
  SECTION("stopped by a signal") {
    ::kill(two, SIGTERM);
    CHECK(rig.wait_exit(two, 10) == 0);
    const std::string text = last_state(baseline, kNoRank)->text;
    CHECK(text.find("asked by SIGTERM from pid " + std::to_string(::getpid()) + " (") == 0);
    CHECK(text.find(" while it waited for its devices") != std::string::npos);
  }
  SECTION("its agent is killed, and nobody waits for it any more") {
    ::kill(two, SIGKILL);
    CHECK(rig.wait_exit(two, 10) == -SIGKILL);
  }
  for (const auto& run : {baseline, second}) {
    CHECK_FALSE(std::filesystem::exists(run.attempt_dir(0)));
    CHECK(wait_until(5, [&] { return processes_with(run.path().string()).empty(); }));
  }
  CHECK(tickets() == 1);
  CHECK(last_state(first, kNoRank)->state == State::kTraining);
  ::kill(one, SIGTERM);
  rig.wait_exit(one, 20);
}

TEST_CASE("a queued run whose folder is deleted leaves the queue and never trains") {
  keep_two_cores();
  AgentRig rig;
  const auto first = rig.make_run(2, {"--steps=100000"});
  const auto second = rig.make_run(2, {"--steps=100000"});
  const pid_t one = rig.start({first});
  rank_pids(first, 2);
  const pid_t two = rig.start({second});
  REQUIRE(waits_behind(second, first));
  REQUIRE(remove_folder(second.path()));
  SECTION("deleted while it waits") {}
  SECTION("deleted just before its turn") { ::kill(one, SIGTERM); }
  CHECK(rig.wait_exit(two, 10));
  CHECK(processes_with(second.path().string()).empty());
  CHECK_FALSE(std::filesystem::exists(second.path()));
  ::kill(one, SIGTERM);
  rig.wait_exit(one, 20);
  CHECK(tickets() == 0);
}

TEST_CASE("a run whose folder is deleted stops, and no rank stays alive") {
  AgentRig rig;
  const auto run = rig.make_run(2, {"--steps=100000"});
  const pid_t agent = rig.start({run});
  rank_pids(run, 2);
  REQUIRE(remove_folder(run.path()));
  CHECK(rig.wait_exit(agent, 20) == 0);
  CHECK(processes_with(run.path().string()).empty());
}

TEST_CASE("waiting runs begin in the order in which they were queued") {
  keep_two_cores();
  AgentRig rig;
  std::vector<runlog::RunFolder> runs{rig.make_run(2, {"--steps=100000"})};
  std::vector<pid_t> agents{rig.start({runs[0]})};
  rank_pids(runs[0], 2);
  for (std::size_t i = 1; i < 5; ++i) {
    runs.push_back(rig.make_run(2, {"--steps=5"}));
    agents.push_back(rig.start({runs[i]}));
    REQUIRE(waits_behind(runs[i], runs[0]));
  }
  ::kill(agents[0], SIGKILL);
  std::int64_t before_ns = 0;
  for (std::size_t i = 1; i < 5; ++i) {
    CHECK(rig.wait_exit(agents[i], 30) == 0);
    std::int64_t began_ns = 0;
    for (const auto& entry : records_of(runs[i]).entries) {
      const auto* state = std::get_if<messages::RankState>(&entry.record);
      if (state != nullptr && state->state == State::kStarting && began_ns == 0)
        began_ns = entry.stamp.mono_ns;
    }
    INFO(i);
    CHECK(began_ns > before_ns);
    before_ns = began_ns;
  }
}

TEST_CASE("small runs on the CPU do not wait for each other while there are free slots") {
  AgentRig rig;
  if (keep_two_cores() < 2) {
    WARN("SKIPPED: two cores are needed, this process has one");
    return;
  }
  const auto first = rig.make_run(1, {"--steps=100000"});
  const auto second = rig.make_run(1, {"--steps=100000"});
  const auto third = rig.make_run(1, {"--steps=100000"});
  rig.start({first});
  rig.start({second});
  CHECK(in_state(first, State::kTraining));
  CHECK(in_state(second, State::kTraining));
  rig.start({third});
  CHECK(wait_until(10, [&] {
    const auto last = last_state(third, kNoRank);
    return last && last->state == State::kQueued && !last->text.empty();
  }));
}

TEST_CASE(
    "devices.when_busy: refuse ends with exit code 2, and share starts beside the other run") {
  keep_two_cores();
  AgentRig rig;
  const auto first = rig.make_run(2, {"--steps=100000"});
  rig.start({first});
  rank_pids(first, 2);
  const auto refused =
      rig.make_run(1, {"--steps=5"}, [](messages::RunSpec& spec) { change_mind(spec, "refuse"); });
  CHECK(rig.run({refused}) == 2);
  const std::string said = text_of(refused.agent_log_path());
  INFO(said);
  CHECK(said.find("would wait behind run " + first.id()) != std::string::npos);
  CHECK(last_state(refused, kNoRank)->state == State::kFailed);
  CHECK(tickets() == 1);
  const auto shared =
      rig.make_run(2, {"--steps=5"}, [](messages::RunSpec& spec) { change_mind(spec, "share"); });
  CHECK(rig.run({shared}) == 0);
  CHECK(last_state(first, kNoRank)->state == State::kTraining);
}

TEST_CASE("each GPU has a queue of its own, in which no run is overtaken") {
  AgentRig rig;
  const std::vector<std::string> driver{
      "LD_LIBRARY_PATH=" + (test_bin_dir() / "fake_driver").string(), "FAKE_GPUS=3"};
  const auto on = [&rig](std::vector<std::string> ids, const char* steps) {
    return rig.make_run(static_cast<int>(ids.size()), {steps}, [&](messages::RunSpec& spec) {
      spec.devices.kind = "cuda";
      spec.devices.ids = ids;
    });
  };
  const auto first = on({gpu_uuid(0), gpu_uuid(1)}, "--steps=100000");
  const pid_t agent = rig.start({first}, driver);
  rank_pids(first, 2);
  const auto second = on({gpu_uuid(1)}, "--steps=5");
  const pid_t waiting = rig.start({second}, driver);
  REQUIRE(waits_behind(second, first));
  CHECK(last_state(second, kNoRank)->text.find("on GPU 1, since ") != std::string::npos);
  const auto elsewhere = on({gpu_uuid(2)}, "--steps=100000");
  const pid_t beside = rig.start({elsewhere}, driver);
  CHECK(in_state(elsewhere, State::kTraining));
  // The next run needs the devices that the second waits for and the third has.
  const auto last = on({gpu_uuid(1), gpu_uuid(2)}, "--steps=5");
  const pid_t both = rig.start({last}, driver);
  REQUIRE(waits_behind(last, second));
  CHECK(last_state(last, kNoRank)->text.find("run " + elsewhere.id()) != std::string::npos);
  ::kill(agent, SIGKILL);
  CHECK(rig.wait_exit(waiting, 20) == 0);
  ::kill(beside, SIGTERM);
  CHECK(rig.wait_exit(both, 20) == 0);
  CHECK(last_state(last, kNoRank)->state == State::kFinished);
}

TEST_CASE("ranks get the numbers of their GPUs on the node, and samples have the same numbers") {
  AgentRig rig;
  const auto run = rig.make_run(2, {"--steps=100000"},
                                [](messages::RunSpec& spec) { spec.devices.kind = "cuda"; });
  const pid_t agent =
      rig.start({run}, {"LD_LIBRARY_PATH=" + (test_bin_dir() / "fake_driver").string(),
                        "FAKE_GPUS=3", "CUDA_VISIBLE_DEVICES=2," + gpu_uuid(0)});
  rank_pids(run, 2);
  CHECK(processes_with("RINGSIDE_GPUS=" + gpu_uuid(2) + "=2," + gpu_uuid(0) + "=0").size() == 2);
  const auto samples = [&run] { return all_of<messages::DeviceSample>(records_of(run)); };
  REQUIRE(wait_until(20, [&] { return samples().size() >= 2; }));
  for (const auto& sample : samples()) CHECK(sample.device_uuid == gpu_uuid(sample.device_index));
  ::kill(agent, SIGTERM);
  CHECK(rig.wait_exit(agent, 20) == 0);
}

TEST_CASE("a MIG instance that CUDA_VISIBLE_DEVICES names is the device of one rank, not of two") {
  AgentRig rig;
  const std::vector<std::string> driver{
      "LD_LIBRARY_PATH=" + (test_bin_dir() / "fake_driver").string(), "FAKE_GPUS=1", "FAKE_MIG=2",
      "CUDA_VISIBLE_DEVICES=MIG-fake0000-1,MIG-fake0000-0"};
  const auto on = [&rig](int ranks) {
    return rig.make_run(ranks, {"--steps=5"},
                        [](messages::RunSpec& spec) { spec.devices.kind = "cuda"; });
  };
  const auto one = on(1);
  CHECK(rig.wait_exit(rig.start({one}, driver), 20) == 0);
  for (const auto& sample : all_of<messages::DeviceSample>(records_of(one)))
    CHECK(sample.device_uuid == "MIG-fake0000-1");
  const auto two = on(2);
  CHECK(rig.wait_exit(rig.start({two}, driver), 20) == 2);
  CHECK(text_of(two.agent_log_path()).find("MIG-fake0000-1 is a MIG instance") !=
        std::string::npos);
}

TEST_CASE("without a folder for tickets a run starts, and reports that others cannot see it") {
  AgentRig rig;
  const auto run = rig.make_run(1, {"--steps=5"});
  const pid_t agent = rig.start({run}, {"XDG_STATE_HOME=/dev/null/nowhere"});
  CHECK(rig.wait_exit(agent, 20) == 0);
  const auto notice = notice_with(run, "devices_not_locked");
  REQUIRE(notice);
  CHECK(notice->text.find("/dev/null/nowhere") != std::string::npos);
}
