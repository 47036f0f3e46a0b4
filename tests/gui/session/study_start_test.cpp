// Two programs with one study: nothing is overwritten, and a stop waits for a start.
// tests/integration/cli/cli_study_test.cpp tests the same with agents.
#include "gui/session/studies/study_start.h"

#include <future>

#include "gui/runs/find_run.h"
#include "gui/runs/studies/study_lock.h"
#include "gui/slurm/ask_program.h"
#include "gui/slurm/queue_file.h"
#include "gui/slurm/steps.h"
#include "protocol/host/files.h"
#include "tests/gui/runs/run_on_disk.h"
#include "tests/gui/slurm/fake_programs.h"
#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"

using namespace ringside;
using session::StudyPlan;

namespace {

runs::Study some_study(std::int64_t repeats) {
  runs::Study study;
  study.head = {"S-01", "demo", "demo", 1, repeats};
  study.settings = {{"baseline-1", {""}, {}, {}}, {"weak-2", {""}, {}, {}}};
  return study;
}

/// A plan that trains nothing and changes the study's title.
StudyPlan plan_of(const runs::Study& study) {
  StudyPlan plan;
  plan.study = study;
  plan.before = runs::study_text(study);
  plan.study.head.title = "planned";
  return plan;
}

/// A plan of a new study of one run, for Slurm.
StudyPlan plan_for_slurm(const std::optional<slurm::Allocation>& inside = {}) {
  StudyPlan plan;
  plan.study = some_study(1);
  plan.study.head.study.clear();
  plan.places = {{"baseline-1", 1, {}}};
  plan.plan.runs.resize(1);
  plan.plan.keep_going = true;
  plan.where = place::on_slurm(slurm::Options{}, inside);
  return plan;
}

void leaves_nothing(const TempFolder& folder) {
  CHECK(runs::list_studies(folder.path()).empty());
  CHECK(runs::list_runs(folder.path())->empty());
}

/// A run that is a step of job 12.
runlog::RunFolder make_step(const TempFolder& folder, const std::string& id) {
  const auto run = support::make_folder(folder.path(), id, {});
  slurm::JobFile file{"12", {}, 1, {}};
  file.is_step = true;
  REQUIRE(slurm::write_job_file(run, file));
  REQUIRE(write_text_atomically(run.path() / slurm::kScriptFile, slurm::kScript, 0700));
  return run;
}

}  // namespace

TEST_CASE("a study is written as it was planned") {
  const TempFolder folder;
  REQUIRE(runs::write_study(folder.path(), some_study(1)));
  const auto started = session::start_study(folder.path(), plan_of(some_study(1)));
  REQUIRE(started);
  CHECK(started->runs.folders.empty());
  CHECK(runs::read_study(folder.path(), "S-01")->head.title == "planned");
}

TEST_CASE("a study that has changed since it was planned is not overwritten") {
  const TempFolder folder;
  REQUIRE(runs::write_study(folder.path(), some_study(1)));
  const StudyPlan plan = plan_of(some_study(1));
  REQUIRE(runs::write_study(folder.path(), some_study(2)));
  const auto started = session::start_study(folder.path(), plan);
  REQUIRE_FALSE(started);
  CHECK(started.error().kind == ErrorKind::kRequest);
  CHECK(started.error().message.find("was changed by another program") != std::string::npos);
  CHECK(runs::study_text(*runs::read_study(folder.path(), "S-01")) ==
        runs::study_text(some_study(2)));
}

TEST_CASE("a study for Slurm that is cancelled while it starts leaves nothing") {
  const TempFolder folder;
  const auto started = session::start_study(folder.path(), plan_for_slurm(), [] { return true; });
  REQUIRE_FALSE(started);
  CHECK(started.error().message == "no longer wanted: nothing is left in Slurm's queue");
  leaves_nothing(folder);
}

TEST_CASE("a study of one setting that cannot be started leaves no folder") {
  slurm::Rig slurm;
  slurm.program("sbatch", "13");
  slurm.program("srun", "");
  const TempFolder folder;
  // No agent is beside this test program.
  for (const auto& where : {place::here(), place::on_slurm({}, {}),
                            place::on_slurm({}, slurm::Allocation{"12", "n[1-2]", 2, 8, 2})}) {
    StudyPlan plan;
    plan.plan.runs.resize(1);
    plan.places.resize(1);
    plan.where = where;
    const auto started = session::start_study(folder.path(), plan);
    REQUIRE_FALSE(started);
    CHECK(started.error().message.find("ringside-agent") != std::string::npos);
    leaves_nothing(folder);
  }
  CHECK(slurm.called("sbatch").empty());
}

TEST_CASE("a study as steps that cannot start leaves nothing") {
  slurm::Rig slurm;
  slurm.program("srun", "");
  slurm.program("scontrol", "JobId=12 JobState=RUNNING NumNodes=1");
  const slurm::Variable job("SLURM_JOB_ID", "12");
  const TempFolder folder;
  const StudyPlan plan = plan_for_slurm(slurm::own_allocation());
  // No agent is beside this test program.
  const auto without = session::start_study(folder.path(), plan);
  REQUIRE_FALSE(without);
  CHECK(without.error().message.find("ringside-agent") != std::string::npos);
  leaves_nothing(folder);
  // The allocation has ended since the study was planned.
  slurm.program("scontrol", "JobId=12 JobState=TIMEOUT Reason=TimeLimit NumNodes=1");
  const auto over = session::start_study(folder.path(), plan);
  REQUIRE_FALSE(over);
  CHECK(over.error().kind == ErrorKind::kRequest);
  CHECK(over.error().message.find("is over: its time limit was reached") != std::string::npos);
  leaves_nothing(folder);
  CHECK(slurm.called("srun").empty());
}

TEST_CASE("stopping a study stops the active step, and none after it begins") {
  slurm::Rig slurm;
  slurm.program("srun", "");
  slurm.program("scancel", "");
  const TempFolder folder;
  runs::Study study = some_study(1);
  const auto works = make_step(folder, "20261121T134011Z-000001");
  const auto waits = make_step(folder, "20261121T134012Z-000002");
  study.settings[0].runs = {works.id()};
  study.settings[1].runs = {waits.id()};
  REQUIRE(runs::write_study(folder.path(), study));
  slurm::note_state("12", {"RUNNING", "None", "n1"});
  REQUIRE(write_text_atomically(works.path() / slurm::kExitFile, ""));
  slurm.program("squeue", "12.0|ringside-" + works.id());
  const auto stopped = session::stop_study(folder.path(), "S-01", wire::StopMode::kGraceful);
  REQUIRE(stopped);
  CHECK(stopped->asked == 2);
  CHECK(slurm.called("scancel") == "--signal=USR2 12.0\n");
  CHECK(read_text(waits.path() / slurm::kExitFile)->starts_with("CANCELLED by "));
  // The process that starts the steps checks this after the first has ended.
  REQUIRE(slurm::ask_program(
      "env", slurm::steps_words({"12", "n1", 1, 1, 0}, "/opt/ringside-agent",
                                {{works.path().string(), 1}, {waits.path().string(), 1}})));
  CHECK(slurm.called("srun").empty());
}

TEST_CASE("a study that another program starts is refused") {
  const TempFolder folder;
  REQUIRE(runs::write_study(folder.path(), some_study(1)));
  const auto held = runs::StudyLock::take(folder.path(), "S-01");
  REQUIRE(held);
  const auto started = session::start_study(folder.path(), plan_of(some_study(1)));
  REQUIRE_FALSE(started);
  CHECK(started.error().kind == ErrorKind::kRequest);
  CHECK(runs::study_text(*runs::read_study(folder.path(), "S-01")) ==
        runs::study_text(some_study(1)));
}

TEST_CASE("a stop waits for a start, and reads the study afterwards") {
  const TempFolder folder;
  REQUIRE(runs::write_study(folder.path(), some_study(1)));
  auto held = runs::StudyLock::take(folder.path(), "S-01");
  REQUIRE(held);
  auto stops = std::async(std::launch::async, [&] {
    return session::stop_study(folder.path(), "s1", wire::StopMode::kGraceful);
  });
  REQUIRE(runs::write_study(folder.path(), some_study(3)));
  held = failure("given back");
  const auto stopped = stops.get();
  REQUIRE(stopped);
  CHECK(stopped->asked == 0);
  CHECK(stopped->study.head.repeats == 3);
  CHECK_FALSE(session::stop_study(folder.path(), "S-02", wire::StopMode::kGraceful));
}

TEST_CASE("a stop that waits for a start can be cancelled") {
  const TempFolder folder;
  REQUIRE(runs::write_study(folder.path(), some_study(1)));
  int asked = 0;
  const auto stop = [&] {
    return session::stop_study(folder.path(), "S-01", wire::StopMode::kGraceful,
                               [&] { return ++asked == 2; });
  };
  auto held = runs::StudyLock::take(folder.path(), "S-01");
  REQUIRE(held);
  const auto given_up = stop();
  REQUIRE_FALSE(given_up);
  CHECK(given_up.error().kind == ErrorKind::kRequest);
  CHECK(asked == 2);
  held = failure("given back");
  CHECK(stop());
  CHECK(asked == 2);
}
