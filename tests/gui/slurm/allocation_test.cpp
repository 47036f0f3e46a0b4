#include "gui/slurm/allocation.h"

#include <algorithm>
#include <map>

#include "gui/launch/plan.h"
#include "tests/support/catch.h"

using namespace ringside;
using namespace ringside::slurm;

namespace {

using Set = std::map<std::string, std::string>;

std::optional<Allocation> found(const Set& set) {
  return find_allocation([&set](const char* name) {
    const auto at = set.find(name);
    return at == set.end() ? nullptr : at->second.c_str();
  });
}

Allocation two_nodes() { return {"12", "n[1-2]", 2, 8, 4}; }

bool has(const std::vector<std::string>& words, const std::string& word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

}  // namespace

TEST_CASE("outside of an allocation no allocation is found") {
  CHECK_FALSE(found({}));
  CHECK_FALSE(found({{"SLURM_JOB_ID", ""}}));
  CHECK_FALSE(found({{"SLURM_JOB_ID", "of mine"}}));
  CHECK_FALSE(found({{"SLURM_CONF", "/etc/slurm.conf"}, {"SLURM_JOB_NUM_NODES", "2"}}));
}

// Recorded from `salloc -N2` on two nodes of one core.
TEST_CASE("nodes and cores of an allocation are read from the environment of salloc's shell") {
  const auto allocation = found({{"SLURM_JOB_ID", "1"},
                                 {"SLURM_JOB_NUM_NODES", "2"},
                                 {"SLURM_NNODES", "2"},
                                 {"SLURM_JOB_NODELIST", "n[1-2]"},
                                 {"SLURM_JOB_CPUS_PER_NODE", "1(x2)"}});
  REQUIRE(allocation);
  CHECK(allocation->job == "1");
  CHECK(allocation->node_list == "n[1-2]");
  CHECK(allocation->nodes == 2);
  CHECK(allocation->cores_per_node == 1);
  CHECK(allocation->gpus_per_node == 0);
}

TEST_CASE("the cores per node are the fewest of all nodes") {
  const auto cores = [](const char* text) {
    return found({{"SLURM_JOB_ID", "1"}, {"SLURM_JOB_CPUS_PER_NODE", text}})->cores_per_node;
  };
  CHECK(cores("72(x2),36") == 36);
  CHECK(cores("36,72(x2)") == 36);
  CHECK(cores("64") == 64);
  CHECK(cores("") == 1);
  CHECK(cores("?") == 1);
}

TEST_CASE("GPUs per node are found however they were asked for") {
  const auto gpus = [](const char* name, const char* text) {
    return found({{"SLURM_JOB_ID", "1"}, {"SLURM_JOB_NUM_NODES", "2"}, {name, text}})
        ->gpus_per_node;
  };
  CHECK(gpus("SLURM_GPUS_ON_NODE", "4") == 4);
  CHECK(gpus("SLURM_GPUS_PER_NODE", "4") == 4);
  CHECK(gpus("SLURM_GPUS_PER_NODE", "a100:4") == 4);
  CHECK(gpus("SLURM_GPUS_PER_NODE", "a100:2,v100:2") == 4);
  CHECK(gpus("SLURM_GPUS", "8") == 4);
  CHECK(gpus("SLURM_GPUS", "a100:8") == 4);
  CHECK(gpus("SLURM_GPUS", "many") == 0);
}

TEST_CASE("a run takes the nodes and GPUs of the allocation, or fewer") {
  const auto whole = within(two_nodes(), {}, "auto");
  REQUIRE(whole);
  CHECK(whole->nodes == 2);
  CHECK(whole->gpus_per_node == 4);
  const auto part = within(two_nodes(), {.nodes = 1, .gpus_per_node = 2}, "cuda");
  REQUIRE(part);
  CHECK(part->nodes == 1);
  CHECK(part->gpus_per_node == 2);
  CHECK(within(two_nodes(), {}, "cpu")->gpus_per_node == 0);
  Allocation silent = two_nodes();
  silent.gpus_per_node = 0;
  CHECK(within(silent, {.gpus_per_node = 4}, "auto")->gpus_per_node == 4);
}

TEST_CASE("options that need a new Slurm job are refused inside an allocation") {
  for (const Options& asked :
       {Options{.partition = "gpu"}, Options{.account = "lab"}, Options{.time = "60"},
        Options{.qos = "high"}, Options{.constraint = "a100"}, Options{.more = {"mem=8G"}}}) {
    const auto options = within(two_nodes(), asked, "auto");
    REQUIRE_FALSE(options);
    CHECK(options.error().kind == ErrorKind::kRequest);
    CHECK(options.error().message.find("inside an allocation: this is Slurm job 12") !=
          std::string::npos);
  }
  const auto nodes = within(two_nodes(), {.nodes = 3}, "auto");
  REQUIRE_FALSE(nodes);
  CHECK(nodes.error().message == "--nodes 3: Slurm job 12, inside which this is, has 2");
  CHECK_FALSE(within(two_nodes(), {.gpus_per_node = 5}, "auto"));
}

// `salloc --gres=gpu:4` sets no variable that names a GPU.
TEST_CASE("what Slurm reports about an allocation overrides the shell's environment") {
  Allocation silent = two_nodes();
  silent.gpus_per_node = 0;
  const auto told =
      with_news(silent, "JobId=12 JobState=RUNNING NumNodes=2 TresPerNode=gres:gpu:4");
  CHECK(told.gpus_per_node == 4);
  CHECK(told.ended.empty());
  CHECK(with_news(two_nodes(), "JobState=RUNNING TresPerNode=gres:gpu:2").gpus_per_node == 4);
  CHECK(with_news(silent, "") == silent);
}

TEST_CASE(
    "GPUs that no variable names are unknown until Slurm reports them, and auto waits for that") {
  const auto shell = found({{"SLURM_JOB_ID", "12"}, {"SLURM_JOB_NUM_NODES", "2"}});
  REQUIRE(shell);
  CHECK_FALSE(shell->gpus_unknown.empty());
  const auto silent = without_news(*shell, "scontrol: Unable to contact slurm controller");
  CHECK(silent.ended.empty());
  const auto refused = within(silent, {}, "auto");
  REQUIRE_FALSE(refused);
  CHECK(refused.error().kind == ErrorKind::kFailure);
  CHECK(
      refused.error().message ==
      "it is not known how many GPUs Slurm job 12, inside which this is, has (scontrol: Unable to "
      "contact slurm controller): try again, or say it with --gpus-per-node, or devices.kind=cpu");
  CHECK(within(silent, {}, "cpu")->gpus_per_node == 0);
  CHECK(within(silent, {.gpus_per_node = 4}, "auto")->gpus_per_node == 4);
  CHECK(within(with_news(silent, "JobState=RUNNING NumNodes=2"), {}, "auto")->gpus_per_node == 0);
  // The values of the shell's environment hold if Slurm does not answer.
  const auto told = found({{"SLURM_JOB_ID", "12"}, {"SLURM_GPUS_ON_NODE", "4"}});
  CHECK(within(without_news(*told, "no"), {}, "auto")->gpus_per_node == 4);
}

TEST_CASE("an allocation that Slurm has forgotten is over") {
  const auto over =
      without_news(two_nodes(), "scontrol: slurm_load_jobs error: Invalid job id specified");
  CHECK(over.ended == "Slurm does not know it any more");
  CHECK_FALSE(within(over, {}, "auto"));
}

TEST_CASE("nothing starts in an allocation that is over, and the error says why it is over") {
  const auto over = with_news(two_nodes(), "JobId=12 JobState=TIMEOUT Reason=TimeLimit");
  const auto options = within(over, {}, "auto");
  REQUIRE_FALSE(options);
  CHECK(options.error().kind == ErrorKind::kRequest);
  CHECK(options.error().message ==
        "Slurm job 12, inside which this is, is over: its time limit was reached; `salloc` makes "
        "another");
}

TEST_CASE("an allocation is described in words") {
  CHECK(name_of(two_nodes()) == "Slurm job 12");
  CHECK(nodes_of(two_nodes()) == "n[1-2], 2 nodes with 4 GPUs each");
  CHECK(nodes_of({"12", "n1", 1, 8, 1}) == "n1, 1 node with 1 GPU");
  CHECK(nodes_of({"12", {}, 2, 8, 0}) == "2 nodes");
}

TEST_CASE("GPUs that only steps see are named where ranks would silently run on the CPU") {
  launch::Machine machine;
  machine.driver_problem = "no NVIDIA driver here";
  const auto seen = seen_inside(machine, two_nodes());
  CHECK(seen.gpu_expected);
  CHECK(seen.driver_problem.find("Slurm job 12, inside which this is, has 4 on each node") !=
        std::string::npos);
  messages::RunSpec spec;
  spec.devices.kind = "auto";
  CHECK(launch::cpu_fallback(spec, seen).find("ringside run --slurm") != std::string::npos);
  CHECK(launch::cpu_fallback(spec, machine).empty());
  Allocation none = two_nodes();
  none.gpus_per_node = 0;
  CHECK_FALSE(seen_inside(machine, none).gpu_expected);
  CHECK_FALSE(seen_inside(machine, std::nullopt).gpu_expected);
  machine.gpus.resize(1);
  CHECK_FALSE(seen_inside(machine, two_nodes()).gpu_expected);
}

TEST_CASE("steps get the cores of a node and none of the variables for a person's own tasks") {
  const auto words = steps_words(two_nodes(), "/opt/bin/ringside-agent",
                                 {{"/runs/first", 1}, {"/runs/a b; 'c'", 2}});
  CHECK(has(words, "RINGSIDE_SLURM_AGENT=/opt/bin/ringside-agent"));
  CHECK(has(words, "RINGSIDE_SLURM_REQUEUE="));
  CHECK(has(words, "SLURM_CPUS_PER_TASK=8"));
  CHECK(has(words, "SLURM_OVERLAP=1"));
  const auto gone = std::find(words.begin(), words.end(), "SLURM_CPU_BIND");
  REQUIRE(gone != words.end());
  CHECK(*(gone - 1) == "-u");
  const std::vector<std::string> end(words.end() - 7, words.end());
  CHECK(end == std::vector<std::string>{"-c", kSteps, "ringside-steps", "1", "/runs/first", "2",
                                        "/runs/a b; 'c'"});
}

TEST_CASE("the end of a step is its exit code, or the cancellation of a step that never began") {
  CHECK_FALSE(parse_exit(""));
  CHECK_FALSE(parse_exit("\n"));
  CHECK(parse_exit("0\n") == JobReport{"COMPLETED", {}, {}});
  CHECK(parse_exit("1\n") == JobReport{"FAILED", {}, {}});
  CHECK(phase_of(*parse_exit("CANCELLED by 0\n")) == JobPhase::kCancelled);
}

// Recorded from squeue --noheader --steps --jobs=1 --format=%i|%j
TEST_CASE("the step of a run is found by its name") {
  const std::string told = "1.0|bash\n1.1|ringside-20261121T134005Z-7f3a1c\n";
  CHECK(find_step(told, "20261121T134005Z-7f3a1c", "") == "1.1");
  CHECK(find_step(told, "20261121T134005Z-7f3a1d", "").empty());
  CHECK(find_step("", "20261121T134005Z-7f3a1c", "").empty());
  // The name of a step does not identify the run if a person's own srun started it.
  CHECK(find_step(told, "20261121T134005Z-7f3a1d", "1.1") == "1.1");
  CHECK(find_step(told, "20261121T134005Z-7f3a1c", "1.9").empty());
  CHECK(find_step("12_3.0|train\n12_3.10|train\n", "20261121T134005Z-7f3a1c", "15.10") == "15.10");
}
