// Profiles as the window makes them, of a run whose ranks do not answer.
#include "gui/session/run/profile_controller.h"

#include <condition_variable>
#include <mutex>

#include "tests/gui/runs/run_on_disk.h"
#include "tests/support/catch.h"
#include "tests/support/patience.h"
#include "tests/support/temp_folder.h"

namespace fs = std::filesystem;
using namespace ringside;

namespace {

TEST_CASE("a run that has ended is not profiled, and the message says so") {
  TempFolder folder;
  const auto made =
      support::make_run(folder.path(), "20261121T134005Z-7f3a1c", support::demo_small(2));
  std::mutex mutex;
  std::condition_variable ended;
  bool woken = false;
  session::MessageLine line;
  session::Jobs jobs([&] {
    const std::lock_guard lock(mutex);
    woken = true;
    ended.notify_one();
  });
  session::ProfileController profile(jobs, line);
  profile.apply(view::ProfileRun{}, nullptr);
  CHECK(line.shown().text.empty());
  const auto run = runs::find_run(folder.path(), "last");
  REQUIRE(run);
  profile.apply(view::ProfileRun{}, &*run);
  REQUIRE(line.shown().command);
  CHECK(view::as<view::CancelProfile>(*line.shown().command) != nullptr);
  {
    std::unique_lock lock(mutex);
    REQUIRE(ended.wait_for(lock, testing::kPatience, [&] { return woken; }));
  }
  jobs.finish();
  CHECK(line.shown().text == "Not profiled: the run has ended");
  CHECK(line.shown().tone == view::Tone::kError);
  CHECK_FALSE(fs::exists(made.path() / "profile_request"));
}

}  // namespace
