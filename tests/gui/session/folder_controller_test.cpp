// Actions on run folders: deleting, restoring, importing, and choosing paths.
#include "gui/session/folder_controller.h"

#include <algorithm>
#include <condition_variable>
#include <mutex>

#include "gui/runs/studies/study.h"
#include "gui/runs/trash.h"
#include "gui/view/window/sheet_labels.h"
#include "protocol/base/clock.h"
#include "protocol/host/files.h"
#include "tests/gui/runs/run_on_disk.h"
#include "tests/support/catch.h"
#include "tests/support/only_path.h"
#include "tests/support/patience.h"
#include "tests/support/temp_folder.h"

namespace fs = std::filesystem;
using namespace ringside;
using namespace ringside::session;

namespace {

constexpr const char* kId = "20261121T100000Z-aaaaaa";

struct FolderControllerRig {
  FolderControllerRig() {
    support::make_run(runs_dir, kId, support::demo_small(1));
    runs.scan();
    REQUIRE(until([this] { return runs.settled(); }));
  }
  template <class Holds>
  bool until(Holds&& holds) {
    const std::int64_t deadline_ns = mono_now_ns() + testing::kPatienceNs;
    while (mono_now_ns() < deadline_ns) {
      jobs.finish();
      runs.update();
      if (holds()) return true;
      std::unique_lock lock(mutex);
      changed.wait_for(lock, std::chrono::milliseconds(100), [this] { return woken; });
      woken = false;
    }
    return false;
  }
  bool says(const std::string& text) const {
    return line.shown().text.find(text) != std::string::npos;
  }
  view::ScreenInput seen() const {
    view::ScreenInput input;
    folders.fill(input);
    return input;
  }
  void wake() {
    const std::lock_guard lock(mutex);
    woken = true;
    changed.notify_one();
  }

  TempFolder folder;
  fs::path runs_dir = folder.path() / "runs";
  std::mutex mutex;
  std::condition_variable changed;
  bool woken = false;
  std::vector<std::string> closed;
  std::vector<std::string> scripts;
  int imported = 0;
  int studies_changed = 0;
  MessageLine line;
  Jobs jobs{[this] { wake(); }};
  RunsController runs{runs_dir, jobs};
  FolderController folders{runs_dir,
                           {[this](const std::string& id) { closed.push_back(id); },
                            [this] {
                              ++imported;
                              runs.scan();
                            },
                            [this](const std::string& path) { scripts.push_back(path); },
                            {},
                            [this] { ++studies_changed; }},
                           jobs,
                           runs,
                           line};
};

}  // namespace

TEST_CASE("a deleted run is closed, and can be restored") {
  FolderControllerRig rig;
  rig.folders.apply(view::TrashRun{"not there"}, "");
  CHECK(rig.closed.empty());
  rig.folders.apply(view::TrashRun{kId}, "");
  CHECK(rig.closed == std::vector<std::string>{kId});
  CHECK_FALSE(fs::exists(rig.runs_dir / kId));
  CHECK(rig.line.shown().action == view::label::kUndo);
  CHECK(rig.until([&] { return rig.runs.find(kId) == nullptr; }));
  rig.folders.apply(view::UndoTrash{}, "");
  CHECK(rig.says("restored"));
  CHECK(fs::exists(rig.runs_dir / kId));
  CHECK(rig.until([&] { return rig.runs.find(kId) != nullptr; }));
  const auto number = rig.line.shown().number;
  rig.folders.apply(view::UndoTrash{}, "");
  CHECK(rig.line.shown().number == number);
}

TEST_CASE("a study is deleted with or without the runs that it made, and can be restored") {
  FolderControllerRig rig;
  runs::Study study;
  study.head = {"S-07", "demo", "demo", 1, 1};
  study.settings = {{"baseline-1", {kId}, {}, {}}};
  REQUIRE(runs::write_study(rig.runs_dir, study));
  const auto file = rig.runs_dir / "studies/S-07.toml";
  rig.folders.apply(view::TrashStudy{"S-07"}, "");
  CHECK(rig.says("its runs stay"));
  CHECK(rig.line.shown().action == view::label::kUndo);
  CHECK_FALSE(fs::exists(file));
  CHECK(fs::exists(rig.runs_dir / kId));
  CHECK(rig.closed.empty());
  CHECK(rig.studies_changed == 1);
  rig.folders.apply(view::UndoTrash{}, "");
  CHECK(rig.says("Study S-07 was restored"));
  CHECK(fs::exists(file));
  // A run that is not deleted stays open.
  const auto in_the_way = runs::trash_dir(rig.runs_dir) / kId;
  fs::create_directories(in_the_way / "x");
  rig.folders.apply(view::TrashStudy{"S-07", true}, "");
  REQUIRE(rig.until([&] { return rig.says("already holds"); }));
  CHECK(rig.closed.empty());
  fs::remove_all(in_the_way);
  rig.folders.apply(view::TrashStudy{"S-07", true}, "");
  REQUIRE(rig.until([&] { return rig.says("with 1 of its runs"); }));
  CHECK(rig.closed == std::vector<std::string>{kId});
  CHECK_FALSE(fs::exists(rig.runs_dir / kId));
  rig.folders.apply(view::UndoTrash{}, "");
  CHECK(fs::exists(rig.runs_dir / kId));
  CHECK(rig.studies_changed == 4);
  rig.folders.apply(view::TrashStudy{"S-09"}, "");
  CHECK(rig.line.shown().tone == view::Tone::kError);
}

TEST_CASE("a run outside of the list is offered for import, and copied into the list") {
  FolderControllerRig rig;
  rig.folders.offer_import(rig.runs_dir / kId);
  CHECK(rig.line.shown().text.empty());
  const auto other = support::make_run(rig.folder.path() / "elsewhere", "20261121T110000Z-bbbbbb",
                                       support::demo_small(1));
  rig.folders.offer_import(other.path());
  CHECK(rig.says("outside the list"));
  REQUIRE(rig.line.shown().command);
  rig.folders.apply(std::get<view::FolderCommand>(*rig.line.shown().command), "");
  CHECK(rig.says("Importing"));
  REQUIRE(rig.until([&] { return rig.imported == 1; }));
  CHECK(rig.says("was imported"));
  CHECK(rig.until([&] { return rig.runs.runs().size() == 2; }));
  rig.folders.apply(view::ImportRun{(rig.folder.path() / "nothing").string()}, "");
  CHECK(rig.until([&] { return rig.line.shown().tone == view::Tone::kError; }));
}

TEST_CASE("the chosen path goes to the sheet that asked, and the next chooser begins with it") {
  FolderControllerRig rig;
  CHECK_FALSE(rig.seen().chooser.open);
  rig.folders.apply(view::BrowseRuns{}, "");
  CHECK(rig.seen().chooser.open);
  CHECK(rig.seen().chooser.begin == rig.runs_dir.string() + "/");
  REQUIRE(rig.until([&] { return rig.seen().chooser.listing != nullptr; }));
  const auto& entries = rig.seen().chooser.listing->entries;
  CHECK(std::ranges::count(entries, kId, &view::FolderEntry::name) == 1);
  const std::string chosen = (rig.runs_dir / kId).string();
  rig.folders.apply(view::ChoosePath{chosen}, "");
  CHECK_FALSE(rig.seen().chooser.open);
  CHECK(rig.seen().browsed.times == 1);
  CHECK(rig.seen().browsed.path == chosen);
  CHECK(rig.seen().browsed.use == view::ChooserUse::kOpen);
  rig.folders.apply(view::BrowseRuns{}, "");
  CHECK(rig.seen().chooser.begin == chosen);
  rig.folders.apply(view::ChoosePath{}, "");
  CHECK_FALSE(rig.seen().chooser.open);
  CHECK(rig.seen().browsed.times == 1);
  rig.folders.apply(view::BrowseExport{"/data/report.html", true}, "");
  CHECK(rig.seen().chooser.begin == "/data/report.html");
  rig.folders.apply(view::ChoosePath{"/data/other.html"}, "");
  CHECK(rig.seen().browsed.use == view::ChooserUse::kSaveFile);
  CHECK(rig.seen().chooser.recent.front() == "/data/");
}

TEST_CASE("the chooser lists the folder that was asked for last, and makes a new one") {
  FolderControllerRig rig;
  const std::string root = rig.folder.path().string() + "/";
  rig.folders.apply(view::BrowseExport{root, false}, "");
  rig.folders.apply(view::ListFolder{root + "none/"}, "");
  CHECK(rig.seen().chooser.listing == nullptr);
  REQUIRE(rig.until([&] { return rig.seen().chooser.listing != nullptr; }));
  CHECK(rig.seen().chooser.listing->problem.find("No such file") != std::string::npos);
  CHECK(rig.seen().chooser.folder == root + "none/");
  const std::uint64_t before = rig.seen().chooser.revision;
  rig.folders.apply(view::ListFolder{root + "none/", true}, "");
  REQUIRE(rig.until([&] { return rig.seen().chooser.listing != nullptr; }));
  CHECK(rig.seen().chooser.listing->problem.empty());
  CHECK(rig.seen().chooser.revision > before);
  CHECK(fs::is_directory(root + "none"));
}

TEST_CASE("a path that no program of the desktop shows is told, with why") {
  FolderControllerRig rig;
  const fs::path programs = rig.folder.path() / "programs";
  fs::create_directories(programs);
  const support::OnlyPath path(programs.string());
  rig.folders.apply(view::OpenFolder{"/runs/a/report.html"}, "");
  REQUIRE(rig.until([&] { return rig.says("No such file or directory"); }));
  CHECK(rig.line.shown().text ==
        "No program of this desktop shows /runs/a/report.html (xdg-open: No such file or "
        "directory).");
  CHECK(rig.line.shown().tone == view::Tone::kWarning);
  CHECK(rig.line.shown().copies == "/runs/a/report.html");
  const auto make_program = [&](const char* line) {
    rig.folder.write("programs/xdg-open", std::string("#!/bin/sh\n") + line + "\n");
    fs::permissions(programs / "xdg-open", fs::perms::owner_all);
  };
  make_program("exit 3");
  rig.folders.apply(view::OpenFolder{}, "/runs/a");
  REQUIRE(rig.until([&] { return rig.says("/runs/a (xdg-open: exit code 3)"); }));
  make_program("kill -9 $$");
  rig.folders.apply(view::OpenFolder{"/runs/b"}, "");
  REQUIRE(rig.until([&] { return rig.says("/runs/b (xdg-open: a signal ended it)"); }));
  // A program that shows it is not mentioned.
  const auto number = rig.line.shown().number;
  const std::string shown = (rig.folder.path() / "shown").string();
  make_program(("echo \"$1\" > " + shown).c_str());
  rig.folders.apply(view::OpenFolder{"/runs/c"}, "");
  REQUIRE(rig.until([&] { return read_text(shown).value_or("") == "/runs/c\n"; }));
  CHECK(rig.line.shown().number == number);
}

TEST_CASE("the chosen script is used, and a chosen folder is watched") {
  FolderControllerRig rig;
  rig.folders.apply(view::BrowseScript{}, "");
  CHECK(rig.seen().chooser.begin == fs::current_path().string() + "/");
  rig.folders.apply(view::ChoosePath{"/code/train.py"}, "");
  CHECK(rig.scripts == std::vector<std::string>{"/code/train.py"});
  rig.folders.apply(view::WatchFolder{}, "");
  rig.folders.apply(view::ChoosePath{(rig.folder.path() / "none").string()}, "");
  // The chosen folder is watched, or the message says why not.
  CHECK(rig.says("Following"));
  CHECK(rig.until([&] { return rig.line.shown().tone == view::Tone::kError; }));
}
