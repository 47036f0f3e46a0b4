#include "gui/slurm/options.h"

#include <algorithm>

#include "protocol/messages/spec/node_ranks.h"
#include "tests/support/catch.h"

using namespace ringside;
using namespace ringside::slurm;
using Words = std::vector<std::string>;

namespace {

const JobPlaces kPlaces{"/usr/bin/sbatch", "/runs/20261121T134005Z-7f3a1c",
                        "/opt/bin/ringside-agent"};

// The reviewed script, byte for byte.
constexpr const char* kGolden = R"(#!/bin/sh
# What Ringside submits, the same for every run: an agent on each node of the job, which starts the ranks there. Options
# are those of sbatch; values come through the environment (RINGSIDE_SLURM_AGENT, _RUN, _REQUEUE). srun does not take
# over the cores of a task by itself. The agent of the first node leaves the file, and 75, where the run goes on later; srun
# answers with the highest code, 137 where another node's agent was killed. The step has the name of the run: inside an
# allocation, where the same script starts it, it is one of several.
again="$RINGSIDE_SLURM_RUN/slurm.again"
rm -f "$again"
srun --job-name="ringside-${RINGSIDE_SLURM_RUN##*/}" --nodes="$SLURM_JOB_NUM_NODES" --ntasks="$SLURM_JOB_NUM_NODES" --ntasks-per-node=1 \
  --cpus-per-task="${SLURM_CPUS_PER_TASK:-1}" --kill-on-bad-exit=0 \
  "$RINGSIDE_SLURM_AGENT" ${RINGSIDE_SLURM_REQUEUE:+"--requeue=$again"} "$RINGSIDE_SLURM_RUN"
code=$?
if [ "$code" -eq 75 ] || [ -e "$again" ]; then
  scontrol requeue "$SLURM_JOB_ID" || code=0
fi
exit "$code"
)";

messages::RunSpec options_two_nodes() {
  messages::RunSpec spec;
  spec.devices.kind = "cpu";
  spec.devices.world_size = 2;
  spec.devices.nodes = 2;
  return spec;
}

bool options_has(const Words& argv, const std::string& word) {
  return std::find(argv.begin(), argv.end(), word) != argv.end();
}

/// Hostile texts, each on one line; 50 together with those of `controls`.
Words hostile_lines() {
  Words texts = {"$(touch pwned)",
                 "`touch pwned`",
                 "; touch pwned",
                 "| touch pwned",
                 "&& touch pwned",
                 "'",
                 "\"",
                 "\\",
                 "\\\\",
                 "' ; touch pwned '",
                 "\" ; touch pwned \"",
                 "${IFS}touch",
                 "#",
                 "#SBATCH --wrap=id",
                 "--wrap=touch pwned",
                 "-p",
                 "--",
                 "*",
                 "?",
                 "[a-z]",
                 "~",
                 "~root",
                 "../../etc",
                 "/etc/passwd",
                 "%j",
                 "%%",
                 "%x/%u",
                 "a b",
                 " leading",
                 "trailing ",
                 "a=b",
                 "=",
                 ",",
                 "a,b,c",
                 "PATH=/tmp",
                 "\xc3\xa4\xc3\xb6",
                 "\xe2\x80\xae",
                 "\xf0\x9f\x92\xa5",
                 "<(id)",
                 "> file",
                 "2>&1",
                 "{a,b}",
                 "!!",
                 std::string(4096, 'x')};
  return texts;
}

Words controls() {
  return {"a\nb", "a\rb", "a\tb", std::string("a\0b", 3), "\x1b[31m", "a\x7f", "\xff\xfe"};
}

}  // namespace

TEST_CASE("S7: the script is the same bytes whatever options are given") {
  CHECK(std::string(kScript) == kGolden);
  CHECK(hostile_lines().size() + controls().size() >= 50);
}

TEST_CASE(
    "S7: a hostile text is one argument of sbatch or refused, and never gets into the script") {
  for (const std::string& text : hostile_lines()) {
    Options options;
    options.partition = options.account = options.time = options.qos = options.constraint = text;
    options.more = {"comment=" + text};
    CAPTURE(text);
    REQUIRE(check_options(options));
    JobPlaces places = kPlaces;
    places.folder = "/runs/" + text + "/20261121T134005Z-7f3a1c";
    places.agent = "/opt/" + text + "/ringside-agent";
    REQUIRE(check_places(places));
    const Words argv = sbatch_argv(places, options, options_two_nodes());
    CHECK(argv.size() == 18);
    CHECK(options_has(argv, "--partition=" + text));
    CHECK(options_has(argv, "--account=" + text));
    CHECK(options_has(argv, "--time=" + text));
    CHECK(options_has(argv, "--qos=" + text));
    CHECK(options_has(argv, "--constraint=" + text));
    CHECK(options_has(argv, "--comment=" + text));
    CHECK(options_has(argv, "--job-name=ringside-20261121T134005Z-7f3a1c"));
    CHECK(argv.back() == places.folder + "/slurm.sh");
    const Words environment = job_environment(places, options);
    CHECK(environment.front() == "RINGSIDE_SLURM_AGENT=" + places.agent);
    CHECK(options_has(environment, "RINGSIDE_SLURM_RUN=" + places.folder));
    CHECK(std::string(kScript) == kGolden);
  }
}

TEST_CASE("S7: control characters and invalid UTF-8 are a bad request in every option") {
  for (const std::string& text : controls()) {
    CAPTURE(text);
    for (auto value : {&Options::partition, &Options::account, &Options::time, &Options::qos,
                       &Options::constraint}) {
      Options options;
      options.*value = text;
      const auto fine = check_options(options);
      REQUIRE_FALSE(fine);
      CHECK(fine.error().kind == ErrorKind::kRequest);
    }
    Options more;
    more.more = {"mem=" + text};
    CHECK_FALSE(check_options(more));
    CHECK_FALSE(check_places({"/usr/bin/sbatch", "/runs/" + text, "/opt/agent"}));
    CHECK_FALSE(check_places({"/usr/bin/sbatch", "/runs/a", "/opt/" + text}));
  }
}

TEST_CASE("further options must be long names of sbatch, and not those that Ringside sets") {
  for (const char* fine : {"mem=8G", "exclusive", "no-requeue", "mail-user=a b@c", "gres=gpu:2"})
    CHECK(check_options({.more = {fine}}));
  for (const char* wrong : {"", "=", "-p x", "--mem=8G", "Mem=8G", "mem 8G", "wrap=id", "output=/x",
                            "array=1-9", "export=NONE", "parsable", "signal=9@1", "nodes=2"})
    CHECK_FALSE(check_options({.more = {wrong}}));
}

TEST_CASE("abbreviations of options that Ringside sets or reads are refused") {
  const auto refusal = [](const char* option) {
    Options options;
    options.more = {option};
    const auto fine = check_options(options);
    return fine ? std::string("fine") : fine.error().message;
  };
  for (const char* ours : {"arra=1-3", "expor=NONE", "export-f=x", "sig=KILL", "wai", "outp=x"})
    CHECK(refusal(ours).find("is set by Ringside itself") != std::string::npos);
  CHECK(refusal("arra=1-3").starts_with("--sbatch-option arra, short for array,"));
  CHECK(refusal("tim=1") == "--sbatch-option tim must be written as a whole: time");
  CHECK(refusal("no-requeu") == "--sbatch-option no-requeu must be written as a whole: no-requeue");
  CHECK(refusal("depend=after:1") ==
        "--sbatch-option depend must be written as a whole: dependency");
  for (const char* clusters : {"clusters=c2", "cluster=c2"})
    CHECK(refusal(clusters).find("follows the jobs of one cluster") != std::string::npos);
  CHECK(refusal("M=c2") != "fine");
  for (const char* others : {"time=30", "no-requeue", "nodelist=n1", "time-min=10", "requeue",
                             "wait-all-nodes=1", "exclusive", "mem=8G", "cluster-constraint=x"})
    CHECK(refusal(others) == "fine");
}

TEST_CASE("sbatch gets the expected arguments for two nodes of CPU ranks") {
  Options options;
  options.time = "1:00:00";
  options.more = {"mem=8G"};
  CHECK(sbatch_argv(kPlaces, options, options_two_nodes()) ==
        Words{"/usr/bin/sbatch", "--parsable", "--export=ALL",
              "--job-name=ringside-20261121T134005Z-7f3a1c",
              "--output=/runs/20261121T134005Z-7f3a1c/slurm.out", "--open-mode=append",
              "--signal=USR1@120", "--requeue", "--nodes=2", "--ntasks-per-node=1",
              "--cpus-per-task=1", "--time=1:00:00", "--mem=8G",
              "/runs/20261121T134005Z-7f3a1c/slurm.sh"});
}

TEST_CASE("a job of a study waits for the end of the one before it, however that ended") {
  CHECK(
      options_has(sbatch_argv(kPlaces, {}, options_two_nodes(), "12"), "--dependency=afterany:12"));
  for (const std::string& word : sbatch_argv(kPlaces, {}, options_two_nodes()))
    CHECK(word.find("--dependency") == std::string::npos);
  // A person's own dependency would let all jobs begin at once, so only the first job has it.
  const Options own{.more = {"dependency=afterok:5"}};
  CHECK(options_has(sbatch_argv(kPlaces, own, options_two_nodes()), "--dependency=afterok:5"));
  CHECK_FALSE(
      options_has(sbatch_argv(kPlaces, own, options_two_nodes(), "12"), "--dependency=afterok:5"));
}

TEST_CASE("a rank gets cores for its threads, and one on a GPU also for its data loader workers") {
  auto spec = options_two_nodes();
  spec.devices.world_size = 4;
  spec.devices.threads = 3;
  CHECK(options_has(sbatch_argv(kPlaces, {}, spec), "--cpus-per-task=6"));
  spec.devices.kind = "cuda";
  spec.data.workers = 2;
  const Words argv = sbatch_argv(kPlaces, {}, spec);
  CHECK(options_has(argv, "--cpus-per-task=10"));
  CHECK(options_has(argv, "--gpus-per-node=2"));
}

TEST_CASE("a % in the path of the output is not a pattern of Slurm's") {
  const Words argv = sbatch_argv({"sbatch", "/runs/50%j/x", "agent"}, {}, options_two_nodes());
  CHECK(options_has(argv, "--output=/runs/50%%j/x/slurm.out"));
}

TEST_CASE("GPUs per node give as many ranks, and no GPU of this machine is named") {
  messages::RunSpec spec;
  spec.devices.kind = "auto";
  spec.devices.ids = {"GPU-1", "GPU-2"};
  const auto gpus = on_cluster(spec, {.nodes = 2, .gpus_per_node = 4});
  CHECK(gpus.devices.kind == "cuda");
  CHECK(gpus.devices.nodes == 2);
  CHECK(gpus.devices.world_size == 8);
  CHECK(gpus.devices.ids.empty());
  const auto cpus = on_cluster(spec, {.nodes = 4});
  CHECK(cpus.devices.kind == "cpu");
  CHECK(cpus.devices.world_size == 4);
  CHECK(on_cluster(spec, {}).devices.nodes == 1);
}

TEST_CASE("a run rehearsed on virtual nodes has real nodes as a job") {
  auto spec = options_two_nodes();
  spec.devices.world_size = 4;
  spec.devices.virtual_nodes = true;
  for (const Options& options : {Options{}, Options{.nodes = 2}, Options{.gpus_per_node = 2}}) {
    const auto there = on_cluster(spec, options);
    CHECK_FALSE(there.devices.virtual_nodes);
    CHECK_FALSE(messages::has_virtual_nodes(there));
    CHECK(there.devices.nodes == 2);
    CHECK(there.devices.world_size == 4);
  }
}

TEST_CASE("a job is requeued unless a person says otherwise") {
  CHECK(requeues({}));
  CHECK_FALSE(requeues({.more = {"no-requeue"}}));
  CHECK(job_environment(kPlaces, {.more = {"no-requeue"}}).back() == "RINGSIDE_SLURM_REQUEUE=");
  CHECK(job_environment(kPlaces, {}).back() == "RINGSIDE_SLURM_REQUEUE=1");
}
