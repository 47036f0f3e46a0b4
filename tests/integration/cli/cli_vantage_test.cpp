// The state of a run as seen from other surroundings than its agent's: other containers, a folder
// without agent.json, an agent that does not answer. The table is gui/runs/STATES.md.
#include <algorithm>
#include <csignal>
#include <optional>

#include "gui/launch/start/start.h"
#include "gui/runs/find_run.h"
#include "protocol/base/clock.h"
#include "protocol/host/host.h"
#include "protocol/wire/agent_endpoint.h"
#include "tests/integration/agent/agent_rig.h"
#include "tests/integration/cli/cli_rig.h"
#include "tests/support/catch.h"
#include "tests/support/paths.h"
#include "tests/support/patience.h"

using namespace ringside;
using namespace ringside::testing;

namespace {

constexpr std::int64_t kCliVantageTimeoutNs = kPatienceNs;

/// A run that continues until it is ended.
struct LiveRig : CliRig {
  runlog::RunFolder begin() {
    const auto started = json_of({"run", experiment(2, {"--steps=100000"}), "--detach", "--json"});
    runlog::RunFolder run(started.at("runs").at(0).at("folder").get<std::string>());
    REQUIRE(wait_for_steps(run, 0, 5, 20));
    endpoint = wire::read_agent_endpoint(run.agent_path()).value();
    return run;
  }
  wire::AgentEndpoint endpoint;
  const runlog::RunFolder folder = begin();
};

/// The output of `ringside` in a container: with its own processes and this machine's files.
std::optional<launch::Captured> in_container(const LiveRig& rig, const std::string& network,
                                             std::vector<std::string> arguments) {
  std::vector<std::string> argv{"/usr/bin/unshare", "--user",      "--map-root-user", "--pid",
                                "--fork",           "--mount-proc"};
  if (!network.empty()) argv.push_back(network);
  auto probe = argv;
  probe.emplace_back("true");
  const auto possible = launch::capture(probe, kCliVantageTimeoutNs);
  if (!possible || possible->exit_code != 0) return std::nullopt;
  argv.push_back((bin_dir() / "ringside").string());
  argv.insert(argv.end(), arguments.begin(), arguments.end());
  argv.insert(argv.end(), {"--runs-dir", rig.runs().string()});
  auto captured = launch::capture(argv, kCliVantageTimeoutNs);
  REQUIRE(captured);
  return std::move(*captured);
}

}  // namespace

TEST_CASE("R11: a live run is shown as live in another container, and can be stopped from there") {
  LiveRig rig;
  const auto shown = in_container(rig, "", {"show", "last", "--json"});
  if (!shown) {
    WARN("SKIPPED: no name spaces for this user (unshare)");
    return;
  }
  const auto run = nlohmann::json::parse(shown->output);
  CHECK(run.at("state") == "training");
  CHECK(run.at("live") == true);
  const auto apart = in_container(rig, "--net", {"stop", "last"});
  CHECK(apart->exit_code == 1);
  CHECK(apart->errors.find("another container") != std::string::npos);
  CHECK(rig.json_of({"show", "last", "--json"}).at("state") == "training");
  CHECK(in_container(rig, "", {"stop", "last"})->exit_code == 0);
  CHECK(rig.json_of({"show", "last", "--json"}).at("state") == "stopped");
}

TEST_CASE("R11: a run without its agent.json is shown as live, and stop says how to end it") {
  LiveRig rig;
  REQUIRE(std::filesystem::remove(rig.folder.agent_path()));
  const auto shown = rig.json_of({"show", "last", "--json"});
  CHECK(shown.at("state") == "training");
  CHECK(shown.at("live") == true);
  const std::int64_t asked_ns = mono_now_ns();
  const auto stopped = rig.ringside({"stop", "last"});
  // The agent keeps writing, so waiting for the file is useless.
  CHECK(mono_now_ns() - asked_ns < launch::kComeUpNs);
  CHECK(stopped.exit_code == 1);
  CHECK(stopped.errors.find("pkill -TERM -f 'ringside-agent.*" + rig.folder.id() + "'") !=
        std::string::npos);
  ::kill(rig.endpoint.agent_pid, SIGTERM);
  CHECK(wait_until(20, [&] { return !runlog::FolderLock::is_held(rig.folder); }));
  CHECK(rig.json_of({"show", "last", "--json"}).at("state") == "stopped");
}

TEST_CASE("a live run whose settings were deleted is shown as damaged, and can be stopped") {
  LiveRig rig;
  REQUIRE(std::filesystem::remove(rig.folder.spec_path()));
  const auto shown = rig.json_of({"show", "last", "--json"});
  CHECK(shown.at("state") == "training");
  CHECK(rig.ringside({"show", "last"}).output.find("spec.toml") != std::string::npos);
  CHECK(rig.ringside({"stop", rig.folder.id()}).exit_code == 0);
  CHECK(rig.json_of({"show", "last", "--json"}).at("state") == "stopped");
}

TEST_CASE("a run of another machine is not shown as interrupted, and stop says where to go") {
  LiveRig rig;
  ::kill(rig.endpoint.agent_pid, SIGKILL);
  REQUIRE(wait_until(20, [&] { return !runlog::FolderLock::is_held(rig.folder); }));
  // The lock is not visible, as on a shared file system without locks; the newest record is recent.
  rig.endpoint.boot_id = "00000000-0000-0000-0000-000000000000";
  rig.endpoint.host = "node-7";
  REQUIRE(wire::write_agent_endpoint(rig.folder.agent_path(), rig.endpoint));
  const auto shown = rig.json_of({"show", "last", "--json"});
  CHECK(shown.at("state") == "training");
  const auto stopped = rig.ringside({"stop", "last"});
  CHECK(stopped.exit_code == 1);
  CHECK(stopped.errors.find("node-7") != std::string::npos);
}

TEST_CASE("output of a program without telemetry has times, and tail shows it") {
  CliRig rig;
  REQUIRE(rig.ringside({"run", rig.experiment(1, {}), "--set",
                        R"(program.argv=["/bin/sh", "-c", "echo one; echo two >&2; echo three"])"})
              .exit_code == 0);
  const std::string text = rig.ringside({"tail", "last"}).output;
  INFO(text);
  const std::size_t from = text.find("starting");
  REQUIRE(from != std::string::npos);
  for (const char* line : {"r0  stdout  one\n", "r0  stdout  three\n", "r0  stderr  two\n"}) {
    const std::size_t at = text.find(line, from);
    REQUIRE(at != std::string::npos);
    const std::size_t begin = text.rfind('\n', at) + 1;
    CHECK(text.substr(begin + 2, 1) == ":");  // text such as 14:32:07.912
  }
  CHECK(text.find("finished", text.find("stdout  one")) != std::string::npos);
  // Scripts get only records.
  CHECK(rig.ringside({"tail", "last", "--json"}).output.find("stdout") == std::string::npos);
}

TEST_CASE("R4: a paused agent is shown as lost contact everywhere, with how to resume it") {
  LiveRig rig;
  const std::string pid = std::to_string(rig.endpoint.agent_pid);
  const std::string hint = "its agent (pid " + pid + ") is stopped: `kill -CONT " + pid + "`";
  const pid_t tail = rig.start({"tail", "last"}, rig.path() / "out", rig.path() / "tail");
  ::kill(rig.endpoint.agent_pid, SIGSTOP);
  // A process pauses only when it next runs, which may take a while on a busy machine.
  REQUIRE(wait_until(20, [&] { return is_stopped(rig.endpoint.agent_pid); }));
  const auto listed = rig.json_of({"list", "--json"}).at(0);
  CHECK(listed.at("state") == "lost contact");
  CHECK(rig.ringside({"show", "last"}).output.find(hint) != std::string::npos);
  const auto tail_says = [&](const std::string& text) {
    return wait_until(20, [&] { return text_of(rig.path() / "tail").find(text) != text.npos; });
  };
  CHECK(tail_says("Lost contact: " + hint));
  // A paused agent does not count as gone.
  const auto resumed = rig.ringside({"resume", "last"});
  CHECK(resumed.exit_code == 2);
  CHECK(resumed.errors.find("has not ended") != std::string::npos);
  ::kill(rig.endpoint.agent_pid, SIGCONT);
  CHECK(tail_says("In contact with its agent again."));
  CHECK(rig.json_of({"list", "--json"}).at(0).at("state") == "training");
  ::kill(tail, SIGKILL);
}

TEST_CASE("R4: a command that follows runs says that their agent is paused") {
  CliRig rig;
  const auto errors = rig.path() / "errors";
  const pid_t run =
      rig.start({"run", rig.experiment(1, {"--steps=100000"})}, rig.path() / "out", errors);
  const auto folder = [&] { return runs::find_run(rig.runs(), "last"); };
  REQUIRE(wait_until(20, [&] { return folder() && wait_for_steps(folder()->folder, 0, 5, 0); }));
  const auto agent = wire::read_agent_endpoint(folder()->folder.agent_path());
  REQUIRE(agent);
  ::kill(agent->agent_pid, SIGSTOP);
  CHECK(wait_until(20, [&] {
    return text_of(errors).find("lost contact: its agent (pid ") != std::string::npos;
  }));
  ::kill(agent->agent_pid, SIGCONT);
  CHECK(wait_until(20, [&] {
    return text_of(errors).find("In contact with its agent again.") != std::string::npos;
  }));
  ::kill(run, SIGINT);
  CHECK(rig.wait_exit(run) == 130);
}

TEST_CASE("tail reads the file if the agent is paused") {
  LiveRig rig;
  ::kill(rig.endpoint.agent_pid, SIGSTOP);
  const auto records = records_of(rig.folder).entries.size();
  const auto tail = rig.ringside({"tail", "last", "--no-follow", "--all", "--json"});
  ::kill(rig.endpoint.agent_pid, SIGCONT);
  CHECK(tail.exit_code == 0);
  CHECK(static_cast<std::size_t>(std::count(tail.output.begin(), tail.output.end(), '\n')) >=
        records);
}
