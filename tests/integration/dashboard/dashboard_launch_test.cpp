// The Launch page in the real window: one start for several presses, runs that wait in the queue,
// and a resume that is refused with the same reason as on the command line.
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "gui/launch/preflight/preflight.h"
#include "gui/launch/preset_file.h"
#include "gui/runs/find_run.h"
#include "gui/view/launch/launch_view.h"
#include "gui/view/window/sheet_labels.h"
#include "gui/view/window/top_bar.h"
#include "gui/view/words.h"
#include "protocol/host/files.h"
#include "tests/integration/agent/agent_rig.h"
#include "tests/integration/dashboard/dashboard_rig.h"
#include "tests/support/catch.h"

using namespace ringside;
using testing::DashboardRig;
using testing::wait_until;

namespace {

std::size_t runs_in(const DashboardRig& rig) {
  const auto listed = runs::list_runs(rig.cli.runs());
  return listed ? listed->size() : 0;
}

}  // namespace

TEST_CASE("a run from the window stores its preset's published figures, like one from a terminal") {
  DashboardRig rig;
  const std::string experiment = rig.cli.experiment(2, {"--steps=40", "--loss=1.5"});
  std::ofstream(experiment, std::ios::app)
      << "\n[published]\nsource = \"A paper\"\nhardware = \"two GPUs\"\n"
         "figures = [{ what = \"speedup\", printed = \"1.5x\", value = 1.5 }]\n"
         "[published.gate]\nranks = 2\nleast_time_cut = 0.2\nval_accuracy_above = 0.7\n";
  REQUIRE(rig.cli.ringside({"run", experiment}).exit_code == 0);
  rig.open({"--preset", experiment});
  rig.wait_for(launch::titles::kDevicesFree);
  rig.click(view::launch_label(2));
  REQUIRE(wait_until(30, [&] { return runs_in(rig) == 2; }));
  const auto typed = runs::find_run(rig.cli.runs(), "#1")->folder.path();
  const auto pressed = runs::find_run(rig.cli.runs(), "#2")->folder.path();
  const auto copy = launch::preset_copy_path(pressed, "experiment");
  REQUIRE(wait_until(30, [&] { return std::filesystem::exists(copy); }));
  CHECK(read_text(copy).value() == read_text(experiment).value());
  CHECK(read_text(copy).value() ==
        read_text(launch::preset_copy_path(typed, "experiment")).value());
  const auto preset = launch::preset_of_run(pressed);
  REQUIRE(preset);
  CHECK(preset->name == "experiment");
  CHECK(preset->file.published.source == "A paper");
  CHECK(preset->file.published.gate.has_value());
}

TEST_CASE("six quick presses of Ctrl Enter start one study") {
  DashboardRig rig;
  rig.open({"--preset", rig.cli.experiment(2, {"--steps=100000"})});
  rig.wait_for(view::launch_label(2));
  rig.wait_for(launch::titles::kDevicesFree);  // the checks must allow the start
  rig.press_for("ctrl+Return", view::label::kStop);
  for (int press = 0; press < 5; ++press) rig.key("ctrl+Return");
  rig.wait_for(view::rank_name(1), 30);
  CHECK(runs_in(rig) == 1);
}

TEST_CASE("presses without a pause also start one study") {
  DashboardRig rig;
  rig.open({"--preset", rig.cli.experiment(2, {"--steps=100000"})});
  rig.wait_for(view::launch_label(2));
  rig.wait_for(launch::titles::kDevicesFree);  // the checks must allow the start
  rig.keys(std::vector<std::string>(6, "ctrl+Return"));
  rig.wait_for(view::rank_name(1), 30);
  CHECK(runs_in(rig) == 1);
}

TEST_CASE("a queued run is shown as such on Live, and Stop removes it from the queue") {
  testing::keep_two_cores();
  DashboardRig rig;
  const auto experiment = rig.cli.experiment(2, {"--steps=100000"});
  REQUIRE(rig.cli.ringside({"run", experiment, "--detach"}).exit_code == 0);
  rig.open({"--preset", experiment});
  rig.wait_for(launch::titles::kDevicesFree);
  rig.click(view::launch_label(2));
  REQUIRE(wait_until(30, [&] {
    const auto run = runs::find_run(rig.cli.runs(), "#2");
    const auto state = run ? testing::last_state(run->folder, kNoRank) : std::nullopt;
    return state && state->state == messages::State::kQueued && !state->text.empty();
  }));
  rig.click(view::label::kStop);
  rig.click(view::label::kLeaveQueue);
  const auto run = runs::find_run(rig.cli.runs(), "#2");
  REQUIRE(wait_until(20, [&] {
    return testing::last_state(run->folder, kNoRank)->state == messages::State::kStopped;
  }));
  CHECK_FALSE(std::filesystem::exists(run->folder.attempt_dir(0)));
  CHECK(testing::last_state(runs::find_run(rig.cli.runs(), "#1")->folder, kNoRank)->state ==
        messages::State::kTraining);
}
