// `--slurm` of run, resume and sweep with programs that have the names of Slurm's: srun starts the
// agents of all nodes on this host, sbatch runs the scripts of jobs one after the other. A real
// Slurm is in tests/slurm.
#include <algorithm>

#include "gui/runs/catalogue.h"
#include "tests/gui/slurm/fake_programs.h"
#include "tests/integration/agent/agent_rig.h"
#include "tests/integration/cli/cli_rig.h"
#include "tests/support/catch.h"

using namespace ringside;
using namespace ringside::testing;

namespace {

constexpr const char* kSrun = R"(nodes=1
while :; do
  case "$1" in
    --nodes=*) nodes=${1#--nodes=}; shift ;;
    --*) shift ;;
    *) break ;;
  esac
done
node=0
agents=
while [ "$node" -lt "$nodes" ]; do
  SLURM_NODEID=$node "$@" &
  agents="$agents $!"
  node=$((node + 1))
done
code=0
for agent in $agents; do wait "$agent" || code=$?; done
exit "$code"
)";

constexpr const char* kSbatch = R"sh(for word; do
  case "$word" in --nodes=*) nodes=${word#--nodes=} ;; esac
done
job=$(grep -c . "$0.calls")
exec 9>"$0.lock.$job"
flock 9
(
  [ "$job" = 1 ] || flock "$0.lock.$((job - 1))" true
  SLURM_JOB_NUM_NODES=$nodes /bin/sh "$word"
) >/dev/null 2>&1 </dev/null &
echo "$job"
)sh";

constexpr const char* kSqueue = R"(for job in 1 2 3 4 12; do echo "$job|RUNNING|n1|None"; done
)";

struct SlurmRig : CliRig {
  slurm::Variable programs{"PATH", (path() / "fakes").string() + ":/usr/bin:/bin"};
  slurm::Variable configured{"SLURM_CONF", "/dev/null"};

  SlurmRig() {
    program("srun", kSrun);
    program("sbatch", kSbatch);
    program("squeue", kSqueue);
  }
  /// It notes its words in a file beside it, and does this.
  void program(const std::string& name, const std::string& does) const {
    const auto file = path() / "fakes" / name;
    std::filesystem::create_directories(file.parent_path());
    REQUIRE(write_text_atomically(file, "#!/bin/sh\necho \"$*\" >> \"$0.calls\"\n" + does, 0700));
  }
  std::string called(const std::string& name) const {
    return text_of(path() / "fakes" / (name + ".calls"));
  }
  launch::Captured with_slurm(std::vector<std::string> words) const {
    words.insert(words.end(), {"--slurm", "--set", "devices.interface=lo", "--json"});
    return ringside(std::move(words));
  }
};

/// What a shell of `salloc --nodes=2` has.
struct InAllocation {
  slurm::Variable job{"SLURM_JOB_ID", "12"};
  slurm::Variable nodes{"SLURM_JOB_NUM_NODES", "2"};
  slurm::Variable list{"SLURM_JOB_NODELIST", "n[1-2]"};
  slurm::Variable cores{"SLURM_JOB_CPUS_PER_NODE", "1(x2)"};
};

void refuses(const launch::Captured& captured, const std::string& why) {
  INFO(captured.errors);
  CHECK(captured.exit_code == 2);
  CHECK(captured.errors.find(why) != std::string::npos);
  CHECK(std::count(captured.errors.begin(), captured.errors.end(), '\n') == 1);
}

}  // namespace

TEST_CASE("inside an allocation runs are its steps, the baseline first and on one node") {
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

TEST_CASE("a step that failed is resumed in the allocation, not outside of it") {
  SlurmRig rig;
  const auto what =
      rig.experiment(2, {"--steps=20", "--exit-at=10", "--only-rank=1", "--before-attempt=1"});
  {
    const InAllocation shell;
    const auto first = rig.with_slurm({"run", what});
    INFO(first.errors);
    CHECK(first.exit_code == 1);
  }
  refuses(rig.ringside({"resume", "last"}), "salloc");
  const InAllocation shell;
  const auto again = rig.ringside({"resume", "last"});
  INFO(again.errors);
  CHECK(again.exit_code == 0);
  CHECK(rig.called("sbatch").empty());
}

TEST_CASE("what cannot be done inside an allocation is one clear sentence") {
  SlurmRig rig;
  const InAllocation shell;
  const auto what = rig.experiment(2, {"--steps=20"});
  refuses(rig.with_slurm({"run", what, "--partition", "gpu"}),
          "--partition cannot be chosen inside an allocation: this is Slurm job 12");
  refuses(rig.with_slurm({"run", what, "--nodes", "3"}), "--nodes 3");
  refuses(rig.with_slurm({"sweep", what, "--world", "1,2"}), "from outside of an allocation");
  CHECK(rig.called("srun").empty());
  const auto here = rig.ringside({"run", rig.experiment(1, {"--steps=5"})});
  CHECK(here.exit_code == 0);
  CHECK(here.errors.find("stays on this machine; --slurm takes them all") != std::string::npos);
}

TEST_CASE("a study is a job for each run, each after the end of the one before") {
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
    refuses(rig.ringside({"sweep", "S-01", "--repeats", "2"}), "from outside of an allocation");
  }
  // More of it goes to Slurm as well.
  const auto more = rig.ringside({"sweep", "S-01", "--repeats", "2", "--json"});
  INFO(more.errors);
  CHECK(more.exit_code == 0);
  const std::string all = rig.called("sbatch");
  CHECK(std::count(all.begin(), all.end(), '\n') == 4);
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
  CHECK(rig.called("sbatch").empty());
}

TEST_CASE("jobs before the one that sbatch refuses are taken out of the queue") {
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
