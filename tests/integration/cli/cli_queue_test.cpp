// Runs that wait for devices, as the command line starts, shows and stops them; the checks before a
// start; and baselines that are reused from an earlier run.
#include <algorithm>
#include <csignal>

#include "gui/launch/preflight/preflight.h"
#include "gui/runs/find_run.h"
#include "tests/integration/agent/agent_rig.h"
#include "tests/integration/cli/cli_rig.h"
#include "tests/support/catch.h"
#include "tests/support/paths.h"

using namespace ringside;
using namespace ringside::testing;
using messages::State;

namespace {

bool cli_queue_says(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// A run that holds both slots until it is stopped.
runlog::RunFolder holder(const CliRig& rig) {
  REQUIRE(rig.ringside({"run", rig.experiment(2, {"--steps=100000"}), "--detach"}).exit_code == 0);
  const auto run = runs::find_run(rig.runs(), "#1");
  REQUIRE(run);
  rank_pids(run->folder, 2);
  return run->folder;
}

State state_of(const runlog::RunFolder& folder) {
  const auto state = last_state(folder, kNoRank);
  return state ? state->state : State::kStarting;
}

}  // namespace

TEST_CASE("a waiting run names the run before it everywhere, and begins by itself") {
  keep_two_cores();
  CliRig rig;
  const auto first = holder(rig);
  const auto output = rig.path() / "out";
  const pid_t second = rig.start({"run", rig.experiment(2, {"--steps=5"}), "--json"}, output);
  REQUIRE(wait_until(20, [&] {
    const auto found = runs::find_run(rig.runs(), "#2");
    return found && state_of(found->folder) == State::kQueued &&
           !last_state(found->folder, kNoRank)->text.empty();
  }));
  const auto list = rig.ringside({"list"}).output;
  INFO(list);
  CHECK(cli_queue_says(list, "#2 is queued behind run #1 (rank pids "));
  CHECK(cli_queue_says(list, "on 2 CPU slots, since "));
  CHECK(cli_queue_says(rig.ringside({"show", "#2"}).output, "Queued: behind run #1"));
  const auto json = rig.json_of({"show", "#2", "--json"});
  CHECK(json.at("state") == "queued");
  CHECK(cli_queue_says(json.at("detail"), "behind run #1"));
  CHECK(json.at("live") == true);
  const auto top = rig.json_of({"top", "--json"});
  REQUIRE(top.at("runs").size() == 2);
  CHECK(top.at("runs").at(0).at("run") == "run #1");
  CHECK(top.at("runs").at(1).at("state") == "waits");
  const auto ranks = std::ranges::count_if(
      top.at("processes"), [](const auto& one) { return one.at("run") == "run #1"; });
  CHECK(ranks >= 2);
  CHECK(rig.ringside({"stop", "#1"}).exit_code == 0);
  CHECK(rig.wait_exit(second) == 0);
  CHECK(last_line_json(text_of(output)).at("runs").at(0).at("state") == "finished");
  CHECK(state_of(first) == State::kStopped);
}

TEST_CASE("a queued run is stopped before it began: exit code 0, no attempt, no process left") {
  keep_two_cores();
  CliRig rig;
  const auto first = holder(rig);
  const auto detached = rig.ringside({"run", rig.experiment(2, {"--steps=5"}, "run"), "--detach"});
  REQUIRE(detached.exit_code == 0);
  CHECK(cli_queue_says(detached.output, "Queued behind run #1"));
  CHECK(cli_queue_says(detached.errors, "will be queued behind run #1"));
  const auto json = rig.json_of({"run", rig.experiment(2, {"--steps=5"}), "--detach", "--json"});
  CHECK(json.at("runs").at(0).at("state") == "queued");
  CHECK(rig.ringside({"stop", "#4"}).exit_code == 0);
  const auto stopped = rig.ringside({"stop", "#3"});
  CHECK(stopped.exit_code == 0);
  CHECK(
      cli_queue_says(stopped.output, "asked by Ringside's window or a command before it started"));
  for (const char* number : {"#2", "#3"}) {
    const auto run = runs::find_run(rig.runs(), number);
    REQUIRE(run);
    CHECK(wait_until(5, [&] { return state_of(run->folder) == State::kStopped; }));
    CHECK(wait_until(5, [&] { return processes_with(run->folder.path().string()).empty(); }));
    CHECK_FALSE(std::filesystem::exists(run->folder.attempt_dir(0)));
    CHECK_FALSE(std::filesystem::exists(run->folder.agent_path()));
  }
  CHECK(state_of(first) == State::kTraining);
}

TEST_CASE("a run that is resumed in the background names the run that it waits for") {
  keep_two_cores();
  CliRig rig;
  holder(rig);
  REQUIRE(rig.ringside({"stop", "#1"}).exit_code == 0);
  REQUIRE(rig.ringside({"run", rig.experiment(2, {"--steps=100000"}), "--detach"}).exit_code == 0);
  const auto second = runs::find_run(rig.runs(), "#2");
  REQUIRE(second);
  rank_pids(second->folder, 2);
  const auto resumed = rig.ringside({"resume", "#1", "--detach"});
  INFO(resumed.output << resumed.errors);
  REQUIRE(resumed.exit_code == 0);
  CHECK(resumed.errors.starts_with("Note: a script goes on"));
  CHECK(cli_queue_says(resumed.errors, "\nQueued behind run #2"));
  CHECK(std::count(resumed.errors.begin(), resumed.errors.end(), '\n') == 2);
  CHECK(resumed.output.starts_with("Running in the background."));
}

TEST_CASE(
    "run --no-wait refuses with exit code 2 and leaves no folder, and Ctrl-C leaves the queue") {
  keep_two_cores();
  CliRig rig;
  holder(rig);
  const auto experiment = rig.experiment(2, {"--steps=5"});
  const auto refused = rig.ringside({"run", experiment, "--no-wait"});
  CHECK(refused.exit_code == 2);
  CHECK(cli_queue_says(refused.errors, "would wait behind run #1"));
  CHECK_FALSE(runs::find_run(rig.runs(), "#2"));
  CHECK(rig.ringside({"run", experiment, "--set", "devices.when_busy=soon"}).exit_code == 2);
  const pid_t queued = rig.start({"run", experiment, "--json"}, rig.path() / "out");
  REQUIRE(wait_until(20, [&] {
    const auto found = runs::find_run(rig.runs(), "#2");
    return found && state_of(found->folder) == State::kQueued;
  }));
  ::kill(queued, SIGINT);
  CHECK(rig.wait_exit(queued) == 130);
  CHECK(state_of(runs::find_run(rig.runs(), "#2")->folder) == State::kStopped);
}

TEST_CASE("doctor prints the checks of a start, each with a verdict, and GPUs with their links") {
  CliRig rig;
  ::setenv("LD_LIBRARY_PATH", (test_bin_dir() / "fake_driver").c_str(), 1);
  ::setenv("FAKE_GPUS", "2", 1);
  ::setenv("FAKE_GPU_PID", "1", 1);
  const auto json = nlohmann::json::parse(rig.ringside({"doctor", "--json"}).output);
  REQUIRE(json.at("devices").size() == 2);
  bool free = false;
  for (const auto& check : json.at("checks")) {
    for (const char* key : {"title", "verdict", "detail", "hint", "command"})
      CHECK(check.at(key).is_string());
    if (check.at("title") != launch::titles::kDevicesFree) continue;
    free = true;
    CHECK(check.at("verdict") == "warning");
    CHECK(cli_queue_says(check.at("detail"), "computes on GPU 1"));
    CHECK(check.at("command") == "nvidia-smi");
  }
  CHECK(free);
  CHECK(cli_queue_says(rig.ringside({"doctor"}).output, launch::titles::kDevicesAnswer));
}

TEST_CASE(
    "the reason why auto uses CPU slots beside a GPU is shown in the terminal and in the run") {
  CliRig rig;
  ::setenv("LD_LIBRARY_PATH", (test_bin_dir() / "fake_driver").c_str(), 1);
  ::setenv("FAKE_GPUS", "1", 1);
  const auto ran =
      rig.ringside({"run", rig.experiment(2, {"--steps=5"}), "--set", "devices.kind=auto"});
  INFO(ran.errors);
  REQUIRE(ran.exit_code == 0);
  constexpr const char* kWhy = "takes CPU slots: this machine has 1 GPU for 2 ranks";
  CHECK(cli_queue_says(ran.errors, kWhy));
  const auto run = runs::find_run(rig.runs(), "#1");
  REQUIRE(run);
  const auto notice = notice_with(run->folder, "plan");
  REQUIRE(notice);
  CHECK(notice->severity == messages::Severity::kWarning);
  CHECK(cli_queue_says(notice->text, kWhy));
}

TEST_CASE("a baseline is trained once: a second study reuses it and gives the reason") {
  CliRig rig;
  const auto experiment = rig.experiment(2, {"--steps=5"}, "run");
  const auto first = rig.ringside({"run", experiment, "--json"});
  REQUIRE(first.exit_code == 0);
  const auto trained = last_line_json(first.output).at("runs");
  REQUIRE(trained.size() == 2);
  const auto again = rig.ringside({"run", experiment, "--set", "baseline.mode=reuse", "--json"});
  INFO(again.errors);
  REQUIRE(again.exit_code == 0);
  const auto reused = last_line_json(again.output).at("runs");
  CHECK(reused.size() == 1);
  CHECK(cli_queue_says(again.errors,
                       "Note: the baseline is an earlier run: run #1 finished, on 1 CPU slot"));
  CHECK(rig.json_of({"show", "last", "--json"}).at("baseline") == trained.at(0).at("id"));
  const auto other = rig.ringside({"run", rig.experiment(2, {"--steps=6"}, "reuse"), "--json"});
  REQUIRE(other.exit_code == 0);
  CHECK(last_line_json(other.output).at("runs").size() == 2);
  CHECK(cli_queue_says(other.errors, "no finished run equals the baseline"));
}
