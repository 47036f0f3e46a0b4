// Two programs and one study: nothing is overwritten, and a stop waits for a start. With agents it
// is in tests/integration/cli/cli_study_test.cpp.
#include "gui/session/studies/study_start.h"

#include <future>

#include "gui/runs/find_run.h"
#include "gui/runs/studies/study_lock.h"
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

/// One that trains nothing, and gives the study another title.
StudyPlan plan_of(const runs::Study& study) {
  StudyPlan plan;
  plan.study = study;
  plan.before = runs::study_text(study);
  plan.study.head.title = "planned";
  return plan;
}

}  // namespace

TEST_CASE("a study is written as it was planned") {
  const TempFolder folder;
  REQUIRE(runs::write_study(folder.path(), some_study(1)));
  const auto started = session::start_study(folder.path(), plan_of(some_study(1)));
  REQUIRE(started);
  CHECK(started->experiment.folders.empty());
  CHECK(runs::read_study(folder.path(), "S-01")->head.title == "planned");
}

TEST_CASE("a study that was changed after it was planned is not overwritten") {
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

TEST_CASE("a study for Slurm that nobody wants any more leaves nothing") {
  const TempFolder folder;
  StudyPlan plan;
  plan.study = some_study(1);
  plan.study.head.study.clear();
  plan.places = {{"baseline-1", 1, {}}};
  plan.plan.runs.resize(1);
  plan.slurm.emplace();
  const auto started = session::start_study(folder.path(), plan, [] { return true; });
  REQUIRE_FALSE(started);
  CHECK(started.error().message == "no longer wanted: nothing is left in Slurm's queue");
  CHECK(runs::list_studies(folder.path()).empty());
  CHECK(runs::list_runs(folder.path())->empty());
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

TEST_CASE("a stop waits for a start, and takes the study as that has left it") {
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
