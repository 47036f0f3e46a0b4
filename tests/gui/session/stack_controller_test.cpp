#include "gui/session/run/stack_controller.h"

#include <chrono>
#include <filesystem>
#include <semaphore>
#include <thread>

#include "tests/support/catch.h"
#include "tests/support/patience.h"
#include "tests/support/temp_folder.h"

using namespace ringside;
using session::Jobs;
using session::StackController;

namespace {

constexpr auto kLong = testing::kPatience;

struct StackControllerRig {
  std::counting_semaphore<> woken{0};
  Jobs jobs{[this] { woken.release(); }};
  TempFolder place;
  runlog::RunFolder folder{place.path()};

  void finish() {
    REQUIRE(woken.try_acquire_for(kLong));
    CHECK(jobs.finish());
  }
};

}  // namespace

TEST_CASE("stacks are read only after the person agreed, and are then shown") {
  StackControllerRig rig;
  int readings = 0;
  std::filesystem::path read_from;
  StackController stacks(rig.jobs, [&](const auto& folder, Rank rank, const auto&) {
    ++readings;
    read_from = folder.path();
    std::vector<launch::RankStack> found{{rank, 4711, "gdb", "#0  poll ()\n", ""}};
    return Result<std::vector<launch::RankStack>>(std::move(found));
  });
  stacks.apply(view::ReadStack{}, &rig.folder);  // the question was not opened
  stacks.apply(view::AskStack{1}, nullptr);      // no run is open
  CHECK_FALSE(stacks.open());
  stacks.apply(view::AskStack{1}, &rig.folder);
  CHECK(stacks.open());
  CHECK_FALSE(stacks.view().question.empty());
  CHECK(readings == 0);
  stacks.apply(view::ReadStack{}, &rig.folder);
  stacks.apply(view::ReadStack{}, &rig.folder);  // a reading is active
  CHECK_FALSE(stacks.view().progress.empty());
  rig.finish();
  CHECK(readings == 1);
  CHECK(read_from == rig.folder.path());
  CHECK(stacks.view().progress.empty());
  CHECK(stacks.view().text.find("Rank 1, pid 4711, by gdb:") == 0);
  stacks.apply(view::AskStack{kNoRank, false}, &rig.folder);
  CHECK_FALSE(stacks.open());
}

TEST_CASE("the reason for a missing stack is shown, and reading can be repeated") {
  StackControllerRig rig;
  // No rank of such a run is alive.
  StackController stacks(rig.jobs);
  stacks.apply(view::AskStack{3}, &rig.folder);
  for (int times = 0; times < 2; ++times) {
    stacks.apply(view::ReadStack{}, &rig.folder);
    CHECK(stacks.view().problem.empty());
    rig.finish();
    CHECK(stacks.view().problem.find("rank 3 of run") == 0);
  }
}

TEST_CASE("closing cancels the reading, and a late answer is ignored") {
  StackControllerRig rig;
  std::binary_semaphore reading{0};
  StackController stacks(rig.jobs, [&](const auto&, Rank, const launch::Cancelled& cancelled) {
    reading.release();
    while (!cancelled()) std::this_thread::yield();
    return Result<std::vector<launch::RankStack>>(failure("no longer wanted"));
  });
  stacks.apply(view::AskStack{0}, &rig.folder);
  stacks.apply(view::ReadStack{}, &rig.folder);
  REQUIRE(reading.try_acquire_for(kLong));
  stacks.apply(view::AskStack{2}, &rig.folder);
  rig.finish();
  CHECK(stacks.view().title == "Stack of rank 2");
  CHECK(stacks.view().problem.empty());
  CHECK_FALSE(stacks.view().question.empty());
}
