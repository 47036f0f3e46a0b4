// Agents that end before they can begin: neither does node 0 wait for such a node, nor do other
// nodes wait for it.
#include <csignal>

#include "protocol/runlog/log_reader.h"
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

/// The newest state in the log of node 1, which repeats the run's state from node 0.
messages::RankState state_on_node_1(const runlog::RunFolder& run) {
  support::RecordList list;
  (void)runlog::read_log(run.log_path(1), list);
  messages::RankState last;
  for (const auto& state : all_of<messages::RankState>(list)) {
    if (state.about == kNoRank) last = state;
  }
  return last;
}

/// Makes the log of a node impossible to open.
void spoil_log(const runlog::RunFolder& run, Node node) {
  fs::create_directory_symlink("/nowhere/at/all", run.log_path(node));
}

}  // namespace

TEST_CASE("a node whose log cannot be opened fails the run, whichever agent started first") {
  AgentRig rig;
  const auto run = run_on_two(rig);
  spoil_log(run, 1);
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
    // The node has a state folder of its own, in which another run has its cores.
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

TEST_CASE(
    "a node that cannot begin does not wait for node 0, and may begin once the problem is solved") {
  AgentRig rig;
  const auto run = run_on_two(rig);
  spoil_log(run, 1);
  const pid_t member = rig.start({run}, {}, {"--node", "1"});
  CHECK(rig.wait_exit(member, 20) == 1);
  CHECK_FALSE(runlog::FolderLock::is_held(run, 1));
  CHECK(fs::exists(run.path() / "not_begun_1.json"));
  fs::remove(run.log_path(1));
  const pid_t again = rig.start({run}, {}, {"--node", "1"});
  const pid_t head = rig.start({run}, {}, {"--node", "0"});
  CHECK(rig.wait_exit(head, 20) == 0);
  CHECK(rig.wait_exit(again, 20) == 0);
  CHECK(last_state(run, kNoRank)->state == State::kFinished);
  CHECK_FALSE(fs::exists(run.path() / "not_begun_1.json"));
}

TEST_CASE("a node that cannot begin reports it through the run folder if node 0 does not answer") {
  AgentRig rig;
  const auto run = run_on_two(rig);
  spoil_log(run, 1);
  const pid_t head = rig.start({run}, {}, {"--node", "0"});
  REQUIRE(wait_until(10, [&] { return fs::exists(run.agent_path()); }));
  ::kill(head, SIGSTOP);
  const pid_t member = rig.start({run}, {}, {"--node", "1"});
  SECTION("it waits for some seconds by itself") { CHECK(rig.wait_exit(member, 20) == 1); }
  SECTION("a signal ends the wait, during which another agent of that node is refused") {
    REQUIRE(wait_until(10, [&] { return fs::exists(run.path() / "not_begun_1.json"); }));
    CHECK(runlog::FolderLock::is_held(run, 1));
    ::kill(member, SIGTERM);
    const auto code = rig.wait_exit(member, 20);
    CHECK((code == -SIGTERM || code == 1));  // 1: the wait was over, as on a busy machine
  }
  ::kill(head, SIGCONT);
  CHECK(rig.wait_exit(head, 20) == 1);
  fs::remove(run.log_path(1));
  check_failed(run, "node_1.log");
}

TEST_CASE("node 0 gets no report of a missing agent for a node that has one") {
  AgentRig rig;
  const auto run = run_on_two(rig);
  rig.start({run}, {}, {"--node", "1"});
  REQUIRE(wait_until(10, [&] { return fs::exists(run.agent_path(1)); }));
  CHECK(rig.wait_exit(rig.start({run}, {}, {"--node", "1"}), 10) == 2);
  CHECK_FALSE(fs::exists(run.path() / "not_begun_1.json"));
}

TEST_CASE(
    "the other nodes end when node 0 cannot begin, and give the reason, whichever started first") {
  AgentRig rig;
  const bool program = GENERATE(true, false);
  const bool head_first = GENERATE(true, false);
  const auto run = run_on_two(rig, [&](messages::RunSpec& spec) {
    if (program) spec.program.argv.clear();
  });
  if (!program) spoil_log(run, 0);
  pid_t member = -1;
  const auto start_member = [&] {
    member = rig.start({run}, {"RINGSIDE_TRAINER=/bin/true"}, {"--node", "1"});
  };
  if (!head_first) {
    start_member();
    REQUIRE(wait_until(10, [&] { return fs::exists(run.agent_path(1)); }));
  }
  const pid_t head =
      rig.start({run}, {"RINGSIDE_TRAINER=/nowhere/ringside-trainer"}, {"--node", "0"});
  CHECK(rig.wait_exit(head, 20).value_or(0) != 0);
  if (head_first) start_member();
  CHECK(rig.wait_exit(member, 60) == 1);
  if (!program) fs::remove(run.log_path(0));
  const auto state = state_on_node_1(run);
  INFO(state.text);
  CHECK(state.state == State::kFailed);
  CHECK(state.text.starts_with("node 0 ("));
  CHECK(state.text.find(program ? "RINGSIDE_TRAINER" : "node_0.log") != std::string::npos);
  CHECK_FALSE(fs::exists(run.attempt_dir(0)));
}

TEST_CASE("a node that starts after node 0 was stopped does not wait for it") {
  AgentRig rig;
  const auto run = run_on_two(rig);
  const pid_t head = rig.start({run}, {}, {"--node", "0"});
  REQUIRE(wait_until(10, [&] {
    const auto state = last_state(run, kNoRank);
    return state && state->text.find("node 1 of 2") != std::string::npos;
  }));
  ::kill(head, SIGTERM);
  CHECK(rig.wait_exit(head, 10) == 0);
  CHECK(rig.wait_exit(rig.start({run}, {}, {"--node", "1"}), 60) == 0);
  const auto state = state_on_node_1(run);
  CHECK(state.state == State::kStopped);
  CHECK(state.text == last_state(run, kNoRank)->text);
}
