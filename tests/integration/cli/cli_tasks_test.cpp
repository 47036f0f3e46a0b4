// `ringside run` in the tasks of a person's own srun: real programs, each started with the
// variables that srun sets. tests/slurm/srun_test.py uses a real srun.
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>

#include "gui/runs/catalogue.h"
#include "protocol/base/clock.h"
#include "protocol/wire/agent_endpoint.h"
#include "tests/integration/agent/agent_rig.h"
#include "tests/integration/cli/cli_rig.h"
#include "tests/integration/cli/slurm_programs.h"
#include "tests/support/catch.h"
#include "tests/support/paths.h"
#include "tests/support/patience.h"

using namespace ringside;
using namespace ringside::testing;

namespace {

/// Does what srun does, without a cluster: starts every task of a step with the same arguments.
class SrunStep {
 public:
  SrunStep(const CliRig& rig, int nodes, int per_node) : rig_(rig), nodes_(nodes), each_(per_node) {
    static int made = 0;
    port_ = 40000 + ++made;
  }
  SrunStep(const SrunStep&) = delete;
  SrunStep& operator=(const SrunStep&) = delete;
  ~SrunStep() {
    for (const pid_t pid : tasks) {
      if (pid <= 0) continue;
      ::kill(pid, SIGKILL);
      ::waitpid(pid, nullptr, 0);
    }
  }

  void start(std::vector<std::string> words) {
    words.insert(words.begin(), (bin_dir() / "ringside").string());
    const std::vector<std::string> folder{"--runs-dir", rig_.runs().string()};
    words.insert(std::find(words.begin(), words.end(), "--"), folder.begin(), folder.end());
    for (int rank = 0; rank < nodes_ * each_; ++rank) start_task(rank, words);
  }

  /// Exit code, or 128 + signal, of each task.
  std::vector<int> wait() {
    std::vector<int> codes;
    for (pid_t& pid : tasks) {
      int status = 0;
      const bool ended = wait_until(100, [&] { return ::waitpid(pid, &status, WNOHANG) == pid; });
      INFO(text());
      REQUIRE(ended);
      pid = 0;
      codes.push_back(WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
    }
    return codes;
  }

  /// Output of all tasks.
  std::string text() const {
    std::string all;
    for (int rank = 0; rank < nodes_ * each_; ++rank) all += text_of(output(rank));
    return all;
  }
  std::filesystem::path output(int rank) const {
    return rig_.path() / ("task_" + std::to_string(port_) + "_" + std::to_string(rank));
  }

  std::vector<pid_t> tasks;

 private:
  void start_task(int rank, const std::vector<std::string>& words) {
    const std::string per_node =
        std::to_string(each_) + (nodes_ > 1 ? "(x" + std::to_string(nodes_) + ")" : "");
    const std::vector<std::pair<const char*, std::string>> variables{
        {"SLURM_JOB_ID", "12"},
        {"SLURM_STEP_ID", "0"},
        {"SLURM_SRUN_COMM_PORT", std::to_string(port_)},
        {"SLURM_NTASKS", std::to_string(nodes_ * each_)},
        {"SLURM_STEP_NUM_TASKS", std::to_string(nodes_ * each_)},
        {"SLURM_STEP_NUM_NODES", std::to_string(nodes_)},
        {"SLURM_STEP_TASKS_PER_NODE", per_node},
        {"SLURM_PROCID", std::to_string(rank)},
        {"SLURM_LOCALID", std::to_string(rank % each_)},
        {"SLURM_NODEID", std::to_string(rank / each_)}};
    const pid_t pid = ::fork();
    if (pid == 0) {
      const int out = ::open(output(rank).c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
      ::dup2(out, 1);
      ::dup2(out, 2);
      for (const auto& [name, value] : variables) ::setenv(name, value.c_str(), 1);
      std::vector<char*> pointers;
      for (const std::string& word : words) pointers.push_back(const_cast<char*>(word.c_str()));
      pointers.push_back(nullptr);
      ::execv(pointers[0], pointers.data());
      ::_exit(127);
    }
    tasks.push_back(pid);
  }

  const CliRig& rig_;
  int nodes_;
  int each_;
  int port_;
};

std::vector<runs::RunSummary> runs_in(const CliRig& rig) {
  return runs::read_summaries(rig.runs()).value_or(std::vector<runs::RunSummary>());
}

runlog::RunFolder cli_tasks_only_run(const CliRig& rig) {
  const auto runs = runs_in(rig);
  REQUIRE(runs.size() == 1);
  return runs.front().folder;
}

/// Waits until this rank has reported some steps.
bool begun(const CliRig& rig, Rank rank) {
  return wait_until(50, [&] { return runs_in(rig).size() == 1; }) &&
         wait_for_steps(cli_tasks_only_run(rig), rank, 3, 50);
}

const std::string kNames = "echo $SLURM_PROCID $RANK $LOCAL_RANK $GROUP_RANK $WORLD_SIZE";

}  // namespace

TEST_CASE("every task of srun is a rank of one run") {
  CliRig rig;
  SrunStep step(rig, 1, 3);
  step.start({"run", rig.experiment(2, {"--steps=20"}), "--json"});
  CHECK(step.wait() == std::vector<int>{0, 0, 0});
  INFO(step.text());
  const auto run = cli_tasks_only_run(rig);
  CHECK(last_state(run, kNoRank)->state == messages::State::kFinished);
  for (const Rank rank : {0, 1, 2})
    CHECK(last_state(run, rank)->state == messages::State::kFinished);
  CHECK(last_line_json(text_of(step.output(0))).at("runs").at(0).at("world_size") == 3);
  CHECK(text_of(step.output(0)).find("srun has started 3 tasks on 1 node") != std::string::npos);
  CHECK(text_of(step.output(1)).empty());
  CHECK_FALSE(std::filesystem::exists(run.tasks_path(0)));
  CHECK(wait_until(20, [&] { return processes_with(rig.runs().string()).empty(); }));
}

TEST_CASE("on two nodes each node has its agent, and the ranks have Slurm's numbers") {
  CliRig rig;
  SrunStep step(rig, 2, 2);
  step.start({"run", "--devices", "cpu", "--no-instrument", "--set", "devices.interface=lo", "--",
              "sh", "-c", kNames});
  const auto codes = step.wait();
  INFO(step.text());
  CHECK(codes == std::vector<int>{0, 0, 0, 0});
  const auto run = cli_tasks_only_run(rig);
  CHECK(run.logged_nodes() == std::vector<Node>{0, 1});
  for (const auto& [rank, words] : std::vector<std::pair<Rank, std::string>>{
           {0, "0 0 0 0 4\n"}, {1, "1 1 1 0 4\n"}, {2, "2 2 0 1 4\n"}, {3, "3 3 1 1 4\n"}})
    CHECK(text_of(run.rank_dir(0, rank) / "stdout") == words);
}

TEST_CASE("a failed rank is named, and only the task of rank 0 has the exit code") {
  CliRig rig;
  SrunStep step(rig, 2, 2);
  step.start({"run", rig.experiment(4, {"--steps=10000", "--exit-at=10", "--only-rank=3"}), "--set",
              "devices.interface=lo"});
  const auto codes = step.wait();
  INFO(step.text());
  CHECK(codes == std::vector<int>{1, 0, 0, 0});
  const auto state = last_state(cli_tasks_only_run(rig), kNoRank);
  CHECK(state->state == messages::State::kFailed);
  CHECK(state->text.find("rank 3") != std::string::npos);
  CHECK(state->text.find("exit code 3") != std::string::npos);
  CHECK(wait_until(20, [&] { return processes_with(rig.runs().string()).empty(); }));
}

TEST_CASE("a failed attempt restarts in the same tasks") {
  CliRig rig;
  SrunStep step(rig, 1, 2);
  step.start(
      {"run",
       rig.experiment(2, {"--steps=20", "--exit-at=5", "--only-rank=1", "--before-attempt=1"}),
       "--set", "limits.restarts=1"});
  CHECK(step.wait() == std::vector<int>{0, 0});
  CHECK(cli_tasks_only_run(rig).attempts() == 2);
}

TEST_CASE("a killed task is a killed rank") {
  CliRig rig;
  SrunStep step(rig, 1, 2);
  step.start({"run", rig.experiment(2, {"--steps=100000"})});
  REQUIRE(begun(rig, 1));
  ::kill(step.tasks[1], SIGKILL);
  CHECK(step.wait() == std::vector<int>{1, 128 + SIGKILL});
  const auto state = last_state(cli_tasks_only_run(rig), kNoRank);
  CHECK(state->text.find("rank 1") != std::string::npos);
  CHECK(state->text.find("SIGKILL") != std::string::npos);
}

TEST_CASE("a signal that ends all tasks stops the run in order") {
  CliRig rig;
  SrunStep step(rig, 1, 2);
  step.start({"run", rig.experiment(2, {"--steps=100000"})});
  REQUIRE(begun(rig, 1));
  // Every task gets the signal, as with scancel --signal=USR1, but only the agent acts on it.
  for (const pid_t pid : step.tasks) ::kill(pid, SIGUSR1);
  for (const pid_t pid : step.tasks) ::kill(pid, SIGTERM);
  CHECK(step.wait() == std::vector<int>{128 + SIGTERM, 0});
  CHECK(last_state(cli_tasks_only_run(rig), kNoRank)->state == messages::State::kStopped);
}

TEST_CASE(
    "several signals in a burst, with which Slurm ends a step, are one stop with its grace "
    "period") {
  CliRig rig;
  SrunStep step(rig, 1, 2);
  step.start({"run", rig.experiment(2, {"--steps=100000", "--ignore-term"}), "--set",
              "limits.grace_s=60"});
  REQUIRE(begun(rig, 1));
  const auto run = cli_tasks_only_run(rig);
  const auto agent = wire::read_agent_endpoint(run.agent_path());
  REQUIRE(agent);
  const std::int64_t began_ns = mono_now_ns();
  for (int round = 0; round < 3; ++round) {
    ::kill(step.tasks[0], SIGTERM);
    ::kill(agent->agent_pid, SIGTERM);
  }
  CHECK(step.wait() == std::vector<int>{128 + SIGTERM, 0});
  CHECK(last_state(run, kNoRank)->state == messages::State::kStopped);
  CHECK(text_of(step.output(0)).find("Stopping now") == std::string::npos);
  // Fake ranks exit when they are asked over the wire, so none was killed.
  for (const Rank rank : {0, 1}) CHECK(last_state(run, rank)->signal <= 0);
  CHECK(mono_now_ns() - began_ns < kPatienceNs);
}

TEST_CASE("R7: an interrupt to every process of the step is a stop and not a failure of a rank") {
  CliRig rig;
  SrunStep step(rig, 1, 2);
  step.start({"run", rig.experiment(2, {"--steps=100000"})});
  REQUIRE(begun(rig, 1));
  const auto run = cli_tasks_only_run(rig);
  const auto agent = wire::read_agent_endpoint(run.agent_path());
  REQUIRE(agent);
  const auto ranks = rank_pids(run, 2);
  ::kill(agent->agent_pid, SIGINT);
  for (const pid_t pid : ranks) ::kill(pid, SIGINT);
  for (const pid_t pid : step.tasks) ::kill(pid, SIGINT);
  CHECK(step.wait() == std::vector<int>{128 + SIGINT, 0});
  CHECK(last_state(run, kNoRank)->state == messages::State::kStopped);
}

TEST_CASE("R1: if the command of rank 0 is killed, its agent ends the run in order") {
  CliRig rig;
  SrunStep step(rig, 1, 2);
  step.start({"run", rig.experiment(2, {"--steps=100000"})});
  REQUIRE(begun(rig, 1));
  ::kill(step.tasks[0], SIGKILL);
  CHECK(step.wait() == std::vector<int>{128 + SIGKILL, 0});
  CHECK(last_state(cli_tasks_only_run(rig), kNoRank)->state == messages::State::kStopped);
  CHECK(wait_until(20, [&] { return processes_with(rig.runs().string()).empty(); }));
}

TEST_CASE("a stopped run resumes in the tasks of another Slurm step, also with more of them") {
  CliRig rig;
  {
    SrunStep step(rig, 1, 2);
    step.start({"run", rig.experiment(2, {"--steps=100000"})});
    REQUIRE(begun(rig, 1));
    CHECK(rig.ringside({"stop", "last"}).exit_code == 0);
    CHECK(step.wait() == std::vector<int>{1, 0});
  }
  const auto run = cli_tasks_only_run(rig);
  SrunStep again(rig, 1, 3);
  again.start({"resume", "last"});
  REQUIRE(wait_for_steps(run, 2, 3, 50));
  CHECK(rig.ringside({"stop", "last"}).exit_code == 0);
  again.wait();
  CHECK(run.attempts() == 2);
}

TEST_CASE("an error is printed once, and every task ends at once") {
  CliRig rig;
  const std::string what = rig.experiment(2, {"--steps=5"});
  const auto told_once = [&](const std::vector<std::string>& words, const std::string& told) {
    SrunStep step(rig, 1, 2);
    step.start(words);
    CHECK(step.wait() == std::vector<int>{2, 0});
    INFO(step.text());
    CHECK(text_of(step.output(0)).find(told) != std::string::npos);
    CHECK(text_of(step.output(1)).empty());
  };
  told_once({"run", "no_such_preset"}, "no_such_preset");
  told_once({"run", what, "--set", "devices.world_size=4"}, "devices.world_size=4");
  told_once({"run", "--ranks", "3", "--", "true"}, "--ranks 3");
  told_once({"resume", "last"}, "no run");
  told_once({"run", what, "--detach"}, "--detach");
  told_once({"run", what, "--on-alert", "/no/such"}, "/no/such");
  told_once({"resume", "last", "--on-alert", "/no/such"}, "/no/such");
  {
    // PATH is as in a container on the node without Slurm's programs.
    const slurm::Variable nothing("PATH", rig.path() / "nothing");
    told_once({"run", what, "--slurm"}, "--slurm inside srun");
  }
  SrunStep step(rig, 1, 2);
  step.start({"sweep", what, "--world", "1,2"});
  CHECK(step.wait() == std::vector<int>{2, 2});
  CHECK(text_of(step.output(0)).find("without srun") != std::string::npos);
  CHECK(runs_in(rig).empty());
}

TEST_CASE("a dry run in several tasks prints the settings once and starts nothing") {
  CliRig rig;
  SrunStep step(rig, 2, 2);
  step.start({"run", rig.experiment(2, {"--steps=5"}), "--dry-run"});
  CHECK(step.wait() == std::vector<int>{0, 0, 0, 0});
  CHECK(text_of(step.output(0)).find("world_size = 4") != std::string::npos);
  CHECK(text_of(step.output(3)).empty());
  CHECK(runs_in(rig).empty());
}

TEST_CASE("a baseline runs in the task of rank 0 before the other tasks are needed") {
  CliRig rig;
  SrunStep step(rig, 2, 1);
  step.start({"run", rig.experiment(2, {"--steps=10"}, "run"), "--set", "devices.interface=lo"});
  const auto codes = step.wait();
  INFO(step.text());
  CHECK(codes == std::vector<int>{0, 0});
  const auto runs = runs_in(rig);
  REQUIRE(runs.size() == 2);
  CHECK(runs[0].spec.devices.world_size + runs[1].spec.devices.world_size == 3);
}
