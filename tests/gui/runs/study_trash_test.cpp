// Deleted and restored studies: what stays, what is deleted with them, and what is refused.
#include "gui/runs/studies/study_trash.h"

#include "gui/runs/trash.h"
#include "protocol/host/files.h"
#include "tests/gui/runs/run_on_disk.h"
#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"

using namespace ringside;
using runs::Study;

namespace {

std::string study_trash_id_of(int number) {
  return "20261121T1340" + std::to_string(10 + number) + "Z-00000" + std::to_string(number);
}

/// A study with an adopted baseline, two runs of its own and one that was left out.
Study study_trash_some_study(const std::string& name) {
  Study study;
  study.head = {name, "demo", "demo", 1'795'271'067'000'000'000, 2};
  study.settings = {
      {"baseline-1", {study_trash_id_of(1), study_trash_id_of(3)}, {study_trash_id_of(1)}, {}},
      {"weak-2", {study_trash_id_of(2), ""}, {}, {study_trash_id_of(4)}}};
  return study;
}

struct StudyTrashFolder {
  StudyTrashFolder() {
    std::vector<runlog::RunFolder> made;
    for (int number = 1; number <= 4; ++number)
      made.push_back(support::make_folder(runs_dir.path(), study_trash_id_of(number), {}));
    REQUIRE(runs::write_study(runs_dir.path(), study_trash_some_study("S-07"), {made[1], made[2]}));
  }
  bool has(const std::string& name) const {
    return std::filesystem::exists(runs_dir.path() / name);
  }
  const std::filesystem::path& path() const { return runs_dir.path(); }

  TempFolder runs_dir;
};

}  // namespace

TEST_CASE("a deleted study is not rebuilt from its runs, keeps its name and can be restored") {
  const StudyTrashFolder folder;
  const auto moved = runs::trash_study(folder.path(), "s7", {});
  REQUIRE(moved);
  CHECK(*moved == folder.path() / "studies/.deleted/S-07.toml");
  CHECK(folder.has(study_trash_id_of(2) + "/study.toml"));
  CHECK(runs::list_studies(folder.path()).empty());
  const auto gone = runs::read_study(folder.path(), "S-07");
  REQUIRE_FALSE(gone);
  CHECK(gone.error().kind == ErrorKind::kRequest);
  CHECK(gone.error().message.find("--restore") != std::string::npos);
  CHECK(runs::new_study(folder.path()).value() == "S-08");
  CHECK_FALSE(runs::trash_study(folder.path(), "S-07", {}));
  REQUIRE(runs::restore_study(folder.path(), "S-07", {}));
  const auto back = runs::read_study(folder.path(), "S-07");
  REQUIRE(back);
  CHECK(back->settings == study_trash_some_study("S-07").settings);
  CHECK_FALSE(runs::restore_study(folder.path(), "S-07", {}));
}

TEST_CASE("a study is deleted with exactly the runs that it made, left-out ones included") {
  const StudyTrashFolder folder;
  auto own = runs::own_runs(folder.path(), "S-07");
  REQUIRE(own);
  CHECK(*own ==
        std::vector<RunId>{study_trash_id_of(2), study_trash_id_of(3), study_trash_id_of(4)});
  Study other = study_trash_some_study("S-08");
  other.settings = {{"baseline-1", {study_trash_id_of(3)}, {study_trash_id_of(3)}, {}}};
  REQUIRE(runs::write_study(folder.path(), other));
  own = runs::own_runs(folder.path(), "S-07");
  REQUIRE(own);
  CHECK(*own == std::vector<RunId>{study_trash_id_of(2), study_trash_id_of(4)});
  REQUIRE(runs::trash_study(folder.path(), "S-07", *own));
  CHECK(folder.has(study_trash_id_of(1)));
  CHECK(folder.has(study_trash_id_of(3)));
  CHECK_FALSE(folder.has(study_trash_id_of(2)));
  const auto there = runs::trashed_runs(folder.path(), "S-07");
  REQUIRE(there);
  CHECK(*there == *own);
  REQUIRE(runs::restore_study(folder.path(), "S-07", *there));
  CHECK(folder.has(study_trash_id_of(2)));
  CHECK(runs::trashed(folder.path()).empty());
}

TEST_CASE("if a run cannot be deleted, the study and the other runs stay") {
  const StudyTrashFolder folder;
  std::filesystem::create_directories(runs::trash_dir(folder.path()) / study_trash_id_of(4) / "x");
  const auto stuck =
      runs::trash_study(folder.path(), "S-07", {study_trash_id_of(2), study_trash_id_of(4)});
  REQUIRE_FALSE(stuck);
  CHECK(stuck.error().message.find("already holds") != std::string::npos);
  CHECK(folder.has(study_trash_id_of(2)));
  CHECK(runs::read_study(folder.path(), "S-07"));
}

TEST_CASE("a run that cannot be restored does not keep the others in the trash") {
  const StudyTrashFolder folder;
  REQUIRE(runs::trash_study(folder.path(), "S-07", {study_trash_id_of(2), study_trash_id_of(4)}));
  std::filesystem::create_directories(folder.path() / study_trash_id_of(2) / "x");
  CHECK_FALSE(
      runs::restore_study(folder.path(), "S-07", {study_trash_id_of(2), study_trash_id_of(4)}));
  CHECK(folder.has(study_trash_id_of(4)));
  CHECK(runs::read_study(folder.path(), "S-07"));
}

TEST_CASE("a study without a file, or with an unreadable one, can be deleted too") {
  const StudyTrashFolder folder;
  const auto file = folder.path() / "studies/S-07.toml";
  std::filesystem::remove(file);
  REQUIRE(runs::trash_study(folder.path(), "S-07", {}));
  CHECK(runs::list_studies(folder.path()).empty());
  REQUIRE(runs::restore_study(folder.path(), "S-07", {}));
  CHECK(runs::read_study(folder.path(), "S-07"));
  const auto damaged = folder.path() / "studies/S-09.toml";
  REQUIRE(write_text_atomically(damaged, "study = ["));
  CHECK(runs::own_runs(folder.path(), "S-09")->empty());
  REQUIRE(runs::trash_study(folder.path(), "S-09", {}));
  CHECK(runs::list_studies(folder.path()).size() == 1);
  const auto none = runs::trash_study(folder.path(), "S-10", {});
  REQUIRE_FALSE(none);
  CHECK(none.error().message.find("there is S-07") != std::string::npos);
}
