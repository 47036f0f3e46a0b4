#include "gui/runs/studies/study_lock.h"

#include <future>

#include "gui/runs/studies/study.h"
#include "gui/runs/studies/study_trash.h"
#include "tests/gui/runs/run_on_disk.h"
#include "tests/support/catch.h"
#include "tests/support/patience.h"
#include "tests/support/temp_folder.h"

using namespace ringside;
using runs::StudyLock;

TEST_CASE("each study has a lock of its own, which leaves no file") {
  const TempFolder folder;
  const auto file = folder.path() / "studies/S-01.lock";
  {
    const auto held = StudyLock::take(folder.path(), "S-01");
    REQUIRE(held);
    CHECK(std::filesystem::exists(file));
    const auto second = StudyLock::take(folder.path(), "S-01");
    REQUIRE_FALSE(second);
    CHECK(second.error().kind == ErrorKind::kRequest);
    CHECK(second.error().message.find("study S-01") != std::string::npos);
    CHECK(StudyLock::take(folder.path(), "S-02"));
    CHECK(runs::list_studies(folder.path()).empty());
  }
  CHECK_FALSE(std::filesystem::exists(file));
  CHECK(StudyLock::take(folder.path(), "S-01"));
}

TEST_CASE("a process that waits for a study's lock gets it, and the next one does not share it") {
  const TempFolder folder;
  auto held = StudyLock::take(folder.path(), "S-01");
  REQUIRE(held);
  auto waits = std::async(std::launch::async, [&] {
    return StudyLock::take(folder.path(), "S-01", testing::kPatienceNs);
  });
  held = failure("given back");
  const auto next = waits.get();
  REQUIRE(next);
  CHECK_FALSE(StudyLock::take(folder.path(), "S-01"));
}

TEST_CASE("waiting for a study's lock can be cancelled") {
  const TempFolder folder;
  const auto held = StudyLock::take(folder.path(), "S-01");
  REQUIRE(held);
  int asked = 0;
  const auto given_up =
      StudyLock::take(folder.path(), "S-01", testing::kPatienceNs, [&] { return ++asked == 3; });
  REQUIRE_FALSE(given_up);
  CHECK(given_up.error().kind == ErrorKind::kRequest);
  CHECK(asked == 3);
}

TEST_CASE("a moved lock is held once") {
  const TempFolder folder;
  auto first = StudyLock::take(folder.path(), "S-01");
  REQUIRE(first);
  {
    const StudyLock second = std::move(*first);
    CHECK_FALSE(StudyLock::take(folder.path(), "S-01"));
  }
  CHECK(StudyLock::take(folder.path(), "S-01"));
}

TEST_CASE("a study that is being started is not deleted") {
  const TempFolder folder;
  runs::Study study;
  study.head = {"S-01", "demo", "demo", 1, 1};
  study.settings = {{"baseline-1", {""}, {}, {}}};
  REQUIRE(runs::write_study(folder.path(), study));
  {
    const auto held = StudyLock::take(folder.path(), "S-01");
    REQUIRE(held);
    const auto refused = runs::trash_study(folder.path(), "S-01", {});
    REQUIRE_FALSE(refused);
    CHECK(refused.error().kind == ErrorKind::kRequest);
  }
  CHECK(runs::trash_study(folder.path(), "S-01", {}));
}
