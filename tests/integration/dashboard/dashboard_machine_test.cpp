// The window with another machine, which is this one behind a program in place of ssh.
#include <filesystem>

#include "protocol/host/files.h"
#include "tests/gui/runs/run_on_disk.h"
#include "tests/integration/dashboard/dashboard_rig.h"
#include "tests/integration/remote_rig.h"
#include "tests/support/catch.h"

using namespace ringside;
using testing::DashboardRig;

TEST_CASE("the window lists and opens the runs of another machine from copies of them") {
  constexpr const char* kId = "20261121T134005Z-7f3a1c";
  const TempFolder program;
  testing::fake_ssh(program.path());
  DashboardRig rig({"RINGSIDE_SSH=" + (program.path() / "ssh").string()});
  const auto run = support::make_run(rig.cli.runs(), kId, support::demo_small(2));
  rig.open_until({"--on", "ssh://box", "--place", "runs"}, "Run #1");
  rig.kill_window();
  // The named run is opened; its data comes from its copy, which is complete.
  rig.open({"--on", "ssh://box/last"});
  std::filesystem::path copy;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(rig.cli.path())) {
    const bool of_machine = entry.path().string().find("/machines/") != std::string::npos;
    if (of_machine && entry.path().filename() == kId) copy = entry.path();
  }
  REQUIRE(!copy.empty());
  CHECK(read_text(copy / "node_0.log").value() == read_text(run.log_path(0)).value());
}
