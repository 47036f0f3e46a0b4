// The window as a person uses it, with real processes: from Launch to a written CSV, stopping,
// closing, opening again.
#include <algorithm>
#include <csignal>
#include <cstdint>
#include <filesystem>
#include <fstream>

#include "gui/view/choices.h"
#include "gui/view/launch/launch_view.h"
#include "gui/view/runs/runs_view.h"
#include "gui/view/window/sheet_labels.h"
#include "gui/view/window/top_bar.h"
#include "gui/view/words.h"
#include "protocol/host/files.h"
#include "tests/integration/agent/agent_rig.h"
#include "tests/integration/dashboard/dashboard_rig.h"
#include "tests/support/catch.h"
#include "tests/support/paths.h"
#include "tests/support/temp_folder.h"

namespace fs = std::filesystem;
using namespace ringside;
using testing::DashboardRig;
using testing::wait_until;

namespace {

/// Completed exports: before that the files are in a hidden folder.
std::vector<fs::path> exported_steps(const fs::path& runs) {
  std::vector<fs::path> found;
  std::error_code ignored;
  for (fs::recursive_directory_iterator it(runs, ignored), end; it != end; it.increment(ignored)) {
    const fs::path& path = it->path();
    if (path.filename() == "steps.csv" && path.parent_path().filename() == "export") {
      found.push_back(path);
    }
  }
  return found;
}

std::size_t lines_of(const fs::path& file) {
  std::ifstream in(file);
  std::size_t lines = 0;
  for (std::string line; std::getline(in, line);) ++lines;
  return lines;
}

}  // namespace

TEST_CASE("from Launch to a written CSV with the mouse alone") {
  DashboardRig rig;
  rig.open({"--preset", rig.cli.experiment(2, {"--steps=60", "--step-ms=5"}, "run")});
  rig.click(view::launch_label(2));
  rig.wait_for("Loss plot");
  // The baseline has ended, and the run with two ranks is open.
  rig.wait_for(view::rank_name(1), 40);
  rig.wait_until_gone(view::label::kStop, 40);  // the run has ended
  rig.click(view::label::kExport);
  rig.click("##now");
  REQUIRE(wait_until(20, [&] { return !exported_steps(rig.cli.runs()).empty(); }));
  const auto steps = exported_steps(rig.cli.runs());
  REQUIRE(steps.size() == 1);
  CHECK(lines_of(steps[0]) == 1 + 2 * 60);  // a header, then one row per rank and step
  rig.click(view::name_of(view::Page::kRuns));
  rig.wait_for("Run #2");
  CHECK(rig.shows("Run #1"));
}

TEST_CASE(
    "a limit on the size of files does not end the window, but is an error of what is written") {
  DashboardRig rig;
  rig.open({"--place", "runs"});
  std::ifstream status("/proc/" + std::to_string(rig.window_pid()) + "/status");
  std::uint64_t ignored = 0;
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("SigIgn:")) ignored = std::stoull(line.substr(7), nullptr, 16);
  }
  CHECK((ignored >> (SIGXFSZ - 1) & 1) == 1);
}

TEST_CASE("Stop asks for confirmation, and the run ends with its state") {
  DashboardRig rig;
  rig.open({"--preset", rig.cli.experiment(2, {"--steps=100000", "--step-ms=5"})});
  rig.click(view::launch_label(2));
  rig.click(view::label::kStop);
  rig.click(view::label::kKeepTraining);
  rig.wait_until_gone(view::label::kKeepTraining);
  rig.click(view::label::kStop);
  rig.click(view::label::kAskToEnd);
  rig.wait_until_gone(view::label::kStop, 100);
  const auto shown = rig.cli.json_of({"show", "last", "--json"});
  CHECK(shown.dump().find("stopped") != std::string::npos);
}

TEST_CASE("a run that ends while its display is paused is not shown as interrupted") {
  DashboardRig rig;
  rig.open({"--preset", rig.cli.experiment(2, {"--steps=100000", "--step-ms=5"})});
  rig.click(view::launch_label(2));
  rig.wait_for(view::rank_name(1), 40);
  rig.click(view::label::kPause);
  rig.wait_for(view::label::kBackToLive);
  REQUIRE(rig.cli.ringside({"stop", "last"}).exit_code == 0);
  rig.wait_until_gone(view::label::kStop, 40);  // its agent has ended
  CHECK(rig.shows(view::label::kBackToLive));
  CHECK_FALSE(rig.shows(view::label::kResume));
  rig.click(view::label::kBackToLive);
  rig.wait_until_gone(view::label::kBackToLive);
  CHECK_FALSE(rig.shows(view::label::kResume));
}

TEST_CASE("R2: a killed window does not affect the run, and a new one shows it without a gap") {
  DashboardRig rig;
  rig.open({"--preset", rig.cli.experiment(2, {"--steps=400", "--step-ms=10"})});
  rig.click(view::launch_label(2));
  rig.wait_for(view::rank_name(1), 30);
  rig.kill_window();
  rig.open({"--run", "last"});
  rig.wait_for(view::rank_name(1), 30);
  rig.wait_until_gone(view::label::kStop, 60);
  rig.click(view::label::kExport);
  rig.click("##now");
  // The file is there before all of its lines are.
  CHECK(wait_until(20, [&] {
    const auto files = exported_steps(rig.cli.runs());
    return !files.empty() && lines_of(files[0]) == 1 + 2 * 400;
  }));
}

TEST_CASE("a finished run can be opened, replayed and saved as a picture") {
  DashboardRig rig;
  const auto experiment = rig.cli.experiment(2, {"--steps=50", "--step-ms=2"});
  REQUIRE(rig.cli.ringside({"run", experiment}).exit_code == 0);
  std::string errors;
  const fs::path picture = rig.cli.path() / "picture.png";
  CHECK(rig.run_to_end({"--runs-dir", rig.cli.runs().string(), "--run", "last", "--screenshot",
                        picture.string()},
                       errors) == 0);
  INFO(errors);
  const auto bytes = read_text(picture);
  REQUIRE(bytes);
  CHECK(bytes->substr(1, 3) == "PNG");
  CHECK(bytes->size() > 20'000);
  rig.open({});
  rig.click(view::name_of(view::Page::kRuns));
  rig.click("Run #1");
  rig.click(view::label::kReplay);
  rig.wait_for("Loss plot");
}

TEST_CASE("without a display the window suggests the command line and exits with 2") {
  DashboardRig rig;
  std::string errors;
  CHECK(rig.run_to_end({"--runs-dir", rig.cli.runs().string()}, errors, false) == 2);
  CHECK(errors.find("ringside run") != std::string::npos);
}

TEST_CASE("without OpenGL 3.3 the window says so, suggests the command line and exits with 2") {
  DashboardRig rig({"MESA_GL_VERSION_OVERRIDE=2.1", "LIBGL_ALWAYS_SOFTWARE=1"});
  std::string errors;
  CHECK(rig.run_to_end({"--runs-dir", rig.cli.runs().string()}, errors) == 2);
  INFO(errors);
  CHECK(errors.find("OpenGL 3.3") != std::string::npos);
  CHECK(errors.find("ringside run") != std::string::npos);
}

TEST_CASE("without any system font the window uses its own and says so") {
  const TempFolder folder;
  folder.write("none.conf", "<?xml version=\"1.0\"?><fontconfig></fontconfig>");
  DashboardRig rig({"FONTCONFIG_FILE=" + (folder.path() / "none.conf").string()});
  rig.open({});
  rig.wait_for(view::name_of(view::Page::kLaunch));
  rig.wait_for(view::label::kCloseMessage);
}

TEST_CASE("an invalid request exits with 2 and says why") {
  DashboardRig rig;
  std::string errors;
  const std::string runs = rig.cli.runs().string();
  CHECK(rig.run_to_end({"--runs-dir", runs, "--preset", "dmeo"}, errors) == 2);
  CHECK(errors.find("demo") != std::string::npos);
  CHECK(rig.run_to_end({"--runs-dir", runs, "--run", "nothing"}, errors) == 2);
  CHECK(rig.run_to_end({"--size", "tiny"}, errors) == 2);
  CHECK(errors.find("1600x900") != std::string::npos);
}

TEST_CASE("an idle window uses almost no CPU time") {
  DashboardRig rig;
  rig.open({"--preset", rig.cli.experiment(2, {"--steps=10"})});
  rig.wait_for(view::launch_label(2));
  // The first intervals may contain frames of its start, and on a busy machine one of a late
  // wake-up.
  double least = 1;
  for (int span = 0; span < 5 && least > 0.02; ++span) {
    const double begun = rig.cpu_seconds();
    const auto until = mono_now_ns() + 3'000'000'000;
    REQUIRE(wait_until(10, [&] { return mono_now_ns() >= until; }));
    least = std::min(least, rig.cpu_seconds() - begun);
  }
  CHECK(least <= 0.02);  // of three seconds: below 1 % of a core
}
