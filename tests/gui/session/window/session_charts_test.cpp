// Tests charts of the open run and of the comparison as text and as files. No window is opened.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>

#include "gui/session/window/session.h"
#include "protocol/host/files.h"
#include "tests/gui/runs/run_on_disk.h"
#include "tests/support/catch.h"
#include "tests/support/session_until.h"
#include "tests/support/temp_folder.h"

using namespace ringside;
using namespace ringside::session;
namespace fs = std::filesystem;

namespace {

constexpr const char* kFirstCharted = "20261121T101000Z-aaaaaa";
constexpr const char* kSecondCharted = "20261121T101100Z-aaaaaa";

struct ChartFilesRig {
  ChartFilesRig() {
    ::setenv("XDG_CONFIG_HOME", (folder.path() / "config").c_str(), 1);
    for (const char* id : {kFirstCharted, kSecondCharted})
      support::make_run(runs_dir(), id, support::demo_small(2));
    Session::Options wanted;
    wanted.runs_dir = runs_dir();
    wanted.run = kSecondCharted;
    session = std::make_unique<Session>(wanted, [] {});
    REQUIRE(session->start());
    REQUIRE(until([this](const view::ScreenInput& input) {
      return session->reached("ready") && input.runs.runs.size() == 2 && input.runs.unread == 0;
    }));
  }
  template <class Holds>
  bool until(Holds&& holds) {
    return testing::until(*session, holds);
  }
  /// Returns the text that is copied to the clipboard.
  std::string copied(const std::string& chart) {
    for (const view::WindowCommand& one : session->execute({view::ChartData{chart, true}}))
      if (const auto* copy = std::get_if<view::CopyText>(&one)) return copy->text;
    return {};
  }
  fs::path runs_dir() const { return folder.path() / "runs"; }
  fs::path exports(const char* run) const { return runs_dir() / run / "export"; }

  TempFolder folder;
  std::unique_ptr<Session> session;
};

std::size_t lines_in(const std::string& text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

}  // namespace

TEST_CASE("the numbers of a chart are copied with every step and saved as CSV beside the run") {
  ChartFilesRig rig;
  (void)rig.session->execute({view::SetXAxis{view::XAxis::kStep}});
  const auto steps = rig.session->input().live.model->steps_end();
  const std::string text = rig.copied("loss");
  CHECK(text.starts_with("step\tr0\tr1\tmean\tranks lowest\tranks highest\n"));
  CHECK(lines_in(text) == steps + 1);
  (void)rig.session->execute({view::ChartData{"loss", false}});
  const fs::path file = rig.exports(kSecondCharted) / "loss.csv";
  CHECK(rig.until([&](const view::ScreenInput&) { return fs::exists(file); }));
  CHECK(read_text(file).value().starts_with("step,r0,r1,mean,ranks lowest,ranks highest\r\n"));
  CHECK(rig.copied("metric.no such value").empty());
}

TEST_CASE("a chart of a run that was deleted meanwhile is not saved, and makes no run folder") {
  ChartFilesRig rig;
  const fs::path run = rig.runs_dir() / kSecondCharted;
  fs::rename(run, rig.folder.path() / "moved away");
  (void)rig.session->execute({view::ChartData{"loss", false}});
  CHECK(rig.session->line().shown().text.find(" is gone") != std::string::npos);
  (void)rig.session->execute({view::SaveImage{"loss", true, {}}});
  for (const view::WindowCommand& one : rig.session->execute({view::SaveImage{"loss", false, {}}}))
    CHECK_FALSE(std::holds_alternative<view::TakePicture>(one));
  CHECK_FALSE(fs::exists(run));
}

TEST_CASE("a compared chart is copied and drawn, with its file in the folder of the first run") {
  ChartFilesRig rig;
  CHECK(rig.copied("compare.loss").empty());
  (void)rig.session->execute(
      {view::MarkRun{kFirstCharted, true}, view::MarkRun{kSecondCharted, true}});
  // Runs are read one after another.
  REQUIRE(rig.until([&](const view::ScreenInput&) {
    return rig.copied("compare.loss").starts_with("epoch\tA\tB\n");
  }));
  (void)rig.session->execute({view::SaveImage{"compare.loss", true, {}}});
  const std::string first = rig.session->input().runs.compared[0].context.id;
  const fs::path file = rig.exports(first.c_str()) / "compare_loss.svg";
  CHECK(rig.until([&](const view::ScreenInput&) { return fs::exists(file); }));
  CHECK(read_text(file).value().find("<svg") != std::string::npos);
}

TEST_CASE("how charts are drawn is kept for the next run, but not which part of them is shown") {
  ChartFilesRig rig;
  (void)rig.session->execute({view::SetXAxis{view::XAxis::kTime}, view::SetSmoothing{50},
                              view::SetPlan{true}, view::SetWindow{1, 9}});
  (void)rig.session->execute({view::OpenRun{kFirstCharted}});
  const view::ChartChoice choice = rig.session->input().live.choice;
  CHECK(choice.axis == view::XAxis::kTime);
  CHECK(choice.smoothing == 50);
  CHECK(choice.plan);
  CHECK(choice.window == model::Window{});
  CHECK(rig.session->chart_choice().plan);
}
