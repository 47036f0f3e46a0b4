// The layout of the window is stored: moved panels, closed docks, its position; one action resets
// everything. The smallest window is usable, too.
#include <filesystem>
#include <fstream>

#include "gui/view/choices.h"
#include "gui/view/window/sheet_labels.h"
#include "protocol/host/files.h"
#include "tests/gui/runs/run_on_disk.h"
#include "tests/integration/agent/agent_rig.h"
#include "tests/integration/dashboard/dashboard_rig.h"
#include "tests/support/catch.h"

namespace fs = std::filesystem;
using namespace ringside;
using testing::DashboardRig;
using testing::wait_until;

namespace {

constexpr const char* kId = "20261121T134005Z-7f3a1c";

std::string dashboard_layout_settings_of(const DashboardRig& rig) {
  return read_text(rig.cli.path() / "state" / "ringside" / "window.toml").value_or("");
}

bool saved(const DashboardRig& rig, const std::string& text) {
  return wait_until(
      10, [&] { return dashboard_layout_settings_of(rig).find(text) != std::string::npos; });
}

}  // namespace

TEST_CASE("moved and closed panels stay so, and one action resets them") {
  DashboardRig rig;
  support::make_run(rig.cli.runs(), kId, support::demo_small(2));
  rig.open({"--run", kId});
  rig.wait_for("Split live_side");
  const int drawn = rig.left_of("Split live_side");
  rig.drag("Split live_side", -200, 0);
  CHECK(wait_until(10, [&] { return rig.left_of("Split live_side") < drawn - 150; }));
  CHECK(saved(rig, "live_side"));
  rig.click("##dock ranks");
  rig.wait_until_gone("Sort by Step loss");
  CHECK(saved(rig, "[layout.closed]\nranks = true"));
  rig.kill_window();  // the layout is stored even if the window is killed
  rig.open({"--run", kId});
  rig.wait_for("Split live_side");
  CHECK(rig.left_of("Split live_side") < drawn - 150);
  CHECK_FALSE(rig.shows("Sort by Step loss"));
  rig.click(view::label::kSettings);
  rig.click(view::label::kResetLayout);
  rig.click(view::label::kClose);
  rig.wait_for("Sort by Step loss");
  CHECK(wait_until(10, [&] { return rig.left_of("Split live_side") == drawn; }));
  CHECK(wait_until(
      10, [&] { return dashboard_layout_settings_of(rig).find("[layout]") == std::string::npos; }));
}

TEST_CASE("the window opens at its last position") {
  DashboardRig rig;
  rig.open({});
  rig.click(view::name_of(view::Page::kRuns));
  rig.wait_for("##run filter");
  CHECK(saved(rig, "place = \"runs\""));
  rig.key("ctrl+q");
  CHECK(rig.wait_end(5) == 0);
  rig.open({});
  rig.wait_for("##run filter");
}

TEST_CASE("invalid settings are ignored, and the others are kept") {
  DashboardRig rig;
  fs::create_directories(rig.cli.path() / "state" / "ringside");
  std::ofstream(rig.cli.path() / "state" / "ringside" / "window.toml")
      << "place = 7\n[layout]\nlive_side = \"wide\"\nlive_logs = 40\nclosed = 3\n";
  rig.open({});
  rig.wait_for(view::name_of(view::Page::kLaunch));
}

TEST_CASE("the smallest window with the largest text can be used with the mouse") {
  DashboardRig rig;
  support::make_run(rig.cli.runs(), kId, support::demo_small(2));
  rig.open_until({"--size", "300x200", "--run", kId}, "Loss plot");
  rig.scroll_down(view::name_of(view::Page::kLive));  // the last pages are further down
  rig.click(view::name_of(view::Page::kMachines));
  rig.wait_until_gone("Loss plot");
  rig.kill_window();
  rig.open_until({"--size", "800x500", "--scale", "3", "--run", kId}, "Loss plot");
  rig.click(view::name_of(view::Page::kLaunch));
  rig.wait_until_gone("Loss plot");
}
