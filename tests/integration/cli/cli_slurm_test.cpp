// `--slurm` of run, resume and sweep with fake Slurm programs: srun starts the agents of all nodes
// on this host, sbatch runs the scripts of jobs one after the other. A real Slurm is used in
// tests/slurm.
#include <algorithm>
#include <fstream>
#include <utility>

#include "gui/runs/catalogue.h"
#include "tests/integration/agent/agent_rig.h"
#include "tests/integration/cli/cli_rig.h"
#include "tests/integration/cli/slurm_programs.h"
#include "tests/support/catch.h"

using namespace ringside;
using namespace ringside::testing;

namespace {

struct SlurmRig : SlurmPrograms, CliRig {
  launch::Captured with_slurm(std::vector<std::string> words) const {
    words.insert(words.end(), {"--slurm", "--set", "devices.interface=lo", "--json"});
    return ringside(std::move(words));
  }
};

void cli_slurm_refuses(const launch::Captured& captured, const std::string& why) {
  INFO(captured.errors);
  CHECK(captured.exit_code == 2);
  CHECK(captured.errors.find(why) != std::string::npos);
  CHECK(std::count(captured.errors.begin(), captured.errors.end(), '\n') == 1);
}

/// Number of nodes of each step, in the order in which they began.
std::string step_nodes(const SlurmRig& rig) {
  const std::string calls = rig.called("srun");
  const std::string option = " --nodes=";
  std::string nodes;
  for (auto at = calls.find(option); at != std::string::npos; at = calls.find(option, at + 1))
    nodes += calls.at(at + option.size());
  return nodes;
}

}  // namespace

TEST_CASE("inside an allocation runs are its steps, with the baseline first and on one node") {
  SlurmRig rig;
  const InAllocation shell;
  const auto captured = rig.with_slurm({"run", rig.experiment(2, {"--steps=20"}, "run")});
  INFO(captured.errors);
  REQUIRE(captured.exit_code == 0);
  CHECK(captured.errors.find("Inside Slurm job 12 is run ") != std::string::npos);
  const auto result = last_line_json(captured.output);
  REQUIRE(result["runs"].size() == 2);
  CHECK(result["runs"][0]["world_size"] == 1);
  CHECK(result["runs"][1]["world_size"] == 2);
  const std::string calls = rig.called("srun");
  CHECK(calls.find(" --nodes=1 ") < calls.find(" --nodes=2 "));
  CHECK(calls.find("--nodes=2") != std::string::npos);
  CHECK(rig.called("sbatch").empty());
  const runlog::RunFolder run(result["runs"][1]["folder"].get<std::string>());
  CHECK(run.logged_nodes() == std::vector<Node>{0, 1});
}

TEST_CASE("a job whose number cannot be stored in its folder is removed from the queue") {
  SlurmRig rig;
  rig.program("sbatch",
              "for word; do case \"$word\" in --output=*) rm -r \"$(dirname "
              "\"${word#--output=}\")\" ;; esac; done\necho 7\n");
  std::string said = "; job 7 was taken out of the queue";
  SECTION("it is removed at once") { rig.program("scancel", ""); }
  SECTION("otherwise the error says how to remove it") {
    rig.program("scancel", "exit 1\n");
    said = "; job 7 is in the queue: scancel 7 takes it out";
  }
  const auto captured = rig.with_slurm({"run", rig.experiment(2, {"--steps=20"}), "--detach"});
  INFO(captured.errors);
  CHECK(captured.exit_code == 1);
  CHECK(captured.errors.find(said) != std::string::npos);
  CHECK(rig.called("scancel") == "7\n");
}

TEST_CASE("a failed step is resumed inside the allocation, not outside of it") {
  SlurmRig rig;
  const auto what =
      rig.experiment(2, {"--steps=20", "--exit-at=10", "--only-rank=1", "--before-attempt=1"});
  {
    const InAllocation shell;
    const auto first = rig.with_slurm({"run", what});
    INFO(first.errors);
    CHECK(first.exit_code == 1);
  }
  cli_slurm_refuses(rig.ringside({"resume", "last"}), "salloc");
  const InAllocation shell;
  const auto again = rig.ringside({"resume", "last"});
  INFO(again.errors);
  CHECK(again.exit_code == 0);
  CHECK(rig.called("sbatch").empty());
}

TEST_CASE("requests that are impossible inside an allocation are one clear sentence each") {
  SlurmRig rig;
  const InAllocation shell;
  const auto what = rig.experiment(2, {"--steps=20"});
  cli_slurm_refuses(rig.with_slurm({"run", what, "--partition", "gpu"}),
                    "--partition cannot be chosen inside an allocation: this is Slurm job 12");
  cli_slurm_refuses(rig.with_slurm({"run", what, "--nodes", "3"}), "--nodes 3");
  cli_slurm_refuses(
      rig.with_slurm({"sweep", what, "--world", "1,3x1"}),
      "-3x1 needs 3 nodes, and Slurm job 12, inside which this is, has n[1-2], 2 nodes");
  cli_slurm_refuses(rig.with_slurm({"sweep", what, "--world", "1,2", "--time", "60"}),
                    "--time cannot be chosen inside an allocation: this is Slurm job 12");
  rig.program("scontrol", "echo 'JobId=12 JobState=TIMEOUT Reason=TimeLimit'\n");
  cli_slurm_refuses(rig.with_slurm({"run", what}), "is over: its time limit was reached");
  rig.program("scontrol", "echo 'slurm_load_jobs error: Invalid job id specified' >&2\nexit 1\n");
  cli_slurm_refuses(rig.with_slurm({"run", what}), "is over: Slurm does not know it any more");
  CHECK(rig.called("srun").empty());
  const auto here = rig.ringside({"run", rig.experiment(1, {"--steps=5"})});
  CHECK(here.exit_code == 0);
  CHECK(here.errors.find("stays on this machine; --slurm takes them all") != std::string::npos);
}

TEST_CASE("GPUs of an allocation that no variable names are found, and a Slurm step gets them") {
  SlurmRig rig;
  const InAllocation shell;
  const slurm::Variable driver("CUDA_VISIBLE_DEVICES", "");
  rig.program("scontrol", "echo 'JobId=12 JobState=RUNNING NumNodes=2 TresPerNode=gres:gpu:2'\n");
  const auto what = rig.experiment(1, {"--steps=5"});
  const auto here = rig.ringside({"run", what, "--set", "devices.kind=auto"});
  INFO(here.errors);
  CHECK(here.exit_code == 0);
  CHECK(here.errors.find("takes CPU slots: no GPU is seen here, and Slurm job 12") !=
        std::string::npos);
  const auto step = rig.with_slurm({"run", what, "--set", "devices.kind=auto", "--dry-run"});
  INFO(step.output);
  CHECK(step.exit_code == 0);
  const auto devices = last_line_json(step.output)["runs"].back()["settings"]["devices"];
  CHECK(devices["kind"] == "cuda");
  CHECK(devices["world_size"] == 4);
}

TEST_CASE(
    "while Slurm does not report whether there are GPUs, auto is refused and never uses the CPU") {
  SlurmRig rig;
  const InAllocation shell;
  rig.program("scontrol", "echo 'Unable to contact slurm controller' >&2\nexit 1\n");
  const auto what = rig.experiment(1, {"--steps=5"});
  const auto refused = rig.with_slurm({"run", what, "--set", "devices.kind=auto"});
  CHECK(refused.exit_code == 1);
  INFO(refused.errors);
  CHECK(refused.errors.find("it is not known how many GPUs Slurm job 12") != std::string::npos);
  CHECK(refused.errors.find("Unable to contact slurm controller") != std::string::npos);
  CHECK(rig.called("srun").empty());
  CHECK(rig.with_slurm({"run", what, "--dry-run"}).exit_code == 0);
}

TEST_CASE("a dry run prints what would be submitted as JSON, and submits nothing") {
  SlurmRig rig;
  const auto captured = rig.with_slurm(
      {"run", rig.experiment(2, {"--steps=20"}, "run"), "--partition", "gpu", "--dry-run"});
  INFO(captured.errors);
  REQUIRE(captured.exit_code == 0);
  const auto told = last_line_json(captured.output);
  REQUIRE(told["runs"].size() == 2);
  CHECK(told["runs"][0]["settings"]["devices"]["world_size"] == 1);
  CHECK(told["runs"][1]["settings"]["devices"]["world_size"] == 2);
  REQUIRE(told["jobs"].size() == 2);
  const auto words = told["jobs"][1].get<std::vector<std::string>>();
  CHECK(std::count(words.begin(), words.end(), "--partition=gpu") == 1);
  CHECK(rig.called("sbatch").empty());
}

TEST_CASE("a study may have points written as nodes by GPUs") {
  SlurmRig rig;
  const auto shown =
      rig.ringside({"sweep", rig.experiment(2, {"--steps=20"}), "--world", "1x1,1x2,2x2",
                    "--repeats", "1", "--slurm", "--gpus-per-node", "2", "--dry-run"});
  INFO(shown.errors);
  REQUIRE(shown.exit_code == 0);
  std::size_t at = 0;
  for (const auto& [nodes, gpus] : {std::pair(1, 1), std::pair(1, 2), std::pair(2, 2)}) {
    at = shown.output.find("--nodes=" + std::to_string(nodes) + " ", at);
    REQUIRE(at != std::string::npos);
    const std::string line = shown.output.substr(at, shown.output.find('\n', at) - at);
    CHECK(line.find("--gpus-per-node=" + std::to_string(gpus)) != std::string::npos);
    at += line.size();
  }
}

TEST_CASE("a study is one job for each run, each waiting for the end of the one before") {
  SlurmRig rig;
  const auto captured = rig.with_slurm(
      {"sweep", rig.experiment(2, {"--steps=20"}), "--world", "1,2x1", "--repeats", "1"});
  INFO(captured.errors);
  REQUIRE(captured.exit_code == 0);
  const std::string calls = rig.called("sbatch");
  CHECK(std::count(calls.begin(), calls.end(), '\n') == 2);
  const std::string first = calls.substr(0, calls.find('\n'));
  CHECK(first.find("--nodes=1 ") != std::string::npos);
  CHECK(first.find("--dependency") == std::string::npos);
  const std::string second = calls.substr(first.size() + 1);
  CHECK(second.find("--nodes=2 ") != std::string::npos);
  CHECK(second.find("--dependency=afterany:1 ") != std::string::npos);
  CHECK(last_line_json(captured.output)["settings"].size() == 2);
  {
    const InAllocation shell;
    cli_slurm_refuses(rig.ringside({"sweep", "S-01", "--repeats", "2"}),
                      "from outside of an allocation");
  }
  // Further settings of the study go to Slurm as well.
  const auto more = rig.ringside({"sweep", "S-01", "--repeats", "2", "--json"});
  INFO(more.errors);
  CHECK(more.exit_code == 0);
  const std::string all = rig.called("sbatch");
  CHECK(std::count(all.begin(), all.end(), '\n') == 4);
}

TEST_CASE("inside an allocation the runs of a study are its steps, one after the other") {
  SlurmRig rig;
  const auto what = rig.experiment(2, {"--steps=20"});
  {
    const InAllocation shell;
    const auto shown =
        rig.with_slurm({"sweep", what, "--world", "1x1,1x2,2x1", "--repeats", "1", "--dry-run"});
    INFO(shown.errors);
    CHECK(shown.exit_code == 0);
    CHECK(last_line_json(shown.output)["jobs"].size() == 1);
    CHECK(rig.called("srun").empty());
    const auto captured =
        rig.with_slurm({"sweep", what, "--world", "1x1,1x2,2x1", "--repeats", "1"});
    INFO(captured.errors);
    REQUIRE(captured.exit_code == 0);
    CHECK(captured.errors.find("Slurm job 12 runs them one after the other as steps.") !=
          std::string::npos);
    CHECK(last_line_json(captured.output)["settings"].size() == 3);
  }
  CHECK(step_nodes(rig) == "112");
  CHECK(rig.called("sbatch").empty());
  cli_slurm_refuses(rig.ringside({"sweep", "S-01", "--repeats", "2"}), "`salloc` makes one");
  const InAllocation shell;
  const auto more = rig.ringside({"sweep", "S-01", "--repeats", "2", "--json"});
  INFO(more.errors);
  CHECK(more.exit_code == 0);
  CHECK(step_nodes(rig) == "112112");
}

TEST_CASE("a study of steps can be stopped, and continues with the runs that never began") {
  SlurmRig rig;
  const InAllocation shell;
  const auto gate = rig.path() / "gate";
  const auto what =
      rig.experiment(2, {"--steps=200", "--step-ms=5", "--gate=" + gate.string(), "--gate-at=199"});
  REQUIRE(
      rig.with_slurm({"sweep", what, "--world", "1,2", "--repeats", "1", "--detach"}).exit_code ==
      0);
  REQUIRE(wait_until(20, [&] {
    const auto all = runs::read_summaries(rig.runs());
    return all && all->size() == 2 && all->back().state.word == "training";
  }));
  CHECK(runs::read_summaries(rig.runs())->front().state.word == "queued");
  CHECK(rig.ringside({"resume", "S-01"}).exit_code == 2);
  const auto stopped = rig.ringside({"stop", "S-01"});
  INFO(stopped.errors);
  REQUIRE(stopped.exit_code == 0);
  CHECK(step_nodes(rig) == "1");
  std::ofstream(gate) << "it was stopped";
  const auto again = rig.ringside({"resume", "S-01", "--json"});
  INFO(again.errors);
  REQUIRE(again.exit_code == 0);
  CHECK(last_line_json(again.output)["complete"] == true);
  CHECK(step_nodes(rig) == "111");
  // The run that had not begun still has its folder.
  CHECK(runs::read_summaries(rig.runs())->size() == 3);
}

TEST_CASE("a dry run of a study shows which job waits for which") {
  SlurmRig rig;
  const auto shown = rig.ringside({"sweep", rig.experiment(2, {"--steps=20"}), "--world", "1,2x1",
                                   "--repeats", "1", "--slurm", "--dry-run"});
  INFO(shown.errors);
  REQUIRE(shown.exit_code == 0);
  const auto first = shown.output.find("--dependency=afterany:JOB");
  CHECK(first != std::string::npos);
  CHECK(shown.output.find("--dependency", first + 1) == std::string::npos);
  const auto told =
      last_line_json(rig.with_slurm({"sweep", rig.experiment(2, {"--steps=20"}), "--world", "1,2x1",
                                     "--repeats", "1", "--dry-run"})
                         .output);
  REQUIRE(told["runs"].size() == 2);
  CHECK(told["runs"][1]["settings"]["devices"]["world_size"] == 2);
  REQUIRE(told["jobs"].size() == 2);
  CHECK(told["jobs"][0].dump().find("--dependency") == std::string::npos);
  CHECK(told["jobs"][1].dump().find("--dependency=afterany:JOB") != std::string::npos);
  CHECK(rig.called("sbatch").empty());
}

TEST_CASE("jobs before the one that sbatch refuses are removed from the queue") {
  SlurmRig rig;
  rig.program("sbatch",
              "[ \"$(grep -c . \"$0.calls\")\" -lt 3 ] || exit 1\n"
              "grep -c . \"$0.calls\"\n");
  rig.program("scancel", "");
  const auto captured = rig.with_slurm(
      {"sweep", rig.experiment(2, {"--steps=20"}), "--world", "1,2x1", "--repeats", "2"});
  CHECK(captured.exit_code == 1);
  CHECK(rig.called("scancel") == "2\n1\n");
  const auto left = runs::read_summaries(rig.runs());
  REQUIRE(left);
  CHECK(left->empty());
}

TEST_CASE("a study that sbatch refuses leaves nothing behind") {
  SlurmRig rig;
  rig.program("sbatch", "echo 'invalid partition specified: gpu' >&2\nexit 1\n");
  const auto captured = rig.with_slurm(
      {"sweep", rig.experiment(2, {"--steps=20"}), "--world", "1,2x1", "--partition", "gpu"});
  CHECK(captured.exit_code == 1);
  CHECK(captured.errors.find("invalid partition specified: gpu") != std::string::npos);
  const auto left = runs::read_summaries(rig.runs());
  REQUIRE(left);
  CHECK(left->empty());
}
