// An agent of another node that ends before it can begin: node 0 does not wait for it.
#include <csignal>

#include "tests/integration/agent/agent_rig.h"
#include "tests/support/catch.h"

using namespace ringside;
using namespace ringside::testing;
using messages::State;

namespace {

namespace fs = std::filesystem;

runlog::RunFolder run_on_two(AgentRig& rig,
                             const std::function<void(messages::RunSpec&)>& change = {}) {
  return rig.make_run(4, {"--steps=5"}, [&](messages::RunSpec& spec) {
    spec.devices.nodes = 2;
    spec.devices.interface = "lo";
    spec.devices.when_busy = "share";
    if (change) change(spec);
  });
}

void check_failed(const runlog::RunFolder& run, const std::string& why) {
  const auto state = last_state(run, kNoRank);
  REQUIRE(state);
  INFO(state->text);
  CHECK(state->state == State::kFailed);
  CHECK(state->text.starts_with("node 1 ("));
  CHECK(state->text.find("cannot begin: ") != std::string::npos);
  CHECK(state->text.find(why) != std::string::npos);
  CHECK_FALSE(fs::exists(run.attempt_dir(0)));
}

}  // namespace

TEST_CASE("a node whose log cannot be opened fails the run, whichever agent came first") {
  AgentRig rig;
  const auto run = run_on_two(rig);
  fs::create_directory_symlink("/nowhere/at/all", run.log_path(1));
  const bool head_first = GENERATE(true, false);
  const auto start = [&](Node node) {
    return rig.start({run}, {}, {"--node", std::to_string(node)});
  };
  pid_t head = head_first ? start(0) : -1;
  if (head_first) {
    REQUIRE(wait_until(10, [&] { return fs::exists(run.agent_path()); }));
  }
  const pid_t member = start(1);
  if (!head_first) {
    REQUIRE(wait_until(
        10, [&] { return text_of(run.agent_log_path()).find("node_1.log") != std::string::npos; }));
    head = start(0);
  }
  CHECK(rig.wait_exit(head, 20) == 1);
  CHECK(rig.wait_exit(member, 20) == 1);
  fs::remove(run.log_path(1));
  check_failed(run, "node_1.log");
}

TEST_CASE("a node without the program, and one whose devices are busy, fail the run") {
  keep_two_cores();
  AgentRig rig;
  const bool program = GENERATE(true, false);
  const auto run = run_on_two(rig, [&](messages::RunSpec& spec) {
    if (program) spec.program.argv.clear();
    if (!program) spec.devices.when_busy = "refuse";
  });
  std::vector<std::string> there{"RINGSIDE_TRAINER=/nowhere/ringside-trainer"};
  std::optional<runlog::RunFolder> busy;
  if (!program) {
    // A host of its own, whose cores another run has.
    there = {"XDG_STATE_HOME=" + (rig.path() / "other").string()};
    busy = rig.make_run(4, {"--steps=1"}, [](messages::RunSpec& spec) {
      spec.devices.nodes = 2;
      spec.devices.interface = "lo";
      spec.devices.when_busy = "share";
    });
    rig.start({*busy}, there, {"--node", "0"});
    REQUIRE(wait_until(10, [&] { return last_state(*busy, kNoRank).has_value(); }));
  }
  const pid_t head = rig.start({run}, {"RINGSIDE_TRAINER=/bin/true"}, {"--node", "0"});
  const pid_t member = rig.start({run}, there, {"--node", "1"});
  CHECK(rig.wait_exit(head, 20) == 1);
  CHECK(rig.wait_exit(member, 20) == 2);
  check_failed(run, program ? "RINGSIDE_TRAINER" : "the devices are busy");
}

TEST_CASE("nobody tells node 0 of a node that has an agent, and a signal ends who tells") {
  AgentRig rig;
  const auto run = run_on_two(rig);
  fs::create_directory_symlink("/nowhere/at/all", run.log_path(1));
  const auto told = [&] {
    return text_of(run.agent_log_path()).find("node_1.log") != std::string::npos;
  };
  const pid_t member = rig.start({run}, {}, {"--node", "1"});
  REQUIRE(wait_until(10, told));
  // Its lock is held while it looks for node 0.
  CHECK(rig.wait_exit(rig.start({run}, {}, {"--node", "1"}), 10) == 2);
  ::kill(member, SIGTERM);
  CHECK(rig.wait_exit(member, 10) == -SIGTERM);
}
