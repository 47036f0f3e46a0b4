// Another machine from the window as a person uses it, through a real ssh and sshd and with the
// real trainer: chosen, launched there, watched, cut, healed, exported. A recording of it:
//   RINGSIDE_RECORD=FOLDER ./dev test --ssh -R "from choosing a machine"
#include <filesystem>

#include "gui/launch/preflight/preflight.h"
#include "gui/view/choices.h"
#include "gui/view/launch/launch_view.h"
#include "gui/view/window/machine_view.h"
#include "gui/view/window/top_bar.h"
#include "gui/view/words.h"
#include "protocol/host/files.h"
#include "tests/integration/agent/agent_rig.h"
#include "tests/integration/dashboard/dashboard_rig.h"
#include "tests/integration/sshd_rig.h"
#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"

using namespace ringside;
using namespace ringside::testing;

namespace {

namespace fs = std::filesystem;

/// The newest run in a runs folder that has several ranks; empty: there is none.
fs::path run_in(const fs::path& runs_dir) {
  fs::path newest;
  std::error_code error;
  for (fs::directory_iterator it(runs_dir, error), end; !error && it != end; it.increment(error)) {
    const auto spec = read_text(it->path() / "spec.toml");
    const bool several = spec && spec->find("world_size = 2") != spec->npos;
    if (several && it->path() > newest) newest = it->path();
  }
  return newest;
}

std::uintmax_t size_of(const fs::path& file) {
  std::error_code error;
  const auto size = fs::file_size(file, error);
  return error ? 0 : size;
}

}  // namespace

TEST_CASE("from choosing a machine to an export of its run, through a real sshd") {
  if (!has_sshd()) return;
  const SshdRig box;
  if (!box.runs_here()) return;
  const fs::path exports = box.at("exports_here");
  DashboardRig rig({"RINGSIDE_SSH=" + box.at("ssh").string(), "XDG_DATA_HOME=" + exports.string(),
                    "RINGSIDE_SET_TRAIN_EPOCHS=6", "RINGSIDE_SET_BASELINE_MODE=none"});
  rig.open({"--preset", "demo"});
  rig.record("1_this_machine");
  rig.click(view::label::kChooseMachine);
  rig.type_into("##machine", "box");
  rig.wait_for("ssh://box");
  rig.record("2_choose");
  rig.key("Return");
  rig.wait_for("##run filter", 60);
  rig.click(view::name_of(view::Page::kLaunch));
  rig.wait_for("Other machine", 60);  // the machine has answered, and runs the other checks later
  rig.record("3_launch_there");
  rig.click(view::launch_label(2));
  rig.wait_for(view::rank_name(1), 120);
  const fs::path there = run_in(box.at("home") / "data/ringside/runs");
  REQUIRE(!there.empty());
  fs::path here;
  for (const auto& entry : fs::recursive_directory_iterator(rig.cli.path() / "cache"))
    if (entry.path().filename() == there.filename()) here = entry.path();
  REQUIRE(!here.empty());
  REQUIRE(wait_until(60, [&] { return size_of(here / "node_0.log") > 20'000; }));
  rig.record("4_live");
  // The run is not affected by the cut, which is reported here.
  const auto connections = box.connections();
  box.set_connected(false);
  REQUIRE(wait_until(60, [&] { return box.connections() >= connections + 2; }));
  const auto at_the_cut = size_of(here / "node_0.log");
  REQUIRE(wait_until(60, [&] { return size_of(there / "node_0.log") > at_the_cut; }));
  CHECK(size_of(here / "node_0.log") == at_the_cut);
  rig.record("5_cut");
  box.set_connected(true);
  REQUIRE(wait_until(60, [&] { return size_of(here / "node_0.log") > at_the_cut; }));
  rig.wait_until_gone(view::label::kStop, 180);
  CHECK(read_text(here / "node_0.log").value() == read_text(there / "node_0.log").value());
  rig.record("6_healed");
  rig.click(view::label::kExport);
  rig.click("##now");
  const auto written = [&] {
    std::error_code error;
    for (fs::recursive_directory_iterator it(exports, error), end; !error && it != end;
         it.increment(error))
      if (it->path().filename() == "steps.csv") return true;
    return false;
  };
  REQUIRE(wait_until(60, written));
  rig.record("7_exported");
}
