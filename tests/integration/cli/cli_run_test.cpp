// `ringside run` and `stop`: results, exit codes, Ctrl-C at any moment, and nothing left behind.
#include <csignal>
#include <ctime>
#include <fstream>
#include <iomanip>
#include <set>
#include <sstream>
#include <string>

#include "gui/runs/find_run.h"
#include "protocol/wire/agent_endpoint.h"
#include "tests/integration/agent/agent_rig.h"
#include "tests/integration/cli/cli_rig.h"
#include "tests/support/catch.h"

using namespace ringside;
using namespace ringside::testing;

namespace {

// The newest run, once it has reported `steps` steps of rank 0.
runlog::RunFolder wait_for_run(const CliRig& rig, std::size_t steps) {
  REQUIRE(wait_until(50, [&] {
    const auto found = runs::find_run(rig.runs(), "last");
    return found && wait_for_steps(found->folder, 0, steps, 0);
  }));
  return runs::find_run(rig.runs(), "last")->folder;
}

bool nothing_left(const CliRig& rig) {
  return wait_until(5, [&] { return processes_with(rig.runs().string()).empty(); });
}

// Whether there is a connection to the agent's port for viewers.
bool is_called(const wire::AgentEndpoint& agent) {
  const std::string& address = agent.viewer_endpoint;
  // The columns of /proc/net/tcp (proc(5)): remote address, then state 1 (established).
  std::ostringstream established;
  established << " 0100007F:" << std::uppercase << std::hex << std::setw(4) << std::setfill('0')
              << std::stoi(address.substr(address.rfind(':') + 1)) << " 01 ";
  return text_of("/proc/self/net/tcp").find(established.str()) != std::string::npos;
}

}  // namespace

TEST_CASE("run --json prints the baseline and then the run, as one object on the last line") {
  CliRig rig;
  const auto captured =
      rig.ringside({"run", rig.experiment(2, {"--steps=60", "--step-ms=5"}, "run"), "--json"});
  INFO(captured.errors);
  REQUIRE(captured.exit_code == 0);
  const auto result = last_line_json(captured.output);
  REQUIRE(result.is_object());
  std::vector<std::string> keys;
  for (const auto& [key, value] : result.at("runs").at(0).items()) keys.push_back(key);
  CHECK(std::set<std::string>(keys.begin(), keys.end()) ==
        std::set<std::string>{"id", "folder", "world_size", "state", "seconds", "train_seconds",
                              "samples_per_s", "val_accuracy", "final_loss", "loss_not_finite"});
  REQUIRE(result["runs"].size() == 2);
  CHECK(result["runs"][0]["world_size"] == 1);
  CHECK(result["runs"][1]["world_size"] == 2);
  CHECK(result["experiment"] == result["runs"][1]["id"]);
  for (const auto& run : result["runs"]) {
    CHECK(run["state"] == "finished");
    CHECK(run["seconds"].get<double>() > 0);
    CHECK(std::filesystem::exists(run["folder"].get<std::string>() + "/node_0.log"));
  }
  CHECK(result["speedup"].get<double>() > 0);
  CHECK(result["efficiency"].get<double>() == Approx(result["speedup"].get<double>() / 2));
  CHECK(captured.output.find('\x1b') == std::string::npos);
  CHECK(captured.errors.find('\x1b') == std::string::npos);
  CHECK(nothing_left(rig));
}

TEST_CASE("a failed rank gives exit code 1, the reason on standard error, and the JSON object") {
  CliRig rig;
  const auto captured =
      rig.ringside({"run", rig.experiment(2, {"--exit-at=3", "--only-rank=1"}), "--json"});
  CHECK(captured.exit_code == 1);
  CHECK(last_line_json(captured.output).at("runs").at(0).at("state") == "failed");
  CHECK(captured.errors.find("failed") != std::string::npos);
  CHECK(captured.errors.find("rank 1") != std::string::npos);
  CHECK(nothing_left(rig));
}

TEST_CASE("stop waits for the attempt that it stopped, not for one that was resumed meanwhile") {
  // The agent ends the attempt, is killed meanwhile, or is killed before it has answered.
  enum class End { kStopped, kKilled, kSilent };
  const End end = GENERATE(End::kStopped, End::kKilled, End::kSilent);
  CliRig rig;
  std::vector<std::string> flags{"--steps=1000000", "--ignore-ask"};
  std::vector<std::string> run{"run", "", "--detach"};
  if (end == End::kKilled) {  // the attempt must still be running while it is being stopped
    flags.emplace_back("--ignore-term");
    run.insert(run.end(), {"--set", "limits.grace_s=1000"});
  }
  run[1] = rig.experiment(1, flags);
  REQUIRE(rig.ringside(run).exit_code == 0);
  const auto folder = runs::find_run(rig.runs(), "last")->folder;
  const auto is = [&](messages::State state, std::int32_t attempt) {
    const auto last = last_state(folder, kNoRank);
    return last && last->state == state && last->attempt == attempt;
  };
  REQUIRE(wait_until(20, [&] { return is(messages::State::kTraining, 0); }));
  const auto endpoint = wire::read_agent_endpoint(folder.agent_path());
  REQUIRE(endpoint);
  if (end == End::kSilent) ::kill(endpoint->agent_pid, SIGSTOP);
  const pid_t stop = rig.start({"stop", "last"}, rig.path() / "told");
  REQUIRE(wait_until(20, [&] {
    if (end == End::kSilent) return is_called(*endpoint);
    return is(messages::State::kStopping, 0) || is(messages::State::kStopped, 0);
  }));
  // The stop command is paused, to act like one that polls later.
  ::kill(stop, SIGSTOP);
  if (end != End::kStopped) ::kill(endpoint->agent_pid, SIGKILL);
  // A killed process is a zombie until its last thread has released the lock.
  REQUIRE(wait_until(
      20, [&] { return !wire::is_alive(*endpoint) && !runlog::FolderLock::is_held(folder); }));
  REQUIRE(rig.ringside({"resume", "last", "--detach"}).exit_code == 0);
  REQUIRE(wait_until(20, [&] { return is(messages::State::kTraining, 1); }));
  ::kill(stop, SIGCONT);
  CHECK(rig.wait_exit(stop) == 0);
  const std::string told = text_of(rig.path() / "told");
  CHECK(told.find(end == End::kStopped ? "Stopped: asked by Ringside's window or a command"
                                       : "Interrupted") != std::string::npos);
  CHECK(is(messages::State::kTraining, 1));
}

TEST_CASE("Ctrl-C stops every run of the study in order, exit code 130") {
  CliRig rig;
  const auto output = rig.path() / "out";
  const pid_t pid =
      rig.start({"run", rig.experiment(2, {"--steps=100000"}, "run"), "--json"}, output);
  REQUIRE(wait_until(50, [&] {
    const auto first = runs::find_run(rig.runs(), "#1");
    return first && wait_for_steps(first->folder, 0, 5, 0);
  }));
  ::kill(pid, SIGINT);
  CHECK(rig.wait_exit(pid) == 130);
  const auto result = last_line_json(text_of(output));
  CHECK(result.at("runs").at(0).at("state") == "stopped");
  CHECK(result.at("runs").at(1).at("state") == "stopped");
  CHECK(nothing_left(rig));
}

TEST_CASE("Ctrl-C at any moment of the start: exit code 130, no process left, every log readable") {
  CliRig rig;
  const auto experiment = rig.experiment(2, {"--steps=100000"}, "run");
  for (const long delay_ms : {0L, 3L, 8L, 15L, 25L, 40L, 70L}) {
    const pid_t pid = rig.start({"run", experiment, "--json"}, rig.path() / "out");
    const timespec moment{0, delay_ms * 1'000'000};
    ::nanosleep(&moment, nullptr);
    ::kill(pid, SIGINT);
    INFO(delay_ms);
    REQUIRE(rig.wait_exit(pid) == 130);
    REQUIRE(nothing_left(rig));
  }
  for (const auto& run : rig.json_of({"list", "--json"})) {
    CHECK(run["state"] == "stopped");
    CHECK(run["problem"] == "");
  }
}

TEST_CASE("ranks that ignore signals are ended at once by a second Ctrl-C") {
  CliRig rig;
  const auto experiment = rig.experiment(2, {"--steps=100000", "--ignore-ask", "--ignore-term"});
  const pid_t pid =
      rig.start({"run", experiment, "--set", "limits.grace_s=1000", "--json"}, rig.path() / "out");
  const auto folder = wait_for_run(rig, 5);
  ::kill(pid, SIGINT);
  REQUIRE(wait_until(20, [&] {
    const auto state = last_state(folder, kNoRank);
    return state && state->state == messages::State::kStopping;
  }));
  ::kill(pid, SIGINT);
  CHECK(rig.wait_exit(pid) == 130);
  CHECK(nothing_left(rig));
}

TEST_CASE("R2: a killed viewer affects nothing, and a new one misses nothing") {
  CliRig rig;
  const auto gate = rig.path() / "gate";
  const auto experiment =
      rig.experiment(2, {"--steps=150", "--gate=" + gate.string(), "--gate-at=149"});
  const pid_t first = rig.start({"run", experiment, "--json"}, rig.path() / "out");
  const auto folder = wait_for_run(rig, 30);
  const pid_t tail = rig.start({"tail", "last", "--json", "--all"}, rig.path() / "tail1");
  REQUIRE(wait_until(20, [&] { return text_of(rig.path() / "tail1").size() > 1000; }));
  ::kill(first, SIGKILL);
  ::kill(tail, SIGKILL);
  CHECK(rig.wait_exit(first) == 137);
  CHECK(rig.wait_exit(tail) == 137);
  std::ofstream(gate) << "the viewers are gone";
  const pid_t second = rig.start({"tail", "last", "--json", "--all"}, rig.path() / "tail2");
  CHECK(rig.wait_exit(second) == 0);
  CHECK(last_state(folder, kNoRank)->state == messages::State::kFinished);
  std::set<std::pair<int, std::int64_t>> steps;
  std::size_t lines = 0;
  std::istringstream text(text_of(rig.path() / "tail2"));
  for (std::string line; std::getline(text, line); ++lines) {
    const auto record = nlohmann::json::parse(line);
    if (record["record"] == "step")
      steps.insert({record["rank"].get<int>(), record["step"].get<std::int64_t>()});
  }
  CHECK(steps.size() == 300);
  CHECK(lines == records_of(folder).entries.size());
  CHECK(nothing_left(rig));
}

TEST_CASE("stack prints where a live rank is, and leaves it running") {
  CliRig rig;
  REQUIRE(rig.ringside({"run", rig.experiment(2, {"--steps=100000"}), "--detach"}).exit_code == 0);
  const auto listed = rig.json_of({"list", "--json"});
  const runlog::RunFolder run(listed.at(0).at("folder").get<std::string>());
  REQUIRE(wait_for_steps(run, 0, 5, 20));
  const auto told = rig.ringside({"stack", "last", "--rank", "1", "--json"});
  if (told.exit_code == 2) {
    CHECK(told.errors.find("install eu-stack") != std::string::npos);
  } else {
    const auto stacks = nlohmann::json::parse(told.output);
    REQUIRE(stacks.size() == 1);
    CHECK(stacks[0].at("rank") == 1);
    const bool read = stacks[0].at("problem") == "";
    CHECK(read == (stacks[0].at("text").get<std::string>().find("main") != std::string::npos));
    CHECK(told.exit_code == (read ? 0 : 1));
  }
  const auto before = rig.json_of({"show", "last", "--json"}).at("steps").get<std::size_t>();
  CHECK(wait_for_steps(run, 1, before + 5, 20));
  CHECK(rig.ringside({"stop", "last", "--now"}).exit_code == 0);
  CHECK(rig.ringside({"stack", "last"}).exit_code == 2);
}

TEST_CASE(
    "run --detach returns while the run continues, and stop ends it, and says so when repeated") {
  CliRig rig;
  const auto started =
      rig.json_of({"run", rig.experiment(2, {"--steps=100000"}, "run"), "--detach", "--json"});
  CHECK(started.at("runs").size() == 2);
  const auto listed = rig.json_of({"list", "--json"});
  CHECK(listed.at(0).at("live") == true);
  CHECK(rig.ringside({"stop", "last"}).exit_code == 0);
  const auto again = rig.ringside({"stop", "last"});
  CHECK(again.exit_code == 0);
  CHECK(again.output.find("topped") != std::string::npos);
  const auto told = rig.json_of({"stop", "last", "--json"});
  CHECK(told.at("runs").at(0).at("state") == "stopped");
  CHECK(told.at("experiment") == started.at("experiment"));
  CHECK(wait_until(20, [&] {
    for (const auto& run : rig.json_of({"list", "--json"})) {
      if (run["state"] != "stopped") return false;
    }
    return true;
  }));
  CHECK(nothing_left(rig));
}

TEST_CASE("R11: a killed agent leaves an interrupted run that can be listed, shown and resumed") {
  CliRig rig;
  const auto started =
      rig.json_of({"run", rig.experiment(2, {"--steps=100000"}), "--detach", "--json"});
  const auto folder = wait_for_run(rig, 10);
  const auto endpoint = wire::read_agent_endpoint(folder.agent_path());
  REQUIRE(endpoint);
  ::kill(endpoint->agent_pid, SIGKILL);
  CHECK(nothing_left(rig));
  const auto shown = rig.json_of({"show", "last", "--json"});
  CHECK(shown.at("state") == "interrupted");
  CHECK(shown.at("last_seen").is_string());
  const auto exported =
      rig.json_of({"export", "last", "--csv", (rig.path() / "csv").string(), "--json"});
  CHECK(exported.at("rows") == records_of(folder).entries.size());
  CHECK(rig.ringside({"stop", "last"}).exit_code == 0);
}
