// Tests the files of studies: written, damaged, lost and rebuilt from the runs, and with hostile
// text.
#include "gui/runs/studies/study.h"

#include <sys/stat.h>

#include "protocol/host/files.h"
#include "tests/gui/runs/run_on_disk.h"
#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"

using namespace ringside;
using runs::Study;

namespace {

std::string study_id_of(int number) {
  return "20261121T1340" + std::to_string(10 + number) + "Z-00000" + std::to_string(number);
}

Study some_study() {
  Study study;
  study.head = {"S-07", "größer \"als\" · sonst", "demo", 1'795'271'067'000'000'000, 2};
  study.settings = {{"baseline-1", {study_id_of(1), study_id_of(3)}, {study_id_of(1)}, {}},
                    {"weak-2", {study_id_of(2), ""}, {}, {}},
                    {"bf16-2", {"", ""}, {}, {study_id_of(4)}}};
  return study;
}

runlog::RunFolder folder_of(const TempFolder& runs_dir, int number) {
  return support::make_folder(runs_dir.path(), study_id_of(number), {});
}

bool same(const Study& a, const Study& b) { return a.head == b.head && a.settings == b.settings; }

}  // namespace

TEST_CASE(
    "a study that is written and read back is unchanged, and only its owner may read the file") {
  const TempFolder runs_dir;
  REQUIRE(runs::write_study(runs_dir.path(), some_study()));
  const auto again = runs::read_study(runs_dir.path(), "s7");
  REQUIRE(again);
  CHECK(same(*again, some_study()));
  CHECK(again->problem.empty());
  CHECK(again->runs() == 3);
  CHECK(again->planned() == 6);
  struct stat file {};
  REQUIRE(::stat((runs_dir.path() / "studies/S-07.toml").c_str(), &file) == 0);
  CHECK((file.st_mode & 0777) == 0600);
}

TEST_CASE("names and keys of studies are parsed") {
  CHECK(runs::study_name("S-07") == "S-07");
  CHECK(runs::study_name("s7") == "S-07");
  CHECK(runs::study_name("S-123") == "S-123");
  for (const char* other : {"", "S", "S-", "S-0", "S-x", "S-7x", "last", "7", "#7", "S-99999999999",
                            "../S-1", "20261121T134005Z-7f3a1c"})
    CHECK(runs::study_name(other).empty());
  CHECK(runs::setting_key("weak", 4) == "weak-4");
  const runs::StudySetting setting{"bf16-16", {}, {}, {}};
  CHECK(setting.series() == "bf16");
  CHECK(setting.devices() == 16);
  CHECK(setting.nodes() == 1);
  const runs::StudySetting six{"strong-2x3", {}, {}, {}};
  CHECK(six.series() == "strong");
  CHECK(six.devices() == 6);
  CHECK(six.nodes() == 2);
  for (const char* wrong :
       {"weak-2x", "weak-x3", "weak-0x3", "weak-2x3x4", "weak-1x4", "weak-2x4096"})
    CHECK(runs::StudySetting{wrong, {}, {}, {}}.devices() == 0);
  CHECK(runs::StudySetting{"weak", {}, {}, {}}.devices() == 0);
  CHECK(runs::StudySetting{"weak-99999", {}, {}, {}}.devices() == 0);
}

TEST_CASE("the library of a study is stored with it, also in the copies in run folders") {
  const TempFolder runs_dir;
  Study study = some_study();
  study.settings = {{"lr=0.01-2", {study_id_of(1), ""}, {}, {}}};
  study.ask = {"optuna", 20, {"lr=0.001..0.1:log"}, 3, "val_loss", {"python", "t.py", "--lr={lr}"}};
  const auto folder = folder_of(runs_dir, 1);
  REQUIRE(runs::write_study(runs_dir.path(), study, {folder}));
  CHECK(runs::read_study(runs_dir.path(), "S-07")->ask == study.ask);
  // Trials that have not been proposed yet count as planned.
  CHECK(study.planned() == 40);
  std::filesystem::remove_all(runs_dir.path() / "studies");
  CHECK(runs::read_study(runs_dir.path(), "S-07")->ask == study.ask);
  // A study without a library has no such table in its file.
  CHECK(runs::study_text(some_study()).find("[ask]") == std::string::npos);
}

TEST_CASE("a study of settings has combinations and no baseline") {
  const TempFolder runs_dir;
  Study study = some_study();
  study.settings = {{"optimizer.lr=1e-3 'data.root=/my data'-2x2", {study_id_of(1)}, {}, {}},
                    {"optimizer.lr=3e-3 'data.root=/my data'-2x2", {""}, {}, {}}};
  REQUIRE(runs::write_study(runs_dir.path(), study));
  const auto again = runs::read_study(runs_dir.path(), "S-07");
  REQUIRE(again);
  CHECK(same(*again, study));
  CHECK(again->of_settings());
  CHECK_FALSE(some_study().of_settings());
  const auto& first = again->settings.front();
  CHECK(first.devices() == 4);
  CHECK(first.nodes() == 2);
  using Values = std::vector<std::pair<std::string, std::string>>;
  CHECK(first.values() == Values{{"optimizer.lr", "1e-3"}, {"data.root", "/my data"}});
  CHECK(again->baseline_run() == study_id_of(1));
  // A study that mixes combinations with other settings is damaged.
  study.settings.push_back({"weak-2", {""}, {}, {}});
  REQUIRE(runs::write_study(runs_dir.path(), study));
  CHECK_FALSE(runs::read_study(runs_dir.path(), "S-07"));
}

TEST_CASE("a lost study is rebuilt from its runs, with adopted and left-out ones") {
  const TempFolder runs_dir;
  Study study = some_study();
  std::vector<runlog::RunFolder> made;
  for (const int number : {1, 2, 3}) made.push_back(folder_of(runs_dir, number));
  REQUIRE(runs::write_study(runs_dir.path(), study, {made[1], made[2]}));
  std::filesystem::remove(runs_dir.path() / "studies/S-07.toml");
  auto again = runs::read_study(runs_dir.path(), "S-07");
  REQUIRE(again);
  CHECK(again->head == study.head);
  CHECK(again->settings[0] == study.settings[0]);
  CHECK(again->settings[1].runs == study.settings[1].runs);
  CHECK_FALSE(again->problem.empty());
  // The run was trained again since, so the newer one counts.
  const auto newer = folder_of(runs_dir, 5);
  study.settings[1].left_out = {study_id_of(2)};
  study.settings[1].runs[0] = study_id_of(5);
  REQUIRE(runs::write_study(runs_dir.path(), study, {newer}));
  std::filesystem::remove_all(runs_dir.path() / "studies");
  again = runs::read_study(runs_dir.path(), "S-07");
  REQUIRE(again);
  CHECK(again->settings[1].runs[0] == study_id_of(5));
  CHECK(again->settings[1].left_out == std::vector<std::string>{study_id_of(2)});
  CHECK(runs::list_studies(runs_dir.path()).size() == 1);
  CHECK(runs::new_study(runs_dir.path()).value() == "S-08");
}

TEST_CASE("a damaged study is rebuilt from the copies in its run folders, and says so") {
  const TempFolder runs_dir;
  const auto made = folder_of(runs_dir, 2);
  REQUIRE(runs::write_study(runs_dir.path(), some_study(), {made}));
  const auto file = runs_dir.path() / "studies/S-07.toml";
  const auto damage = GENERATE(as<std::string>(), "", "study = [", "study = \"S-08\"\n",
                               "study = 7\n", "study = \"S-07\"\nsettings = 3\n",
                               "study = \"S-07\"\n[[settings]]\nkey = \"weak-2\"\n", "\xff\xfe");
  REQUIRE(write_text_atomically(file, damage));
  const auto again = runs::read_study(runs_dir.path(), "S-07");
  REQUIRE(again);
  CHECK(again->settings[1].runs[0] == study_id_of(2));
  CHECK(again->problem.find("S-07.toml") != std::string::npos);
  std::filesystem::remove_all(made.path());
  const auto alone = runs::read_study(runs_dir.path(), "S-07");
  REQUIRE_FALSE(alone);
  CHECK(alone.error().kind == ErrorKind::kRequest);
  CHECK(runs::list_studies(runs_dir.path()).size() == 1);
}

TEST_CASE("no text in a study leads out of the runs folder") {
  Study study = some_study();
  study.settings[1].runs = {"../../etc", "a/b"};
  study.settings[1].adopted = {"/tmp"};
  study.settings[2].runs = {".hidden", "x\ny"};
  const auto read = runs::parse_study(runs::study_text(study), "here");
  REQUIRE(read);
  for (const auto& setting : read->settings) {
    if (setting.is_baseline()) continue;
    for (const auto& id : setting.runs) CHECK(id.empty());
    CHECK(setting.adopted.empty());
  }
}

TEST_CASE("an unknown study is one error that lists the existing ones") {
  const TempFolder runs_dir;
  auto none = runs::read_study(runs_dir.path(), "S-01");
  REQUIRE_FALSE(none);
  CHECK(none.error().message.find("ringside sweep") != std::string::npos);
  REQUIRE(runs::write_study(runs_dir.path(), some_study()));
  none = runs::read_study(runs_dir.path(), "S-01");
  REQUIRE_FALSE(none);
  CHECK(none.error().message.find("S-07") != std::string::npos);
  CHECK(runs::list_studies(runs_dir.path() / "nowhere").empty());
}

TEST_CASE("two programs never take the same name") {
  const TempFolder runs_dir;
  CHECK(runs::new_study(runs_dir.path()).value() == "S-01");
  CHECK(runs::new_study(runs_dir.path()).value() == "S-02");
  runs::remove_study(runs_dir.path(), "S-02");
  CHECK(runs::new_study(runs_dir.path()).value() == "S-02");
}
