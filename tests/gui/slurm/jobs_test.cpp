#include "gui/slurm/jobs.h"

#include <algorithm>
#include <filesystem>

#include "gui/slurm/job_ends.h"
#include "gui/slurm/queue_file.h"
#include "tests/gui/slurm/fake_programs.h"

using namespace ringside;
using namespace ringside::slurm;

TEST_CASE("a run that is no job has none, and Slurm is not asked for it") {
  Rig rig;
  rig.program("squeue", "1|RUNNING|n1|None");
  CHECK_FALSE(job_of(rig.run));
  rig.look();
  CHECK(rig.called("squeue").empty());
}

TEST_CASE("one squeue serves everybody for half a minute") {
  Rig rig;
  rig.program("squeue", "12|PENDING||Resources");
  rig.submitted("12");
  CHECK(job_of(rig.run)->phase == JobPhase::kUnknown);
  for (int i = 0; i < 3; ++i) rig.look();
  CHECK(rig.called("squeue").starts_with("--noheader --states=all --user="));
  CHECK(rig.called("squeue").find('\n') == rig.called("squeue").size() - 1);
  const auto job = job_of(rig.run);
  REQUIRE(job);
  CHECK(job->job == "12");
  CHECK(job->phase == JobPhase::kWaiting);
  CHECK(job->news.reason == "Resources");
}

TEST_CASE("an end that was said twice is kept, and nobody asks again") {
  Rig rig;
  rig.program("squeue", "12|TIMEOUT|n1|TimeLimit");
  rig.submitted("12");
  rig.look();
  CHECK_FALSE(read_job_file(rig.run)->end);  // on its way back into the queue, perhaps
  rig.later();
  rig.look();
  CHECK(read_job_file(rig.run)->end == JobNews{"TIMEOUT", "TimeLimit", "n1"});
  rig.later();
  rig.look();
  const std::string calls = rig.called("squeue");
  CHECK(std::count(calls.begin(), calls.end(), '\n') == 2);
}

TEST_CASE("a squeue that fails leaves what was known, and is not asked at once again") {
  Rig rig;
  rig.program("squeue", "12|RUNNING|n1|None");
  rig.submitted("12");
  rig.look();
  rig.program("squeue", "slurm_load_jobs error: Unable to contact slurm controller", 1);
  rig.later();
  rig.look();
  rig.look();
  CHECK(job_of(rig.run)->phase == JobPhase::kRunning);
  const std::string calls = rig.called("squeue");
  CHECK(std::count(calls.begin(), calls.end(), '\n') == 2);
}

TEST_CASE("a stop takes a job that waits out of the queue, and says so at once") {
  Rig rig;
  rig.program("scancel", "");
  rig.submitted("12");
  const auto asked = ask_stop(rig.run, wire::StopMode::kGraceful);
  REQUIRE(asked);
  CHECK(rig.called("scancel") == "12\n");
  CHECK(job_of(rig.run)->phase == JobPhase::kCancelled);
}

TEST_CASE(
    "agents that cannot be reached from here are asked by a signal, and at once means the job") {
  Rig rig;
  rig.program("scancel", "");
  rig.submitted("12");
  REQUIRE(write_text_atomically(rig.run.agent_path(), "{}"));
  REQUIRE(ask_stop(rig.run, wire::StopMode::kGraceful));
  CHECK(rig.called("scancel") == "--signal=USR2 12\n");
  REQUIRE(ask_stop(rig.run, wire::StopMode::kNow));
  CHECK(rig.called("scancel") == "--signal=USR2 12\n12\n");
}

TEST_CASE("of a copy no job is stopped or submitted here, and of an imported one none is asked") {
  Rig rig;
  rig.program("scancel", "");
  rig.program("sbatch", "13");
  rig.program("squeue", "12|RUNNING|n1|None");
  rig.submitted("12");
  SECTION("of another machine, which is followed") {
    REQUIRE(keep_copied_queue(rig.run.path().parent_path(), {}));
    const auto again = submit_again(rig.run, {}, SystemClock());
    REQUIRE_FALSE(again);
    CHECK(again.error().kind == ErrorKind::kRequest);
    CHECK(again.error().message ==
          "run " + rig.run.id() + " is a copy of one on another machine: resume it there");
  }
  SECTION("imported from another cluster") {
    JobFile file = read_job_file(rig.run).value();
    file.end = JobNews{"TIMEOUT", "TimeLimit", "n7"};
    REQUIRE(write_job_file(rig.run, file));
    REQUIRE(disown_job(rig.run));
    note_state("12", {"PENDING", "None", {}});
    CHECK(job_of(rig.run)->news.state == "TIMEOUT");
    CHECK_FALSE(is_open(rig.run));
    rig.look();
    CHECK(rig.called("squeue").empty());
  }
  CHECK_FALSE(ask_stop(rig.run, wire::StopMode::kNow));
  cancel(rig.run);
  CHECK(rig.called("scancel").empty());
  CHECK(rig.called("sbatch").empty());
}

TEST_CASE("a run that is no job is asked through its agent alone") {
  Rig rig;
  rig.program("scancel", "");
  CHECK_FALSE(ask_stop(rig.run, wire::StopMode::kGraceful));
  CHECK(rig.called("scancel").empty());
}

TEST_CASE("a run whose submission was cut off is not waited for") {
  Rig rig;
  rig.submitted("", SystemClock().wall_ns());
  CHECK(job_of(rig.run)->phase == JobPhase::kUnknown);
  rig.submitted("");
  CHECK(job_of(rig.run)->phase == JobPhase::kCut);
}

TEST_CASE("a run that somebody else submitted meanwhile is not submitted twice") {
  Rig rig;
  std::vector<launch::LockedFolder> runs;
  runs.push_back({rig.run, runlog::FolderLock::take(rig.run).value()});
  CHECK(refuse_queued(runs));
  rig.submitted("12");
  const auto refused = refuse_queued(runs);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().kind == ErrorKind::kRequest);
  CHECK(refused.error().message ==
        "run " + rig.run.id() + " is in Slurm's queue already, as job 12");
  note_state("12", {"CANCELLED", "None", {}});
  CHECK(refuse_queued(runs));
}

TEST_CASE("programs alone make no cluster, a configuration does") {
  Rig rig;
  const Variable none("SLURM_CONF", "");
  rig.program("sbatch", "");
  CHECK(has_cluster() == std::filesystem::exists("/etc/slurm/slurm.conf"));
  rig.temp.write("etc/slurm.conf", "");
  CHECK(has_cluster());
  const Variable set("SLURM_CONF", "/anywhere/slurm.conf");
  std::filesystem::remove(rig.temp.path() / "etc/slurm.conf");
  CHECK(has_cluster());
}

TEST_CASE("without sbatch one sentence says so, as a bad request") {
  const TempFolder temp;
  const Variable path("PATH", temp.path().string());
  const auto found = find_sbatch();
  REQUIRE_FALSE(found);
  CHECK(found.error().kind == ErrorKind::kRequest);
  CHECK(found.error().message.find("sbatch") != std::string::npos);
}
