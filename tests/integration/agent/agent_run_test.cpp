// Successful runs: contents of folder and log, the order of several runs, and access to them.
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <set>

#include "protocol/host/listening.h"
#include "protocol/wire/control_client.h"
#include "tests/integration/agent/agent_rig.h"
#include "tests/support/catch.h"
#include "tests/support/paths.h"
#include "tests/support/patience.h"
#include "tests/support/sanitized.h"
#include "trainer/probe/proc_files.h"

using namespace ringside;
using namespace ringside::testing;
using messages::State;

namespace {

unsigned mode_of(const std::filesystem::path& path) {
  struct stat facts {};
  REQUIRE(::stat(path.c_str(), &facts) == 0);
  return facts.st_mode & 0777U;
}

}  // namespace

TEST_CASE("a run of two ranks is recorded completely and leaves a finished folder") {
  AgentRig rig;
  const auto gate = rig.path() / "gate";
  const auto run = rig.make_run(2, {"--steps=40", "--gate=" + gate.string(), "--gate-at=39"});
  const pid_t agent = rig.start({run});
  // A run may be over before its host was sampled.
  CHECK(wait_until(10, [&] { return !all_of<messages::HostSample>(records_of(run)).empty(); }));
  std::ofstream(gate) << "looked at";
  CHECK(rig.wait_exit(agent, 20) == 0);
  const auto list = records_of(run);
  for (Rank rank = 0; rank < 2; ++rank) {
    std::uint64_t next = 0;
    std::size_t steps = 0;
    for (const auto& entry : list.entries) {
      if (entry.stamp.rank != rank) continue;
      CHECK(entry.stamp.seq == next++);
      if (std::holds_alternative<messages::StepReport>(entry.record)) ++steps;
    }
    CHECK(steps == 40);
    CHECK(last_state(run, rank)->state == State::kFinished);
    CHECK(last_state(run, rank)->exit_code == 0);
  }
  CHECK(last_state(run, kNoRank)->state == State::kFinished);
  CHECK(last_state(run, kNoRank)->last_step == 39);
  std::vector<State> states;
  for (const auto& state : all_of<messages::RankState>(list)) {
    if (state.about == kNoRank) states.push_back(state.state);
  }
  CHECK(states ==
        std::vector<State>{State::kQueued, State::kStarting, State::kTraining, State::kFinished});
  CHECK_FALSE(std::filesystem::exists(run.agent_path()));
  CHECK(text_of(run.rank_dir(0, 1) / "stdout") == "rank 1 starts\nrank 1 leaves\n");
  CHECK(mode_of(run.rank_dir(0, 1)) == 0700);
  CHECK(mode_of(run.rank_dir(0, 1) / "stderr") == 0600);
  CHECK(mode_of(run.log_path(0)) == 0600);
}

TEST_CASE("host samples include every rank's memory") {
  AgentRig rig;
  const auto run = rig.make_run(2, {"--steps=100000"});
  const pid_t agent = rig.start({run});
  CHECK(wait_until(20, [&] {
    const auto samples = all_of<messages::HostSample>(records_of(run));
    return !samples.empty() && samples.back().rank_resident_bytes.size() == 2 &&
           samples.back().rank_resident_bytes[0] > 0 && samples.back().rank_resident_bytes[1] > 0;
  }));
  ::kill(agent, SIGTERM);
  CHECK(rig.wait_exit(agent, 20) == 0);
  for (const auto& sample : all_of<messages::HostSample>(records_of(run))) {
    REQUIRE(sample.rank_resident_bytes.size() == 2);
    CHECK(sample.memory_total_bytes > 0);
    CHECK(sample.disk_free_bytes > 0);
  }
}

TEST_CASE(
    "runs start in the given order, and waiting ones are queued with an address of their own") {
  AgentRig rig;
  const auto first = rig.make_run(1, {"--steps=100000"});
  const auto second = rig.make_run(2, {"--steps=5"});
  const pid_t agent = rig.start({first, second});
  REQUIRE(wait_for_steps(first, 0, 3, 10));
  CHECK(last_state(second, kNoRank)->state == State::kQueued);
  CHECK(mode_of(second.agent_path()) == 0600);
  const auto endpoint = wire::read_agent_endpoint(second.agent_path());
  REQUIRE(endpoint);
  CHECK(wire::is_alive(*endpoint));
  CHECK(endpoint->agent_pid == agent);
  CHECK(endpoint->run_token != wire::read_agent_endpoint(first.agent_path())->run_token);
  SECTION("stopping the first ends both") {
    auto viewer = wire::ControlClient::connect(*wire::read_agent_endpoint(first.agent_path()));
    REQUIRE(viewer->ask_stop(wire::StopMode::kGraceful, kPatienceNs));
    CHECK(rig.wait_exit(agent, 10) == 0);
    CHECK(last_state(first, kNoRank)->state == State::kStopped);
    CHECK(last_state(first, kNoRank)->text == "asked by Ringside's window or a command");
    CHECK(last_state(second, kNoRank)->state == State::kStopped);
    CHECK(last_state(second, kNoRank)->text.find("was stopped") != std::string::npos);
    CHECK_FALSE(std::filesystem::exists(second.attempt_dir(0)));
  }
  SECTION("stopping the waiting one does not affect the first") {
    auto viewer = wire::ControlClient::connect(*endpoint);
    const auto status = viewer->ask_status(kPatienceNs);
    REQUIRE(status);
    CHECK(status->find("\"queued\"") != std::string::npos);
    REQUIRE(viewer->ask_stop(wire::StopMode::kGraceful, kPatienceNs));
    CHECK(wait_until(5, [&] { return last_state(second, kNoRank)->state == State::kStopped; }));
    CHECK(last_state(first, kNoRank)->state == State::kTraining);
    CHECK_FALSE(std::filesystem::exists(second.agent_path()));
  }
}

TEST_CASE("one agent runs two short runs one after the other") {
  AgentRig rig;
  const auto first = rig.make_run(1, {"--steps=5"});
  const auto second = rig.make_run(2, {"--steps=5"});
  CHECK(rig.run({first, second}) == 0);
  for (const auto& run : {first, second}) {
    CHECK(last_state(run, kNoRank)->state == State::kFinished);
    CHECK_FALSE(std::filesystem::exists(run.agent_path()));
  }
  CHECK(last_state(first, kNoRank)->wall_ns <= last_state(second, 0)->wall_ns);
}

TEST_CASE("starting the same folder again is the next attempt in the same log") {
  AgentRig rig;
  const auto run = rig.make_run(1, {"--steps=5"});
  CHECK(rig.run({run}) == 0);
  CHECK(rig.run({run}) == 0);
  CHECK(std::filesystem::exists(run.rank_dir(1, 0) / "stdout"));
  std::set<std::int32_t> attempts;
  for (const auto& hello : all_of<messages::RankHello>(records_of(run)))
    attempts.insert(hello.attempt);
  CHECK(attempts == std::set<std::int32_t>{0, 1});
}

TEST_CASE("S3: a second agent for the same folder exits with 2 and disturbs nothing") {
  AgentRig rig;
  const auto gate = rig.path() / "gate";
  const auto run = rig.make_run(1, {"--steps=200", "--gate=" + gate.string(), "--gate-at=199"});
  const pid_t agent = rig.start({run});
  REQUIRE(wait_for_steps(run, 0, 3, 10));
  const std::string endpoint = text_of(run.agent_path());
  CHECK(rig.run({run}) == 2);
  CHECK(text_of(run.agent_path()) == endpoint);
  std::ofstream(gate) << "refused";
  CHECK(rig.wait_exit(agent, 20) == 0);
  std::uint64_t next = 0;
  for (const auto& entry : records_of(run).entries) {
    if (entry.stamp.rank == 0) CHECK(entry.stamp.seq == next++);
  }
  CHECK(next > 200);
}

TEST_CASE("invalid requests exit with 2, start nothing, and the folder has the reason") {
  AgentRig rig;
  const auto run = rig.make_run(1, {});
  SECTION("no such GPU") {
    messages::RunSpec spec;
    spec.devices.kind = "cuda";
    spec.devices.world_size = 64;
    std::ofstream(run.spec_path()) << messages::to_toml(spec);
    CHECK(rig.run({run}) == 2);
    CHECK(last_state(run, kNoRank)->state == State::kFailed);
    CHECK(last_state(run, kNoRank)->text.find("not started: ") == 0);
  }
  SECTION("an invalid spec") {
    std::ofstream(run.spec_path()) << "[trian]\nepochs = 3\n";
    CHECK(rig.run({run}) == 2);
    CHECK(text_of(run.agent_log_path()).find("trian") != std::string::npos);
  }
  SECTION("no folder") { CHECK(rig.run({run, runlog::RunFolder(rig.path() / "nowhere")}) == 2); }
  CHECK_FALSE(std::filesystem::exists(run.attempt_dir(0)));
  CHECK_FALSE(std::filesystem::exists(run.agent_path()));
}

TEST_CASE("a missing program fails the run with its name") {
  AgentRig rig;
  const auto run = rig.make_run(
      2, {}, [](messages::RunSpec& spec) { spec.program.argv = {"/no/such/program"}; });
  CHECK(rig.run({run}) == 1);
  CHECK(last_state(run, kNoRank)->state == State::kFailed);
  CHECK(last_state(run, kNoRank)->text.find("cannot run /no/such/program") != std::string::npos);
}

TEST_CASE(
    "any program can be a rank: found in PATH, with torchrun's variables and an unused address") {
  AgentRig rig;
  const auto run = rig.make_run(2, {}, [](messages::RunSpec& spec) {
    spec.program.argv = {"sh", "-c",
                         "echo $RANK/$WORLD_SIZE at $MASTER_ADDR:$MASTER_PORT; exec 3>&-"};
  });
  CHECK(rig.run({run}) == 0);
  CHECK(last_state(run, kNoRank)->state == State::kFinished);
  const std::string zero = text_of(run.rank_dir(0, 0) / "stdout");
  const std::string one = text_of(run.rank_dir(0, 1) / "stdout");
  CHECK(zero.find("0/2 at 127.0.0.1:") == 0);
  CHECK(one.substr(3) == zero.substr(3));
  CHECK(std::stoi(zero.substr(zero.rfind(':') + 1)) > 1023);
}

TEST_CASE("S6: odd arguments are data, not commands") {
  AgentRig rig;
  const std::string odd = "$(touch pwned); `touch pwned` 'quo\"te' \n new line \xc3\xa9";
  const auto run = rig.make_run(1, {}, [&](messages::RunSpec& spec) {
    spec.name = odd;
    spec.program.argv = {"printf", "%s", odd};
  });
  CHECK(rig.run({run}) == 0);
  CHECK(text_of(run.rank_dir(0, 0) / "stdout") == odd);
  CHECK(processes_with("pwned").empty());
  CHECK_FALSE(std::filesystem::exists("pwned"));
}

TEST_CASE("S10, S5: secrets and the run's key are in no file, argv or other environment") {
  AgentRig rig;
  const auto run = rig.make_run(1, {"--steps=100000"});
  const std::string secret = "s3cr3t-value-" + std::to_string(::getpid());
  rig.start({run}, {"MY_API_TOKEN=" + secret, "DB_PASSWORD=" + secret});
  REQUIRE(wait_for_steps(run, 0, 20, 10));
  const auto endpoint = wire::read_agent_endpoint(run.agent_path());
  REQUIRE(endpoint);
  for (const auto& entry : std::filesystem::recursive_directory_iterator(run.path())) {
    if (!entry.is_regular_file()) continue;
    const std::string text = text_of(entry.path());
    INFO(entry.path());
    CHECK(text.find(secret) == std::string::npos);
    if (entry.path() != run.agent_path())
      CHECK(text.find(endpoint->client_secret_key) == std::string::npos);
  }
  CHECK(processes_with(endpoint->client_secret_key).empty());
}

TEST_CASE("S1: an agent listens on loopback only") {
  AgentRig rig;
  const auto run = rig.make_run(1, {"--steps=100000"});
  const pid_t agent = rig.start({run});
  REQUIRE(wait_for_steps(run, 0, 3, 10));
  const auto listeners = listeners_of(agent);
  CHECK(listeners.size() == 2);
  for (const Listener& one : listeners) CHECK(one.address == "127.0.0.1");
}

TEST_CASE("an agent with two ranks uses less than 20 MB of memory") {
  AgentRig rig;
  const auto run = rig.make_run(2, {"--steps=100000", "--step-ms=1"});
  const pid_t agent = rig.start({run});
  REQUIRE(wait_for_steps(run, 0, 1500, 20));
  const auto bytes = probe::resident_bytes("/", agent);
  REQUIRE(bytes);
  WARN("resident memory of the agent: " << *bytes / 1024 << " KiB");
  CHECK((*bytes < 20'000'000 || kSanitized));
}
