#include "gui/slurm/jobs.h"

#include <algorithm>
#include <chrono>
#include <filesystem>

#include "gui/slurm/job_ends.h"
#include "gui/slurm/queue_file.h"
#include "protocol/host/files.h"
#include "protocol/runlog/copy_mark.h"
#include "tests/gui/slurm/fake_programs.h"

using namespace ringside;
using namespace ringside::slurm;

TEST_CASE("a run that is not a Slurm job has none, and Slurm is not asked about it") {
  Rig rig;
  rig.program("squeue", "1|RUNNING|n1|None");
  CHECK_FALSE(job_of(rig.run));
  rig.look();
  CHECK(rig.called("squeue").empty());
}

TEST_CASE("one call of squeue serves all windows and commands for 30 s") {
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
  CHECK(job->report.reason == "Resources");
}

TEST_CASE("an end that two answers confirm is stored, and Slurm is not asked again") {
  Rig rig;
  rig.program("squeue", "12|TIMEOUT|n1|TimeLimit");
  rig.submitted("12");
  rig.look();
  CHECK_FALSE(read_job_file(rig.run)->end);  // the job may be about to be requeued
  rig.later();
  rig.look();
  CHECK(read_job_file(rig.run)->end == JobReport{"TIMEOUT", "TimeLimit", "n1"});
  rig.later();
  rig.look();
  const std::string calls = rig.called("squeue");
  CHECK(std::count(calls.begin(), calls.end(), '\n') == 2);
}

TEST_CASE("a failed squeue keeps what was known, and is not called again at once") {
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

TEST_CASE("Slurm's state counts as of the last call that was answered, whatever was asked since") {
  Rig rig;
  rig.program("squeue", "12|PENDING||Resources");
  rig.submitted("12");
  const std::int64_t before_ns = SystemClock().wall_ns();
  rig.look();
  const std::int64_t told_ns = job_of(rig.run)->reported_wall_ns;
  CHECK(told_ns >= before_ns);
  CHECK(job_of(rig.run)->problem.empty());
  rig.later();
  SECTION("the later call failed") { rig.failing("squeue", "Unable to contact slurm controller"); }
  SECTION("the later call is running") {
    // This squeue reads the queue file, as other programs do meanwhile, and fails.
    const auto queue = rig.temp.path() / "state/ringside/slurm_queue.json";
    const auto seen = rig.temp.path() / "seen";
    rig.temp.write("bin/squeue",
                   "#!/bin/sh\ncp '" + queue.string() + "' '" + seen.string() + "'\nexit 1\n");
    std::filesystem::permissions(rig.temp.path() / "bin/squeue", std::filesystem::perms::owner_all);
    rig.look();
    const QueueFile during = parse_queue_file(read_text(seen).value());
    CHECK(during.asked_wall_ns >= told_ns);
    CHECK(during.answered_wall_ns == told_ns);
  }
  rig.look();
  CHECK(job_of(rig.run)->reported_wall_ns == told_ns);
  CHECK(job_of(rig.run)->problem.empty());  // the failure is too recent
}

TEST_CASE("after two minutes without an answer the run says why, also if squeue is missing") {
  Rig rig;
  const Variable nothing("PATH", (rig.temp.path() / "bin").string());
  rig.submitted("12");
  rig.look();
  CHECK(job_of(rig.run)->problem.find("squeue") != std::string::npos);
  CHECK(job_of(rig.run)->silent_wall_ns == 0);
  const std::int64_t now_ns = SystemClock().wall_ns();
  write_queue_file(after_failure(after_answer("12|PENDING||None\n", now_ns - 130'000'000'000),
                                 "squeue: timed out", now_ns));
  CHECK(job_of(rig.run)->problem == "squeue: timed out");
  CHECK(job_of(rig.run)->silent_wall_ns == now_ns - 130'000'000'000);
  write_queue_file(after_answer("12|PENDING||None\n", now_ns));
  CHECK(job_of(rig.run)->problem.empty());
}

TEST_CASE("a stop of a requeued job removes it from the queue, whatever a dead node left behind") {
  Rig rig;
  rig.program("scancel", "");
  rig.submitted("12");
  REQUIRE(write_text_atomically(rig.run.agent_path(), "{}"));
  SECTION("squeue reported it after the agent last wrote") {
    rig.program("squeue", "12|PENDING||BeginTime");
    const auto past = std::filesystem::file_time_type::clock::now() - std::chrono::minutes(5);
    std::filesystem::last_write_time(rig.run.agent_path(), past);
    rig.look();
    REQUIRE(job_of(rig.run)->waits());
    REQUIRE(ask_stop(rig.run, wire::StopMode::kGraceful));
    CHECK(rig.called("scancel") == "12\n");
  }
  SECTION("scancel reports it, because squeue was asked before") {
    const std::string calls = rig.calls("scancel").string();
    rig.temp.write("bin/scancel",
                   "#!/bin/sh\necho \"$*\" >> '" + calls +
                       "'\n[ $# -eq 1 ] && exit 0\necho 'scancel: error: Kill job "
                       "error on job id 12: Job is pending execution' >&2\nexit 1\n");
    REQUIRE(ask_stop(rig.run, wire::StopMode::kGraceful));
    CHECK(rig.called("scancel") == "--signal=USR2 12\n12\n");
  }
  CHECK(job_of(rig.run)->phase == JobPhase::kCancelled);
}

TEST_CASE("an agent that wrote after squeue was asked is running, so it is signalled") {
  Rig rig;
  rig.program("scancel", "");
  rig.program("squeue", "12|PENDING||Resources");
  rig.submitted("12");
  rig.look();
  REQUIRE(write_text_atomically(rig.run.agent_path(), "{}"));
  const auto later = std::filesystem::file_time_type::clock::now() + std::chrono::minutes(1);
  std::filesystem::last_write_time(rig.run.agent_path(), later);
  CHECK_FALSE(job_of(rig.run)->waits());
  REQUIRE(ask_stop(rig.run, wire::StopMode::kGraceful));
  CHECK(rig.called("scancel") == "--signal=USR2 12\n");
}

TEST_CASE("a stop removes a waiting job from the queue, and says so at once") {
  Rig rig;
  rig.program("scancel", "");
  rig.submitted("12");
  const auto asked = ask_stop(rig.run, wire::StopMode::kGraceful);
  REQUIRE(asked);
  CHECK(rig.called("scancel") == "12\n");
  CHECK(job_of(rig.run)->phase == JobPhase::kCancelled);
}

TEST_CASE(
    "agents that cannot be reached from here are signalled, and an immediate stop cancels the "
    "job") {
  Rig rig;
  rig.program("scancel", "");
  rig.submitted("12");
  REQUIRE(write_text_atomically(rig.run.agent_path(), "{}"));
  REQUIRE(ask_stop(rig.run, wire::StopMode::kGraceful));
  CHECK(rig.called("scancel") == "--signal=USR2 12\n");
  REQUIRE(ask_stop(rig.run, wire::StopMode::kNow));
  CHECK(rig.called("scancel") == "--signal=USR2 12\n12\n");
}

TEST_CASE(
    "the job of a copied run is never stopped or submitted here, and an imported one is never "
    "asked about") {
  Rig rig;
  rig.program("scancel", "");
  rig.program("sbatch", "13");
  rig.program("squeue", "12|RUNNING|n1|None");
  rig.submitted("12");
  SECTION("a run that is followed on another machine") {
    const bool older = GENERATE(false, true);  // an older mark is the queue file beside the run
    if (older) REQUIRE(keep_copied_queue(rig.run.path().parent_path(), {}));
    if (!older) REQUIRE(runlog::mark_copy(rig.run, {"ssh://box", {0}}));
    const auto again = submit_again(rig.run, {}, SystemClock());
    REQUIRE_FALSE(again);
    CHECK(again.error().kind == ErrorKind::kRequest);
    CHECK(again.error().message ==
          "run " + rig.run.id() + " is a copy of one on another machine: resume it there");
  }
  SECTION("a run imported from another cluster") {
    JobFile file = read_job_file(rig.run).value();
    file.end = JobReport{"TIMEOUT", "TimeLimit", "n7"};
    REQUIRE(write_job_file(rig.run, file));
    REQUIRE(disown_job(rig.run));
    note_state("12", {"PENDING", "None", {}});
    CHECK(job_of(rig.run)->report.state == "TIMEOUT");
    CHECK_FALSE(is_open(rig.run));
    rig.look();
    CHECK(rig.called("squeue").empty());
  }
  CHECK_FALSE(ask_stop(rig.run, wire::StopMode::kNow));
  cancel(rig.run);
  CHECK(rig.called("scancel").empty());
  CHECK(rig.called("sbatch").empty());
}

TEST_CASE("a run that is not a job is stopped through its agent alone") {
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

TEST_CASE(
    "a job is found by its name if whoever submitted it was killed before storing the number") {
  Rig rig;
  rig.submitted("");
  SECTION("the job belongs to the run from then on") {
    rig.program("squeue", "13|PENDING||Priority");
    rig.look();
    CHECK(job_of(rig.run)->job == "13");
    CHECK(job_of(rig.run)->phase == JobPhase::kWaiting);
  }
  SECTION("a job that does not exist is not looked for again") {
    rig.program("squeue", "");
    rig.look();
    rig.later();
    rig.look();
    CHECK(job_of(rig.run)->phase == JobPhase::kCut);
  }
  SECTION("the job is looked for again while squeue does not answer") {
    rig.failing("squeue", "timed out");
    rig.look();
    CHECK_FALSE(read_job_file(rig.run)->end);
    return;
  }
  const std::string calls = rig.called("squeue");
  CHECK(calls.find("--name=ringside-" + rig.run.id() + "\n") != std::string::npos);
  CHECK(std::count(calls.begin(), calls.end(), '\n') == 2);
}

TEST_CASE("a run that somebody else has submitted meanwhile is not submitted twice") {
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

TEST_CASE("a run is submitted again only if its job is over, and by one window") {
  Rig rig;
  rig.program("sbatch", "13");
  rig.program("squeue", "12|RUNNING|n1|None");
  rig.submitted("12");
  rig.look();
  const auto refusal = [&rig] {
    const auto again = submit_again(rig.run, {}, SystemClock());
    REQUIRE_FALSE(again);
    CHECK(rig.called("sbatch").empty());
    return again.error().message;
  };
  const std::string queued = "run " + rig.run.id() + " is in Slurm's queue already";
  SECTION("it is back in the queue") {
    rig.program("scontrol", "JobId=12 JobState=PENDING Reason=BeginTime");
    CHECK(refusal() == queued + ", as job 12");
  }
  SECTION("nothing says that it is over") {
    rig.failing("scontrol", "slurm_load_jobs error: Unable to contact slurm controller");
    CHECK(refusal() == queued + ", as job 12");
  }
  SECTION("it is being submitted") {
    rig.submitted("", SystemClock().wall_ns());
    CHECK(refusal() == queued);
  }
  SECTION("it is just ending, and the missing agent is noticed after that") {
    const std::string calls = rig.calls("scontrol").string();
    rig.program("scontrol", "");
    rig.temp.write("bin/scontrol", "#!/bin/sh\necho x >> '" + calls + "'\n[ \"$(grep -c x '" +
                                       calls +
                                       "')\" -lt 3 ] && echo JobState=COMPLETING || echo "
                                       "JobState=COMPLETED\n");
    CHECK(refusal().find("ringside-agent") != std::string::npos);
    CHECK(rig.called("scontrol") == "x\nx\nx\n");
  }
  SECTION("Slurm no longer knows it") {
    rig.failing("scontrol", "slurm_load_jobs error: Invalid job id specified");
    CHECK(refusal().find("ringside-agent") != std::string::npos);
  }
  CHECK(read_job_file(rig.run)->job == (refusal() == queued ? "" : "12"));
}

TEST_CASE("a machine with Slurm's programs has a cluster only with a configuration") {
  Rig rig;
  const Variable none("SLURM_CONF", "");
  const Variable no_server("SLURM_CONF_SERVER", "");
  rig.program("sbatch", "");
  CHECK(has_cluster() == std::filesystem::exists("/etc/slurm/slurm.conf"));
  rig.temp.write("etc/slurm.conf", "");
  CHECK(has_cluster());
  std::filesystem::remove(rig.temp.path() / "etc/slurm.conf");
  // Slurm is installed elsewhere and linked into PATH.
  rig.temp.write("opt/slurm/bin/sbatch", "#!/bin/sh\n");
  const auto real = rig.temp.path() / "opt/slurm/bin/sbatch";
  std::filesystem::permissions(real, std::filesystem::perms::owner_all);
  std::filesystem::remove(rig.temp.path() / "bin/sbatch");
  std::filesystem::create_symlink(real, rig.temp.path() / "bin/sbatch");
  rig.temp.write("opt/slurm/etc/slurm.conf", "");
  CHECK(has_cluster());
  std::filesystem::remove(rig.temp.path() / "opt/slurm/etc/slurm.conf");
  const bool installed = has_cluster();
  for (const char* name : {"SLURM_CONF", "SLURM_CONF_SERVER"}) {
    const Variable set(name, "anything");
    CHECK(has_cluster());
  }
  CHECK(has_cluster() == installed);
}

TEST_CASE("a missing sbatch is a bad request of one sentence") {
  const TempFolder temp;
  const Variable path("PATH", temp.path().string());
  const auto found = find_sbatch();
  REQUIRE_FALSE(found);
  CHECK(found.error().kind == ErrorKind::kRequest);
  CHECK(found.error().message.find("sbatch") != std::string::npos);
}
