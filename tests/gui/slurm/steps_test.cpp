#include "gui/slurm/steps.h"

#include "gui/slurm/ask_program.h"
#include "protocol/host/files.h"
#include "tests/gui/slurm/fake_programs.h"

using namespace ringside;
using namespace ringside::slurm;

namespace {

/// Makes the run a step of an allocation that a person holds.
void make_step(const Rig& rig) {
  JobFile file{"12", {}, 1, {}};
  file.is_step = true;
  REQUIRE(write_job_file(rig.run, file));
}

void ended(const Rig& rig, const std::string& text) {
  REQUIRE(write_text_atomically(rig.run.path() / kExitFile, text));
}

void put_script(const runlog::RunFolder& run) {
  std::filesystem::create_directories(run.path());
  REQUIRE(write_text_atomically(run.path() / kScriptFile, kScript, 0700));
}

std::string exit_of(const runlog::RunFolder& run) {
  return read_text(run.path() / kExitFile).value_or("none");
}

}  // namespace

TEST_CASE("steps run one after the other with the script of every job, each on its nodes") {
  Rig rig;
  rig.program("srun", "srun was here", 1);
  const runlog::RunFolder second(rig.run.path().parent_path() / "20261121T134006Z-a b");
  put_script(rig.run);
  put_script(second);
  const Allocation allocation{"12", "n[1-2]", 2, 8, 0};
  const auto told =
      ask_program("env", steps_words(allocation, "/opt/ringside-agent",
                                     {{rig.run.path().string(), 1}, {second.path().string(), 2}}));
  REQUIRE(told);
  const auto line = [](const runlog::RunFolder& run, const std::string& nodes) {
    return "--job-name=ringside-" + run.id() + " --nodes=" + nodes + " --ntasks=" + nodes +
           " --ntasks-per-node=1 --cpus-per-task=8 --kill-on-bad-exit=0 /opt/ringside-agent " +
           run.path().string() + "\n";
  };
  CHECK(rig.called("srun") == line(rig.run, "1") + line(second, "2"));
  CHECK(exit_of(rig.run) == "1\n");
  CHECK(exit_of(second) == "1\n");
  CHECK(read_text(second.path() / kOutputFile).value() == "srun was here\n");
}

TEST_CASE("a step that was taken out before it began is skipped") {
  Rig rig;
  rig.program("srun", "");
  put_script(rig.run);
  ended(rig, "CANCELLED by 0\n");
  REQUIRE(ask_program("env", steps_words({"12", {}, 1, 1, 0}, "/opt/ringside-agent",
                                         {{rig.run.path().string(), 1}})));
  CHECK(rig.called("srun").empty());
  CHECK(exit_of(rig.run) == "CANCELLED by 0\n");
}

TEST_CASE("a step that has begun is not started again") {
  Rig rig;
  rig.program("srun", "");
  put_script(rig.run);
  ended(rig, "");
  REQUIRE(ask_program("env", steps_words({"12", {}, 1, 1, 0}, "/opt/ringside-agent",
                                         {{rig.run.path().string(), 1}})));
  CHECK(rig.called("srun").empty());
  CHECK(exit_of(rig.run).empty());
}

TEST_CASE("a step has its own recorded end, whatever Slurm says of the allocation") {
  Rig rig;
  rig.program("squeue", "12|RUNNING|n1|None");
  make_step(rig);
  rig.look();
  CHECK(job_of(rig.run)->phase == JobPhase::kWaiting);
  CHECK(words_of(job_of(rig.run)->report) == "its step has not begun");
  ended(rig, "");
  CHECK(job_of(rig.run)->phase == JobPhase::kRunning);
  ended(rig, "1\n");
  CHECK(job_of(rig.run)->phase == JobPhase::kFailed);
  CHECK(job_of(rig.run)->reported_wall_ns > 0);
  // Slurm is no longer asked on behalf of this run.
  rig.later();
  rig.look();
  const std::string calls = rig.called("squeue");
  CHECK(calls.find('\n') == calls.size() - 1);
}

TEST_CASE("a stop signals the step of the run, never the allocation") {
  Rig rig;
  rig.program("scancel", "");
  rig.program("squeue", "12.0|bash\n12.3|ringside-" + rig.run.id());
  make_step(rig);
  REQUIRE(ask_stop(rig.run, wire::StopMode::kGraceful));
  CHECK(rig.called("scancel") == "--signal=USR2 12.3\n");
  REQUIRE(ask_stop(rig.run, wire::StopMode::kNow));
  CHECK(rig.called("scancel") == "--signal=USR2 12.3\n12.3\n");
  CHECK(rig.called("squeue").starts_with("--noheader --steps --jobs=12 --format=%i|%j\n"));
  cancel(rig.run);
  CHECK(rig.called("scancel") == "--signal=USR2 12.3\n12.3\n");
}

TEST_CASE("a step that is stopped while it waits for the one before it never begins") {
  Rig rig;
  rig.program("scancel", "");
  rig.program("squeue", "12.0|bash");
  make_step(rig);
  REQUIRE(ask_stop(rig.run, wire::StopMode::kGraceful));
  CHECK(rig.called("scancel").empty());
  CHECK(exit_of(rig.run).starts_with("CANCELLED by "));
  CHECK(job_of(rig.run)->phase == JobPhase::kCancelled);
  // The step is over: there is nothing to stop.
  CHECK_FALSE(ask_stop(rig.run, wire::StopMode::kGraceful));
}

TEST_CASE("a step that is just beginning is signalled as soon as Slurm lists it") {
  Rig rig;
  rig.program("scancel", "");
  make_step(rig);
  ended(rig, "");
  const std::string calls = rig.calls("squeue").string();
  rig.program("squeue", "");
  rig.temp.write("bin/squeue", "#!/bin/sh\necho x >> '" + calls + "'\n[ \"$(grep -c x '" + calls +
                                   "')\" -lt 3 ] || echo '12.3|ringside-" + rig.run.id() + "'\n");
  REQUIRE(ask_stop(rig.run, wire::StopMode::kGraceful));
  CHECK(rig.called("squeue") == "x\nx\nx\n");
  CHECK(rig.called("scancel") == "--signal=USR2 12.3\n");
  CHECK(exit_of(rig.run).empty());
}

TEST_CASE("steps of existing folders do not begin after they were cancelled") {
  Rig rig;
  rig.program("srun", "");
  const auto start = [&rig](const launch::Cancelled& cancelled) {
    std::vector<launch::LockedFolder> runs;
    runs.push_back({rig.run, runlog::FolderLock::take(rig.run).value()});
    launch::Plan plan;
    plan.runs.resize(1);
    return start_step_folders(std::move(runs), plan, {}, {"12", "n1", 1, 1, 0}, SystemClock(),
                              cancelled);
  };
  const auto unwanted = start([] { return true; });
  REQUIRE_FALSE(unwanted);
  CHECK(unwanted.error().message == "no longer wanted: nothing was started");
  // The agent's program is missing, which is noticed before a folder becomes a step.
  const auto without = start({});
  REQUIRE_FALSE(without);
  CHECK(without.error().message.find("ringside-agent") != std::string::npos);
  CHECK_FALSE(read_job_file(rig.run));
  CHECK(exit_of(rig.run) == "none");
  CHECK(std::filesystem::exists(rig.run.path()));
  CHECK(rig.called("srun").empty());
}

TEST_CASE("continuing a study waits until Slurm has ended the step that was stopped") {
  Rig rig;
  rig.program("squeue", "12|RUNNING|n1|None");
  make_step(rig);
  rig.look();
  int asked = 0;
  const auto ends = [&] {
    if (++asked == 3) ended(rig, "0\n");
    return false;
  };
  wait_for_ends({rig.run}, ends);  // the step has not begun
  CHECK(asked == 0);
  ended(rig, "");
  wait_for_ends({rig.run}, ends);
  CHECK(asked == 3);
  ended(rig, "");
  wait_for_ends({rig.run}, [] { return true; });
  CHECK(exit_of(rig.run).empty());
}

TEST_CASE("a step whose run folder is locked is not resumed, and its files stay") {
  Rig rig;
  rig.program("srun", "");
  make_step(rig);
  ended(rig, "1\n");
  REQUIRE(write_text_atomically(rig.run.agent_path(), "{}"));
  const auto lock = runlog::FolderLock::take(rig.run);
  REQUIRE(lock);
  CHECK_FALSE(start_step_again(rig.run, {}, {}, {"12", "n1", 1, 1, 0}, SystemClock()));
  CHECK(exit_of(rig.run) == "1\n");
  CHECK(std::filesystem::exists(rig.run.agent_path()));
  CHECK(rig.called("srun").empty());
}

TEST_CASE("a step can be resumed only inside an allocation, and does not become a job") {
  Rig rig;
  rig.program("sbatch", "13");
  const Variable none("SLURM_JOB_ID", "");
  make_step(rig);
  const auto again = submit_again(rig.run, {}, SystemClock());
  REQUIRE_FALSE(again);
  CHECK(again.error().kind == ErrorKind::kRequest);
  CHECK(again.error().message.find("salloc") != std::string::npos);
  CHECK(rig.called("sbatch").empty());
}

TEST_CASE("Slurm is asked about the allocation, and without an answer the environment counts") {
  Rig rig;
  const Variable none("SLURM_JOB_ID", "");
  CHECK_FALSE(ask_allocation());
  const Variable job("SLURM_JOB_ID", "12");
  rig.program("scontrol", "JobId=12 JobState=RUNNING NumNodes=1 TresPerNode=gres:gpu:2");
  REQUIRE(ask_allocation());
  CHECK(ask_allocation()->gpus_per_node == 2);
  CHECK(rig.called("scontrol").starts_with("--oneliner show job 12\n"));
  CHECK(ask_allocation()->gpus_unknown.empty());
  rig.failing("scontrol", "slurm_load_jobs error: Unable to contact slurm controller");
  REQUIRE(ask_allocation());
  CHECK(ask_allocation()->gpus_per_node == 0);
  CHECK(ask_allocation()->ended.empty());
  CHECK(ask_allocation()->gpus_unknown.find("Unable to contact") != std::string::npos);
  rig.failing("scontrol", "slurm_load_jobs error: Invalid job id specified");
  REQUIRE(ask_allocation());
  CHECK(ask_allocation()->ended == "Slurm does not know it any more");
}
