// Ten thousand runs in the list, run folders from elsewhere, and a window that closes at once.
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "gui/launch/child.h"
#include "gui/view/window/sheet_labels.h"
#include "protocol/host/files.h"
#include "tests/gui/runs/run_on_disk.h"
#include "tests/integration/agent/agent_rig.h"
#include "tests/integration/dashboard/dashboard_rig.h"
#include "tests/support/catch.h"
#include "tests/support/patience.h"

namespace fs = std::filesystem;
using namespace ringside;
using testing::DashboardRig;
using testing::wait_until;

namespace {

constexpr const char* kDashboardListId = "20261121T134005Z-7f3a1c";

/// Makes one short run, and copies of its two files under other ids, which the log does not mind.
void many_runs(const fs::path& runs, int count) {
  const auto first = support::make_run(runs, "20250101T000000Z-000000", support::demo_small(1));
  const std::string spec = read_text(first.spec_path()).value();
  const std::string log = read_text(first.log_path(0)).value().substr(0, 20'000);
  for (int i = 1; i < count; ++i) {
    char id[64];
    std::snprintf(id, sizeof id, "202501%02dT%02d%02d%02dZ-%06x", 2 + i / 3600 % 28, i / 3600 % 24,
                  i / 60 % 60, i % 60, static_cast<unsigned>(i));
    fs::create_directories(runs / id);
    std::ofstream(runs / id / "spec.toml", std::ios::binary) << spec;
    std::ofstream(runs / id / "node_0.log", std::ios::binary) << log;
  }
}

/// Seconds from the start of the window until it shows this text.
double seconds_until(DashboardRig& rig, const std::string& shown) {
  const std::int64_t begun = mono_now_ns();
  rig.open_until({"--place", "runs"}, shown);
  return static_cast<double>(mono_now_ns() - begun) * 1e-9;
}

double seconds_to_leave(DashboardRig& rig) {
  const std::int64_t begun = mono_now_ns();
  rig.key("ctrl+q");
  CHECK(rig.wait_end(5) == 0);
  return static_cast<double>(mono_now_ns() - begun) * 1e-9;
}

}  // namespace

TEST_CASE(
    "ringside --runs-dir opens the window with that folder, and commands list the same runs") {
  DashboardRig rig;
  support::make_run(rig.cli.runs(), kDashboardListId, support::demo_small(1));
  const fs::path ringside = rig.program.parent_path() / "ringside";
  const auto listed =
      launch::capture({ringside.string(), "--runs-dir", rig.cli.runs().string(), "list", "--json"},
                      testing::kPatienceNs);
  REQUIRE(listed);
  CHECK(listed->exit_code == 0);
  CHECK(listed->output.find(kDashboardListId) != std::string::npos);
  const auto own = launch::capture({ringside.string(), "--runs-dir", "/nowhere", "list", "--json",
                                    "--runs-dir", rig.cli.runs().string()},
                                   testing::kPatienceNs);
  REQUIRE(own);
  CHECK(own->output.find(kDashboardListId) != std::string::npos);
  rig.program = ringside;
  rig.open({});
  rig.key("5");
  rig.wait_for("Run #1");
}

TEST_CASE("ten thousand runs are listed at once, and need no time afterwards") {
  DashboardRig rig;
  // The time of a window without runs is subtracted.
  const double empty = seconds_until(rig, "##run filter");
  seconds_to_leave(rig);
  fs::remove_all(rig.cli.path() / "cache");
  many_runs(rig.cli.runs(), 10'000);
  const double first = seconds_until(rig, "Run #10000");
  // All logs are read gradually; then the cache is written.
  const fs::path cache = rig.cli.path() / "cache" / "ringside" / "catalogue";
  REQUIRE(wait_until(120, [&] { return fs::exists(cache) && !fs::is_empty(cache); }));
  double least = 1;
  for (int span = 0; span < 5 && least > 0.02; ++span) {
    const double begun = rig.cpu_seconds();
    const auto until = mono_now_ns() + 4'000'000'000;
    REQUIRE(wait_until(10, [&] { return mono_now_ns() >= until; }));
    least = std::min(least, (rig.cpu_seconds() - begun) / 4);
  }
  WARN("10,000 runs: list seen after " << first << " s, idle at " << least * 100 << " % of a core");
  CHECK(first - empty < 4);  // one second on an idle machine
  CHECK(least <= 0.03);
  seconds_to_leave(rig);
  const double second = seconds_until(rig, "Run #10000");
  WARN("again: list seen after " << second << " s");
  CHECK(second - empty < 4);
}

TEST_CASE("a run folder from elsewhere is opened by its path and copied into the list") {
  DashboardRig rig;
  const fs::path usb = rig.cli.path() / "usb";
  support::make_run(usb, kDashboardListId, support::demo_small(2));
  rig.open({});
  rig.press_for("ctrl+o", "##run path");
  rig.type_into("##run path", (usb / kDashboardListId).string());
  rig.click(view::label::kOpenInPlace);
  rig.wait_for("Loss plot");
  rig.click(view::label::kImport);
  rig.wait_for("Run #1");
  CHECK(fs::exists(rig.cli.runs() / kDashboardListId / "node_0.log"));
  CHECK(fs::exists(usb / kDashboardListId / "node_0.log"));
}

TEST_CASE("a folder that is not a run is refused with a message") {
  DashboardRig rig;
  fs::create_directories(rig.cli.path() / "empty");
  rig.open({});
  rig.press_for("ctrl+o", "##run path");
  rig.type_into("##run path", (rig.cli.path() / "empty").string());
  rig.click(view::label::kImport);
  rig.wait_for(view::label::kCloseMessage);
  CHECK((!fs::exists(rig.cli.runs()) || fs::is_empty(rig.cli.runs())));
}

TEST_CASE("a window that is still reading thousands of logs closes within a second") {
  DashboardRig rig;
  rig.open({"--place", "runs"});
  // Time for the key press and the end of any window on this machine.
  const double idle = seconds_to_leave(rig);
  many_runs(rig.cli.runs(), 3000);
  rig.open({"--place", "runs"});
  const double took = seconds_to_leave(rig);
  WARN("left after " << took << " s, one that reads nothing after " << idle << " s");
  CHECK(took - idle < 2);  // both are below one second on an idle machine
}
