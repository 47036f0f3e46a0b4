// Tests that the text of a list and the JSON of `list`, `show` and `run` come from the same cells.
#include "gui/cli/print/run_table.h"

#include <cmath>

#include "gui/cli/print/json.h"
#include "gui/cli/print/live_text.h"
#include "gui/cli/print/table_print.h"
#include "gui/runs/run_figures.h"
#include "gui/view/number_format.h"
#include "tests/gui/runs/run_on_disk.h"
#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"

using namespace ringside;
using namespace ringside::cli;

namespace {

runs::RunSummary unread_run() {
  return {.folder = runlog::RunFolder("/tmp/x"),
          .number = 1,
          .name = {},
          .labels = {},
          .spec = {},
          .recipe = {},
          .state = {},
          .figures = {},
          .problem = {}};
}

std::string printed(const view::Table& table, std::initializer_list<std::string_view> keys) {
  return table_text(view::with_columns(table, {keys.begin(), keys.size()}), false);
}

}  // namespace

TEST_CASE("the state and the loss of a run that ended in NaN use the same word") {
  const TempFolder folder;
  auto options = support::demo_small(2);
  options.nan_from = 60;
  options.finish = true;
  support::make_run(folder.path(), "20261121T134009Z-000002", options);
  auto run = runs::read_summaries(folder.path()).value().at(0);
  // Some steps had a NaN loss, but not the mean of the last epoch.
  CHECK(state_of(run).word == "Finished");
  run.figures.final_loss = runs::kUnknown;
  CHECK(state_of(run).word == "NaN/Inf");
  CHECK(printed(run_table({&run, 1}), {"final_loss"}) == "Final loss\n       NaN\n");
  CHECK(result_text({run}, false).find("nan") == std::string::npos);
}

TEST_CASE(
    "a run whose loss is NaN or Inf at its end counts as failed unless its settings allow it") {
  const TempFolder folder;
  auto options = support::demo_small(2);
  options.nan_from = 60;
  options.finish = true;
  support::make_run(folder.path(), "20261121T134009Z-000002", options);
  auto run = runs::read_summaries(folder.path()).value().at(0);
  CHECK(runs::succeeded(run));
  for (const double loss : {std::nan(""), HUGE_VAL}) {
    run.figures.final_loss = loss;
    run.spec.train.stop_on = "none";
    CHECK_FALSE(runs::succeeded(run));
    CHECK(rows_json(run_table({&run, 1})).front().at("loss_not_finite") == true);
    CHECK(result_text({run}, false).find("it counts as failed") != std::string::npos);
    run.spec.train.stop_on = "never";
    CHECK(runs::succeeded(run));
    CHECK(result_text({run}, false).find("it counts as failed") == std::string::npos);
  }
}

TEST_CASE("only a queued run has a line that names the runs it waits for") {
  auto run = unread_run();
  run.state.word = "queued";
  CHECK(queued_line(run).empty());
  run.state.detail = "behind run #1";
  CHECK(queued_line(run) == "Queued behind run #1\n");
  run.state.word = "training";
  CHECK(queued_line(run).empty());
}

TEST_CASE("unknown numbers are null in JSON and dashes in text, never NaN") {
  const runs::RunSummary empty = unread_run();
  const auto table = run_table({&empty, 1});
  const auto json = rows_json(table).front();
  CHECK(dump(json).find("nan") == std::string::npos);
  for (const char* key : {"speedup", "started", "last_seen", "baseline", "broken_loss", "seconds"})
    CHECK(json.at(key).is_null());
  CHECK(json.at("steps") == 0);
  CHECK(json.at("live") == false);
  CHECK(printed(table, {"number", "world_size", "speedup", "started"}) ==
        "Run  Ranks  Speedup  Started\n#1       –        –        –\n");
  CHECK(number_or_null(1.0 / 0.0).is_null());
  CHECK(utc_text(1'795'271'067'012'000'000) == "2026-11-21T14:24:27.012Z");
  CHECK(utc_text(0).empty());
  CHECK(utc_text(-1) == "1969-12-31T23:59:59.999Z");
  CHECK(utc_text(-86'400'000'000'000) == "1969-12-31T00:00:00.000Z");
}

TEST_CASE("runs are sorted by their values, not by their texts") {
  std::vector<runs::RunSummary> runs(3, unread_run());
  runs[0].number = 10;
  runs[0].figures.train_seconds = 1000;  // its text is "1,000.0 s"
  runs[1].number = 9;
  runs[2].number = 8;
  runs[2].figures.train_seconds = 200;
  view::Table table = run_table(runs);
  const auto numbers = [&table] {
    std::string text;
    for (const auto& row : table.rows) text += view::cell_of(table, row, "number").text;
    return text;
  };
  view::sort_rows(table, {"train_seconds", false});
  CHECK(numbers() == "#8#10#9");
  view::sort_rows(table, {"train_seconds", true});
  CHECK(numbers() == "#10#8#9");
  view::sort_rows(table, {"number", false});
  CHECK(numbers() == "#8#9#10");
}

TEST_CASE("scripts get the full name of a run, and people a short line") {
  runs::RunSummary run = unread_run();
  run.name = "tab\there " + std::string(60, 'x');
  const auto table = run_table({&run, 1});
  CHECK(rows_json(table).front().at("name") == run.name);
  CHECK(view::cell_of(table, table.rows[0], "name").text.find('\t') == std::string::npos);
  CHECK(view::cell_of(table, table.rows[0], "name").text.size() < run.name.size());
}
