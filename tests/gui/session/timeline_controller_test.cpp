// Tests the Timeline page without a window: the shown source, what is read, and errors.
#include "gui/session/run/timeline_controller.h"

#include <condition_variable>
#include <fstream>
#include <mutex>

#include "gui/model/run_model.h"
#include "tests/gui/view/groups/made_groups.h"
#include "tests/support/catch.h"
#include "tests/support/patience.h"
#include "tests/support/temp_folder.h"

namespace ringside {
namespace {

namespace fs = std::filesystem;

fs::path write_trace(const fs::path& file, const std::string& name) {
  fs::create_directories(file.parent_path());
  std::ofstream(file) << R"([{"ph":"X","name":")" << name
                      << R"(","pid":1,"tid":1,"ts":1,"dur":2}])";
  return file;
}

struct TimelineRig {
  TimelineRig() { live.model = &run.model(); }

  /// Waits for running jobs until `done` holds.
  template <class Done>
  void until(const Done& done) {
    std::unique_lock lock(mutex);
    while (!done()) {
      REQUIRE(ended.wait_for(lock, testing::kPatience, [this] { return woken; }));
      woken = false;
      lock.unlock();
      jobs.finish();
      lock.lock();
    }
  }
  view::TimelineInput input() {
    view::TimelineInput shown;
    controller.fill(live, shown);
    return shown;
  }

  std::mutex mutex;
  std::condition_variable ended;
  bool woken = false;
  TempFolder folder;
  support::MadeRun run = support::run_of({{{"dp", 2}}, 3, 1});
  view::LiveInput live;
  session::Jobs jobs{[this] {
    const std::lock_guard lock(mutex);
    woken = true;
    ended.notify_one();
  }};
  session::TimelineController controller{jobs};
};

TEST_CASE("without a profile the recorded steps are shown, and they grow with the run") {
  TimelineRig rig;
  const runlog::RunFolder folder(rig.folder.path());
  rig.live.number_revision = 1;
  rig.controller.look(&folder);
  CHECK(rig.controller.update(rig.live));
  const auto input = rig.input();
  CHECK(input.sources == std::vector<std::string>{"Recorded steps"});
  REQUIRE(input.timeline != nullptr);
  CHECK(input.timeline->steps == 3);
  CHECK(input.operations != nullptr);
  CHECK_FALSE(rig.controller.update(rig.live));
  rig.live.number_revision = 2;
  CHECK(rig.controller.update(rig.live));
  CHECK(rig.input().revision > input.revision);
  CHECK(rig.input().source_revision == input.source_revision);
}

TEST_CASE("the newest profile of the run is shown, unless a person chose the recorded steps") {
  TimelineRig rig;
  write_trace(rig.folder.path() / "profiles/steps_4-6.json", "aten::mm");
  const runlog::RunFolder folder(rig.folder.path());
  rig.live.number_revision = 1;
  rig.controller.look(&folder);
  rig.until([&] { return rig.input().timeline != nullptr; });
  CHECK(rig.input().chosen == 1);
  CHECK(rig.input().sources.back() == "Profile of steps 4 to 6");
  CHECK(rig.input().timeline->names[0].text == "aten::mm");
  rig.controller.apply(view::ChooseTimeline{0});
  CHECK(rig.controller.update(rig.live));
  rig.controller.look(&folder);
  rig.jobs.finish();
  CHECK(rig.input().chosen == 0);
  rig.controller.look(nullptr);
  CHECK(rig.input().sources.empty());
  CHECK(rig.input().timeline == nullptr);
}

TEST_CASE(
    "the shown profile is found again by its file, and recorded steps replace a deleted one") {
  TimelineRig rig;
  const auto first = write_trace(rig.folder.path() / "profiles/steps_1-2.json", "first");
  const runlog::RunFolder folder(rig.folder.path());
  rig.controller.look(&folder);
  rig.until([&] { return rig.input().timeline != nullptr; });
  const bool by_person = GENERATE(false, true);
  if (by_person) rig.controller.apply(view::ChooseTimeline{1});
  rig.until([&] { return rig.input().timeline != nullptr; });
  const auto second = write_trace(rig.folder.path() / "profiles/steps_3-4.json", "second");
  fs::last_write_time(second, fs::last_write_time(first) + std::chrono::seconds(5));
  rig.controller.look(&folder);
  rig.until([&] { return rig.input().sources.size() == 3 && rig.controller.settled(); });
  const auto shown = rig.input();
  CHECK(shown.sources[shown.chosen] ==
        (by_person ? "Profile of steps 1 to 2" : "Profile of steps 3 to 4"));
  CHECK(shown.timeline->names[0].text == (by_person ? "first" : "second"));
  fs::remove(first);
  fs::remove(second);
  rig.controller.look(&folder);
  rig.until([&] { return rig.input().sources.size() == 1; });
  CHECK(rig.input().chosen == 0);
  CHECK(rig.input().timeline == nullptr);
}

TEST_CASE("an opened trace stays when a run is opened, and a damaged one shows its error") {
  TimelineRig rig;
  const auto good = write_trace(rig.folder.path() / "good.json", "Paint");
  rig.controller.open({good});
  CHECK(rig.input().share >= 0);
  rig.until([&] { return rig.input().timeline != nullptr; });
  const runlog::RunFolder folder(rig.folder.path());
  rig.controller.look(&folder);
  CHECK(rig.input().chosen == 1);
  CHECK(rig.input().timeline->names[0].text == "Paint");
  std::ofstream(rig.folder.path() / "bad.json") << R"([{"ph":)";
  rig.controller.open({rig.folder.path() / "bad.json"});
  rig.until([&] { return !rig.input().problem.empty(); });
  CHECK(rig.input().problem.find("bad.json, byte 1: the file ends in the middle") !=
        std::string::npos);
  CHECK(rig.input().timeline == nullptr);
  CHECK(rig.input().chosen == 2);
}

TEST_CASE("a read that was cancelled shows nothing") {
  TimelineRig rig;
  rig.controller.open({write_trace(rig.folder.path() / "good.json", "Paint")});
  rig.controller.apply(view::CancelTimeline{});
  CHECK(rig.controller.settled());
  CHECK(rig.input().problem == "Reading was cancelled.");
  rig.until([&] { return !rig.jobs.running("timeline 1"); });
  CHECK(rig.input().timeline == nullptr);
}

}  // namespace
}  // namespace ringside
