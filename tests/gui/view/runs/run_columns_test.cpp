// Tests the columns by which runs are listed: those of every run, settings, logged values.
#include "gui/view/runs/run_columns.h"

#include <algorithm>
#include <cmath>

#include "gui/view/number_format.h"
#include "tests/support/catch.h"

using namespace ringside;
using namespace ringside::view;

namespace {

RunSummary run_with(double lr, double val_loss) {
  messages::RunSpec spec;
  spec.optimizer.lr = lr;
  spec.data.name = "digits";
  RunSummary run;
  run.id = "20261121T134005Z-000001";
  run.number = 7;
  run.spec = std::make_shared<const messages::RunSpec>(spec);
  run.figures.logged = {{"val/loss", val_loss}, {"speedup", 9}};
  return run;
}

std::string shown(const RunSummary& run, const std::string& name) {
  const auto key = run_column_key({&run, 1}, name);
  REQUIRE(key);
  return *key + " " + run_cell(run, *key, 0).text;
}

std::string refused(const RunSummary& run, const std::string& name) {
  const auto key = run_column_key({&run, 1}, name);
  REQUIRE_FALSE(key);
  return key.error().message;
}

}  // namespace

TEST_CASE("A column is named by its key, its head, a setting or a logged value") {
  const RunSummary run = run_with(0.25, 0.5);
  CHECK(shown(run, "run") == "number #7");
  CHECK(shown(run, "loss").starts_with("final_loss "));
  CHECK(shown(run, "gpus") == "world_size 1");
  CHECK(shown(run, "Best val") == "best_val_accuracy " + std::string(kDash));
  CHECK(shown(run, "lr") == "optimizer.lr 0.25");
  CHECK(shown(run, "optimizer.lr") == "optimizer.lr 0.25");
  CHECK(shown(run, "data.name") == "data.name digits");
  CHECK(shown(run, "val/loss") == "logged.val/loss 0.5");
  // A column's own name has priority; the logged value is named by its full key.
  CHECK(shown(run, "speedup") == "speedup " + std::string(kDash));
  CHECK(shown(run, "logged.speedup") == "logged.speedup 9");
}

TEST_CASE("A speedup that is not fair is marked, and scripts get whether it is") {
  RunSummary run = run_with(0.25, 0.5);
  run.figures.speedup = 1.5;
  CHECK(shown(run, "speedup") == "speedup 1.50×");
  CHECK(shown(run, "fair") == "fair " + std::string(kDash));
  run.figures.fair = true;
  CHECK(shown(run, "speedup") == "speedup 1.50×");
  CHECK(shown(run, "fair") == "fair yes");
  run.figures.fair = false;
  CHECK(shown(run, "speedup") == "speedup 1.50× !");
  CHECK(run_cell(run, "speedup", 0).tone == Tone::kWarning);
  CHECK(shown(run, "fair") == "fair no");
}

TEST_CASE("An unknown column is refused, and the most similar one is named") {
  const RunSummary run = run_with(0.25, 0.5);
  CHECK(refused(run, "optimizer.rl").find("did you mean \"optimizer.lr\"?") != std::string::npos);
  CHECK(refused(run, "val/los").find("did you mean \"val/loss\"?") != std::string::npos);
  // The last part of several settings is ambiguous, so none is guessed.
  CHECK(refused(run, "mode").find("baseline.mode") != std::string::npos);
}

TEST_CASE("A setting is unknown for a program with settings of its own") {
  messages::RunSpec spec;
  spec.program.argv = {"python3", "train.py"};
  RunSummary run;
  run.spec = std::make_shared<const messages::RunSpec>(spec);
  CHECK(run_cell(run, "optimizer.lr", 0).text == kDash);
  CHECK(run_cell(run, "devices.world_size", 0).text == "1");
  run.spec = nullptr;
  CHECK(run_cell(run, "devices.world_size", 0).text == kDash);
}

TEST_CASE("A state is sorted by its stage, and scripts get its word") {
  RunSummary run;
  run.state = "did_not_die";
  run.outcome = RunOutcome::kDidNotDie;
  const Cell cell = run_cell(run, "state", 0);
  CHECK(std::get<std::string>(cell.value) == "did_not_die");
  CHECK(std::get<std::int64_t>(cell.order) == static_cast<std::int64_t>(RunOutcome::kDidNotDie));
  CHECK(cell.text == "Did not exit");
}

TEST_CASE("Columns are offered once each for known settings and for logged values") {
  const std::vector<RunSummary> runs{run_with(0.25, 0.5), run_with(0.5, 0.4)};
  const auto offers = column_offers(runs);
  const auto has = [&offers](const std::string& key) {
    return std::ranges::count(offers, key, &ColumnOffer::key);
  };
  CHECK(has("best_val_accuracy") == 1);
  CHECK(has("optimizer.lr") == 1);
  CHECK(has("logged.val/loss") == 1);
  CHECK(has("folder") == 0);
  const auto none = column_offers({});
  CHECK(std::ranges::none_of(none, [](const auto& one) { return one.section != "Run"; }));
}

TEST_CASE("The head of a setting is its last part if no other column has that name") {
  CHECK(run_column("optimizer.lr").label == "lr");
  CHECK(run_column("optimizer.lr").hint.find("optimizer.lr") != std::string::npos);
  CHECK(run_column("optimizer.lr").align == Align::kRight);
  CHECK(run_column("data.name").label == "data.name");
  CHECK(run_column("data.name").align == Align::kLeft);
  CHECK_FALSE(run_column("data.name").shown);
}
