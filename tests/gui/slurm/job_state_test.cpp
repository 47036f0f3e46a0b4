// Output of Slurm's programs as recorded (22.05); what could not be produced here is taken from
// their manual pages.
#include "gui/slurm/job_state.h"

#include "tests/support/catch.h"

using namespace ringside;
using namespace ringside::slurm;

TEST_CASE("squeue's lines become jobs, and others are left out") {
  const Queue queue = parse_squeue(
      "2|PENDING||Dependency\n"
      "3|PENDING||JobHeldUser\n"
      "1|RUNNING|n[1-2]|None\n"
      "7|PENDING||ReqNodeNotAvail, UnavailableNodes:n[1-2]\n"
      "slurm_load_jobs error: Unexpected message received\n"
      "|COMPLETED|n1|None\n"
      "9||n1|None\n"
      "8|COMPLETED|n1");
  CHECK(queue.size() == 5);
  CHECK(queue.at("1") == JobReport{"RUNNING", "None", "n[1-2]"});
  CHECK(queue.at("7").reason == "ReqNodeNotAvail, UnavailableNodes:n[1-2]");
  CHECK(queue.at("8") == JobReport{"COMPLETED", "", "n1"});
  CHECK(parse_squeue("").empty());
  CHECK(parse_squeue("\n\n").empty());
}

TEST_CASE("sacct's answer is the job's state, not its steps', and the newest of requeued jobs") {
  const std::string told =
      "12|NODE_FAIL|n[1-2]\n"
      "12.batch|CANCELLED|n1\n"
      "13|COMPLETED|n1\n"
      "12|CANCELLED by 1003|None assigned\n";
  CHECK(parse_sacct(told, "12") == JobReport{"CANCELLED by 1003", "", ""});
  CHECK(parse_sacct(told, "13")->state == "COMPLETED");
  CHECK_FALSE(parse_sacct(told, "1"));
  CHECK_FALSE(parse_sacct("Slurm accounting storage is disabled\n", "1"));
  CHECK_FALSE(parse_sacct("", "1"));
}

TEST_CASE("scontrol reports state, reason and nodes") {
  const auto report = parse_scontrol(
      "JobId=1 JobName=x UserId=root(0) JobState=NODE_FAIL Reason=NodeDown Dependency=(null) "
      "ReqNodeList=(null) ExcNodeList=(null) NodeList=n[1-2] BatchHost=n1 NumNodes=2\n");
  REQUIRE(report);
  CHECK(*report == JobReport{"NODE_FAIL", "NodeDown", "n[1-2]"});
  CHECK(parse_scontrol("JobState=PENDING Reason=Priority NodeList=(null)")->nodes.empty());
  CHECK_FALSE(parse_scontrol("slurm_load_jobs error: Invalid job id specified\n"));
  CHECK_FALSE(parse_scontrol(""));
}

TEST_CASE(
    "job numbers are found in the output of sbatch and of a site, with or without a cluster name") {
  using Jobs = std::vector<std::string>;
  CHECK(parse_submitted("12\n") == Jobs{"12"});
  CHECK(parse_submitted("12;cluster\n") == Jobs{"12"});
  CHECK(parse_submitted("Welcome!\r\n12\r\nBye\n12") == Jobs{"12"});
  CHECK(parse_submitted("Submitted batch job 12 on cluster c\n") == Jobs{"12"});
  CHECK(parse_submitted("4711\n\n12") == Jobs{"4711", "12"});
  for (const char* wrong : {"", "\n", "a12", "12a", "-1", "0", ";cluster", "job 12", "12 13"})
    CHECK(parse_submitted(wrong).empty());
}

TEST_CASE("every state of Slurm has a phase and words") {
  const struct {
    const char* state;
    JobPhase phase;
    const char* words;
  } rows[] = {
      {"CONFIGURING", JobPhase::kRunning, "its nodes are being made ready"},
      {"RUNNING", JobPhase::kRunning, "running"},
      {"COMPLETING", JobPhase::kRunning, "ending"},
      {"SUSPENDED", JobPhase::kRunning, "suspended: its processes are paused"},
      {"REQUEUED", JobPhase::kWaiting, "back in the queue"},
      {"COMPLETED", JobPhase::kFinished, "completed"},
      {"FAILED", JobPhase::kFailed, "failed"},
      {"OUT_OF_MEMORY", JobPhase::kFailed, "out of memory: Slurm's limit was reached"},
      {"CANCELLED", JobPhase::kCancelled, "cancelled"},
      {"CANCELLED+", JobPhase::kCancelled, "cancelled"},
      {"CANCELLED by 0", JobPhase::kCancelled, "cancelled by root"},
      {"CANCELLED by 4294967294", JobPhase::kCancelled, "cancelled by uid 4294967294"},
      {"TIMEOUT", JobPhase::kCut, "its time limit was reached"},
      {"DEADLINE", JobPhase::kCut, "its deadline passed"},
      {"NODE_FAIL", JobPhase::kCut, "one of its nodes failed"},
      {"BOOT_FAIL", JobPhase::kCut, "its nodes did not boot"},
      {"PREEMPTED", JobPhase::kCut, "preempted by a job that goes first"},
      {"LAUNCH_FAILED", JobPhase::kFailed, "its nodes could not start it"},
      {"RECONFIG_FAIL", JobPhase::kFailed, "its nodes could not be made ready"},
      {"REVOKED", JobPhase::kCut, "taken back here: another cluster of the federation has it"},
      {"POWER_UP_NODE", JobPhase::kRunning, "its nodes are being switched on"},
      {"RESV_DEL_HOLD", JobPhase::kWaiting, "held: the reservation that it waited for was deleted"},
      {kForgotten, JobPhase::kCut, "Slurm does not know it any more"},
      {"", JobPhase::kUnknown, "its state is not known yet"},
      {"NEW_IN_99", JobPhase::kUnknown, "NEW_IN_99"},
  };
  for (const auto& row : rows) {
    CAPTURE(row.state);
    const JobReport report{row.state, "None", ""};
    CHECK(phase_of(report) == row.phase);
    CHECK(words_of(report) == row.words);
    CHECK(is_over(phase_of(report)) == (row.phase >= JobPhase::kFinished));
  }
}

TEST_CASE("known reasons why a job waits are put in words, others are shown as Slurm names them") {
  const auto words = [](const char* reason) { return words_of({"PENDING", reason, ""}); };
  CHECK(words("Resources") == "waiting for resources");
  CHECK(words("Priority") == "waiting, other jobs go first");
  CHECK(words("BeginTime") == "waiting until it may begin");
  CHECK(words("JobHeldUser") == "held by its owner: `scontrol release` lets it start");
  CHECK(words("None") == "waiting");
  CHECK(words("") == "waiting");
  CHECK(words("QOSMaxCpuPerUserLimit") ==
        "waiting, a limit of its quality of service is reached (QOSMaxCpuPerUserLimit)");
  CHECK(words("AssocGrpGRES") == "waiting, a limit of its account is reached (AssocGrpGRES)");
  CHECK(words("ReqNodeNotAvail, UnavailableNodes:n1") ==
        "nodes that it needs are not available (ReqNodeNotAvail, UnavailableNodes:n1)");
  CHECK(words("Whatever\x1b[31m") == "waiting (Whatever\\x1b[31m)");
}

// The text is that of `scontrol --oneliner show job` of 22.05; other versions write gpu:2 and
// gres/gpu:2.
TEST_CASE("GPUs of a job that its shell does not know are read from scontrol") {
  const auto gpus = [](const std::string& words) {
    return parse_gpus_per_node("JobId=12 JobState=RUNNING NumNodes=2 NumCPUs=4 " + words + "\n");
  };
  CHECK(gpus("TRES=cpu=4,node=2 TresPerNode=gres:gpu:2") == 2);
  CHECK(gpus("TresPerNode=gpu:2") == 2);
  CHECK(gpus("TresPerNode=gres/gpu:a100:2,gres/nvme:1") == 2);
  CHECK(gpus("TresPerNode=gres:gpu:a100:2,gres:gpu:v100:1") == 3);
  CHECK(gpus("TresPerNode=gres:gpu") == 1);
  CHECK(gpus("TresPerNode=gres:gpumem:80") == 0);
  CHECK(gpus("TresPerJob=gres:gpu:8") == 4);
  CHECK(gpus("AllocTRES=cpu=4,node=2,gres/gpu=8,gres/gpu:a100=8") == 4);
  CHECK(gpus("TRES=cpu=4,node=2,gres/gpu=8") == 4);
  CHECK(gpus("TRES=cpu=4,node=2") == 0);
  CHECK(parse_gpus_per_node("") == 0);
}
