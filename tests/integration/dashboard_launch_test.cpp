// The Launch place in the real window: one experiment for many presses, runs that wait their turn,
// and a resume that is refused for the reason that the command line gives.
#include <string>
#include <vector>

#include "gui/launch/preflight.h"
#include "gui/runs/find_run.h"
#include "gui/view/launch/launch_view.h"
#include "gui/view/window/sheet_labels.h"
#include "gui/view/window/top_bar.h"
#include "gui/view/words.h"
#include "tests/integration/agent_rig.h"
#include "tests/integration/dashboard_rig.h"
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

TEST_CASE("six quick presses of Ctrl Enter start one experiment") {
  DashboardRig rig;
  rig.open({"--preset", rig.cli.experiment(2, {"--steps=100000"})});
  rig.wait_for(view::launch_label(2));
  rig.wait_for(launch::titles::kDevicesFree);  // not before the checks allow it
  rig.press_for("ctrl+Return", view::label::kStop);
  for (int press = 0; press < 5; ++press) rig.key("ctrl+Return");
  rig.wait_for(view::rank_name(1), 30);
  CHECK(runs_in(rig) == 1);
}

TEST_CASE("presses without a pause, too, start one experiment") {
  DashboardRig rig;
  rig.open({"--preset", rig.cli.experiment(2, {"--steps=100000"})});
  rig.wait_for(view::launch_label(2));
  rig.wait_for(launch::titles::kDevicesFree);  // not before the checks allow it
  rig.keys(std::vector<std::string>(6, "ctrl+Return"));
  rig.wait_for(view::rank_name(1), 30);
  CHECK(runs_in(rig) == 1);
}

TEST_CASE("a run that waits its turn says so on Live, and Stop takes it off the queue") {
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
  rig.click(view::label::kCheckpointAndStop);
  const auto run = runs::find_run(rig.cli.runs(), "#2");
  REQUIRE(wait_until(20, [&] {
    return testing::last_state(run->folder, kNoRank)->state == messages::State::kStopped;
  }));
  CHECK_FALSE(std::filesystem::exists(run->folder.attempt_dir(0)));
  CHECK(testing::last_state(runs::find_run(rig.cli.runs(), "#1")->folder, kNoRank)->state ==
        messages::State::kTraining);
}
