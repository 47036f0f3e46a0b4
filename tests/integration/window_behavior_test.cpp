// Longer use of the window: runs are compared, named, deleted and restored, found by typing,
// replayed with seeking, and saved as pictures; and the window closes normally.

#include <filesystem>

#include "gui/view/runs/export_question.h"
#include "gui/view/runs/runs_view.h"
#include "gui/view/window/palette.h"
#include "gui/view/window/sheet_labels.h"
#include "gui/view/window/top_bar.h"
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

fs::path first_run(const fs::path& runs) {
  fs::path first;
  std::error_code ignored;
  for (fs::directory_iterator it(runs, ignored), end; it != end; it.increment(ignored)) {
    const bool run = fs::exists(it->path() / "spec.toml", ignored);
    if (run && (first.empty() || it->path() < first)) first = it->path();
  }
  return first;
}

void two_runs(DashboardRig& rig) {
  const auto experiment = rig.cli.experiment(2, {"--steps=50", "--step-ms=2"});
  REQUIRE(rig.cli.ringside({"run", experiment}).exit_code == 0);
  REQUIRE(rig.cli.ringside({"run", experiment}).exit_code == 0);
}

}  // namespace

TEST_CASE("runs are compared, named, deleted and restored with mouse and keys") {
  DashboardRig rig;
  two_runs(rig);
  rig.open({"--place", "runs"});
  rig.click("Mark #1");
  rig.click("Mark #2");
  rig.wait_for("Compared loss");
  rig.click(view::label::kClearMarks);
  rig.wait_until_gone("Compared loss");
  rig.click("Run #1");
  rig.wait_for("##run name");
  rig.click("##run name");
  rig.type("slow one");
  const fs::path run = first_run(rig.cli.runs());
  CHECK(wait_until(10, [&] {
    return read_text(run / "labels.toml").value_or("").find("slow one") != std::string::npos;
  }));
  rig.key("Return");
  rig.click(view::label::kDelete);
  REQUIRE(wait_until(10, [&] { return !fs::exists(run); }));
  rig.wait_until_gone("Run #1");
  CHECK(rig.shows("Run #2"));  // numbers do not change
  rig.click(view::label::kUndo);
  REQUIRE(wait_until(10, [&] { return fs::exists(run / "labels.toml"); }));
  rig.wait_for("Run #1");
}

TEST_CASE("commands typed into the palette are executed") {
  DashboardRig rig;
  two_runs(rig);
  rig.open({"--run", "last"});
  rig.wait_for("Loss plot");
  rig.press_for("ctrl+k", "##palette");
  rig.type_into("##palette", view::label::kSaveLossSvg);
  rig.wait_for(view::label::kSaveLossSvg);
  rig.key("Return");
  std::error_code ignored;
  const auto pictured = [&](const char* name) {
    for (fs::recursive_directory_iterator it(rig.cli.runs(), ignored), end; it != end;
         it.increment(ignored)) {
      if (it->path().filename() == name) return fs::file_size(it->path(), ignored) > 1000;
    }
    return false;
  };
  CHECK(wait_until(10, [&] { return pictured("loss.svg"); }));
  rig.wait_until_gone("##palette");
  rig.press_for("ctrl+k", "##palette");
  rig.type_into("##palette", view::label::kSaveLossPng);
  rig.wait_for(view::label::kSaveLossPng);
  rig.key("Return");
  CHECK(wait_until(10, [&] { return pictured("loss.png"); }));
}

TEST_CASE("a run is exported as chosen in the dialog, from the list and from the palette") {
  DashboardRig rig;
  two_runs(rig);
  const fs::path out = first_run(rig.cli.runs()) / "export";
  rig.open({"--place", "runs"});
  rig.click("Run #1");
  rig.click(view::label::kExportSelected);
  rig.click("Table hosts");
  rig.click("##now");
  REQUIRE(wait_until(20, [&] { return fs::exists(out / "shards.csv"); }));
  CHECK_FALSE(fs::exists(out / "hosts.csv"));
  rig.wait_until_gone("##now");
  rig.press_for("ctrl+e", "##now");
  rig.click(view::name_of(view::ExportKind::kTensorBoard));
  rig.wait_until_gone("Table hosts");
  rig.key("Return");
  REQUIRE(wait_until(20, [&] { return fs::exists(out / "tensorboard" / "rank_1"); }));
  rig.click(view::label::kOpenSelected);
  rig.wait_for("Loss plot");
  rig.press_for("ctrl+k", "##palette");
  rig.type_into("##palette", "html report");
  rig.wait_for(view::label::kExportHtml);
  rig.key("Return");
  REQUIRE(wait_until(20, [&] { return fs::exists(out / "report.html"); }));
}

TEST_CASE("a replay can be paused, sought and sped up") {
  DashboardRig rig;
  // The run takes some twenty seconds, so that it is not over before it is paused.
  support::make_run(rig.cli.runs(), "20261121T134005Z-7f3a1c", support::demo_small(2));
  rig.open({"--run", "last", "--replay", "0.5"});
  rig.wait_for("Loss plot");
  rig.click(view::label::kPause);
  rig.wait_for(view::label::kPlay);
  rig.click("Replay position");  // the middle of the slider
  rig.click(view::label::kPlay);
  rig.click("0.5×");
  rig.wait_for("100×");
  rig.click("100×");
  rig.wait_until_gone(view::label::kPause, 20);  // the replay has reached its end
  rig.click("100×");
  rig.wait_for("0.5×");
  rig.click("0.5×");  // otherwise the rest would be over within a frame
  rig.wait_until_gone("100×");
  rig.click("Replay position");  // seeks back
  rig.wait_for(view::label::kPause);
}

TEST_CASE("a run folder is opened by its path, and the window closes normally when asked") {
  DashboardRig rig;
  two_runs(rig);
  rig.open({first_run(rig.cli.runs()).string()});
  rig.wait_for("Loss plot");
  rig.key("ctrl+q");
  const int code = rig.wait_end(5);
  CHECK(code == 0);  // not a signal either, which would be 128 or more
}
