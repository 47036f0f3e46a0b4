// Alerts in the real window: the banner, the person's own program, the settings and their file.
#include <filesystem>
#include <fstream>

#include "gui/view/live/event_strip.h"
#include "gui/view/window/sheet_labels.h"
#include "protocol/host/files.h"
#include "tests/integration/agent/agent_rig.h"
#include "tests/integration/dashboard/dashboard_rig.h"
#include "tests/support/catch.h"
#include "tests/support/file_size_limit.h"

namespace fs = std::filesystem;
using namespace ringside;
using testing::DashboardRig;
using testing::wait_until;

namespace {

fs::path settings_of(const DashboardRig& rig) {
  return rig.cli.path() / "config" / "ringside" / "alerts.toml";
}

/// Settings with a program that writes a line per call.
void use_program(const DashboardRig& rig) {
  const fs::path program = rig.cli.path() / "tell";
  std::ofstream(program) << "#!/bin/sh\necho \"$RINGSIDE_ALERT|$RINGSIDE_RANK|$RINGSIDE_STEP\" >> '"
                         << (rig.cli.path() / "told").string() << "'\n";
  fs::permissions(program, fs::perms::owner_all);
  fs::create_directories(settings_of(rig).parent_path());
  std::ofstream(settings_of(rig)) << "command = ['" << program.string() << "']\n";
}

bool was_told(const DashboardRig& rig, const std::string& line) {
  return ("\n" + read_text(rig.cli.path() / "told").value_or("")).find("\n" + line) !=
         std::string::npos;
}

void wait_for_steps(const DashboardRig& rig) {
  REQUIRE(wait_until(30, [&] {
    return rig.cli.ringside({"show", "last", "--json"}).output.find("\"training\"") !=
           std::string::npos;
  }));
}

}  // namespace

TEST_CASE(
    "R9: a log that cannot be written gives a banner, which is reported once and can be "
    "dismissed") {
  DashboardRig rig;
  use_program(rig);
  {
    const FileSizeLimit limit(64 * 1024);
    rig.cli.start({"run", rig.cli.experiment(1, {"--steps=1000000", "--step-ms=2"}), "--detach"},
                  rig.cli.path() / "out");
  }
  wait_for_steps(rig);
  rig.open({"--run", "last"});
  rig.wait_for(view::label::kDismiss);
  rig.click(view::label::kDismiss);
  rig.wait_until_gone(view::label::kDismiss);
  CHECK(rig.cli.ringside({"stop", "last", "--now"}).exit_code == 0);
  // The log has no room for the end of the run either.
  REQUIRE(wait_until(20, [&] { return was_told(rig, "run_interrupted|"); }));
}

TEST_CASE(
    "a loss that breaks in an open run gives an alert, whose rule can be switched off in the "
    "window") {
  DashboardRig rig;
  use_program(rig);
  const fs::path gate = rig.cli.path() / "gate";
  rig.cli.start(
      {"run",
       rig.cli.experiment(2, {"--steps=100000", "--step-ms=10", "--loss=1.5", "--nan-at=240",
                              "--only-rank=1", "--gate=" + gate.string(), "--gate-at=40"}),
       "--detach"},
      rig.cli.path() / "out");
  wait_for_steps(rig);
  rig.open_until({"--run", "last"}, "Loss plot");
  std::ofstream(gate) << "it is watched";
  REQUIRE(wait_until(40, [&] { return was_told(rig, "loss_not_finite|1|240"); }));
  rig.wait_for("Banner");
  rig.click("Events");
  rig.click(view::label::kAlertSettings);
  rig.click("Rule Loss is NaN or Inf");
  REQUIRE(wait_until(10, [&] {
    return read_text(settings_of(rig)).value_or("").find("loss_not_finite") != std::string::npos;
  }));
  CHECK(read_text(settings_of(rig)).value_or("").find("tell") != std::string::npos);
  rig.click(view::label::kCloseAlerts);
  rig.wait_until_gone("Banner");
  CHECK(rig.cli.ringside({"stop", "last", "--now"}).exit_code == 0);
  REQUIRE(wait_until(20, [&] { return was_told(rig, "run_stopped|"); }));
  const std::string all = read_text(rig.cli.path() / "told").value_or("");
  CHECK(all.find("loss_not_finite") == all.rfind("loss_not_finite"));
}
