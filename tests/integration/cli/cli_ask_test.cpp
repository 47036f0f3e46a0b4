// Tests `ringside sweep --ask optuna`: settings are proposed from earlier results, a stop ends the
// study, and it can be resumed. Uses fake ranks and a module that replaces the library.
#include <algorithm>
#include <cstdlib>

#include "gui/runs/catalogue.h"
#include "gui/runs/studies/study.h"
#include "tests/integration/cli/cli_rig.h"
#include "tests/support/catch.h"
#include "tests/support/paths.h"

using namespace ringside;
using namespace ringside::testing;
using nlohmann::json;

namespace {

/// Puts the replacement module first in Python's search path.
class FakeLibrary {
 public:
  FakeLibrary() {
    const auto folder = source_dir() / "tests" / "gui" / "launch" / "studies" / "fake_python";
    ::setenv("PYTHONPATH", folder.c_str(), 1);
    ::setenv("PYTHONDONTWRITEBYTECODE", "1", 1);
  }
  ~FakeLibrary() { ::unsetenv("PYTHONPATH"); }
  FakeLibrary(const FakeLibrary&) = delete;
  FakeLibrary& operator=(const FakeLibrary&) = delete;
};

/// Returns a command whose ranks report the chosen value as the loss, so that the lowest value is
/// best.
std::vector<std::string> ask_for_loss(const std::vector<std::string>& options) {
  std::vector<std::string> words{
      "sweep", "--ask", "optuna", "--devices", "cpu", "--set", "loss=0.125..4:log", "--json"};
  words.insert(words.end(), options.begin(), options.end());
  words.insert(words.end(), {"--", (test_bin_dir() / "fake_rank").string(), "--steps=4",
                             "--step-ms=1", "--loss={loss}"});
  return words;
}

std::vector<double> losses_of(const json& study) {
  std::vector<double> losses;
  for (const json& row : study.at("settings")) losses.push_back(row.at("set.loss").get<double>());
  return losses;
}

}  // namespace

TEST_CASE("a library proposes settings from the results of earlier runs") {
  const CliRig rig;
  const FakeLibrary fake;
  const auto ran = rig.ringside(ask_for_loss({"--trials", "4"}));
  INFO(ran.errors);
  REQUIRE(ran.exit_code == 0);
  const json told = last_line_json(ran.output);
  // The replacement proposes half of the best value so far.
  CHECK(losses_of(told) == std::vector<double>{4, 2, 1, 0.5});
  CHECK(told.at("complete") == true);
  CHECK(told.at("ask").at("library") == "optuna");
  CHECK(told.at("settings").at(3).at("best") == true);
  CHECK(told.at("result").get<std::string>().starts_with(
      "Best by final training loss: loss=0.5 with 0.5000"));
  CHECK(ran.errors.find("Trial 4 of 4: loss=0.5") != std::string::npos);
  CHECK(rig.json_of({"list", "--studies", "--json"})[0].at("planned") == 4);
  // All trials are done, so the library is not asked again.
  CHECK(rig.ringside({"resume", "S-01"}).exit_code == 0);
  CHECK(runs::read_summaries(rig.runs())->size() == 4);
}

TEST_CASE("a study whose settings are proposed is resumed from its results") {
  const CliRig rig;
  const FakeLibrary fake;
  REQUIRE(rig.ringside(ask_for_loss({"--trials", "2"})).exit_code == 0);
  auto study = runs::read_study(rig.runs(), "S-01").value();
  REQUIRE(study.settings.size() == 2);
  // Simulates a program that was killed after the second of three trials.
  study.ask.trials = 3;
  REQUIRE(runs::write_study(rig.runs(), study));
  const json half = rig.json_of({"show", "S-01", "--json"});
  CHECK(half.at("complete") == false);
  CHECK(half.at("progress") == "2 of 3 runs finished");
  const auto more = rig.ringside({"resume", "S-01", "--json"});
  INFO(more.errors);
  REQUIRE(more.exit_code == 0);
  CHECK(losses_of(last_line_json(more.output)) == std::vector<double>{4, 2, 1});
}

TEST_CASE("a request with invalid options is refused before anything starts") {
  const CliRig rig;
  const FakeLibrary fake;
  rig.refuses({"sweep", "demo", "--ask", "optunna", "--set", "optimizer.lr=0.1..1"},
              "did you mean \"optuna\"?");
  rig.refuses({"sweep", "demo", "--ask", "optuna"}, "what may be chosen?");
  rig.refuses({"sweep", "demo", "--ask", "optuna", "--set", "batch.size=32,64"},
              "there are only 2 combinations");
  rig.refuses({"sweep", "demo", "--ask", "optuna", "--detach", "--set", "optimizer.lr=0.1..1"},
              "--ask optuna and --detach cannot be combined");
  rig.refuses({"sweep", "demo", "--ask", "optuna", "--world", "1,2", "--set", "optimizer.lr=0..1"},
              "--ask optuna and --world cannot be combined");
  rig.refuses(
      {"sweep", "demo", "--ask", "optuna", "--best", "val_los", "--set", "optimizer.lr=0.1..1"},
      "did you mean \"val_loss\"?");
  rig.refuses({"sweep", "demo", "--trials", "3", "--set", "optimizer.lr=0.1,1"},
              "--trials goes with --ask optuna");
  rig.refuses({"sweep", "S-01", "--ask", "optuna", "--set", "optimizer.lr=0.1..1"},
              "`ringside resume S-01` goes on");
  CHECK(runs::list_studies(rig.runs()).empty());
}
