#include <algorithm>

#include "gui/view/runs_view.h"
#include "gui/view/tsv.h"

#include "tests/support/catch.h"

using namespace ringside;
using namespace ringside::view;

namespace {

constexpr std::int64_t kHour = 3'600'000'000'000;
constexpr std::int64_t kNow = 1'795'271'527'000'000'000;

RunSummary run(int number, RunOutcome outcome, std::int64_t ranks) {
  RunSummary summary;
  summary.id = "2026112" + std::to_string(number);
  summary.number = number;
  summary.title = "resnet50 · cifar10";
  summary.model = "resnet50";
  summary.data = "cifar10";
  summary.outcome = outcome;
  summary.ranks = ranks;
  summary.gpus = true;
  summary.global_batch = 128 * ranks;
  summary.started_wall_ns = kNow - (1100 - number) * kHour / 60;
  return summary;
}

std::vector<RunSummary> some_runs() {
  RunSummary done = run(1041, RunOutcome::kFinished, 4);
  done.best_accuracy = 0.7552;
  done.seconds = 594;
  done.speedup = 3.40;
  RunSummary failed = run(1039, RunOutcome::kFailed, 4);
  failed.tags = {"nan r1"};
  failed.best_accuracy = 0.3107;
  failed.loss = {2.3F, 2.1F};
  failed.loss_broke = true;
  RunSummary cpu = run(1028, RunOutcome::kFinished, 2);
  cpu.title = "convnet · digits";
  cpu.model = "convnet";
  cpu.data = "digits";
  cpu.gpus = false;
  RunSummary base = run(983, RunOutcome::kFinished, 1);
  base.is_baseline = true;
  base.speedup = 1;
  return {cpu, done, base, failed};
}

std::string numbers(const RunsView& view) {
  std::string text;
  for (const RunRow& row : view.rows) text += (text.empty() ? "" : " ") + row.number;
  return text;
}

RunsView filtered(const char* filter) {
  RunsChoice choice;
  choice.filter = filter;
  return build_runs_view(some_runs(), choice, kNow);
}

}  // namespace

TEST_CASE("The newest runs stand first, every cell as people read it") {
  const RunsView view = build_runs_view(some_runs(), {}, kNow);
  CHECK(numbers(view) == "#1041 #1039 #1028 #983");
  const RunRow& row = view.rows[0];
  CHECK(row.state.word == "Finished");
  CHECK(row.ranks == "4");
  CHECK(row.global == "512");
  CHECK(row.accuracy == "75.52");
  CHECK(row.time == "9:54");
  CHECK(row.speedup == "3.40×");
  CHECK(view.rows[1].loss_broke);
  CHECK(view.rows[1].speedup == "–");
  CHECK(view.rows[1].time == "–");
  CHECK(view.rows[3].tags == std::vector<std::string>{"baseline"});
  CHECK(view.device_header == "Ranks");
  CHECK(plain(view.count) == "4 of 4 runs");
}

TEST_CASE("The filter takes words and key:value") {
  CHECK(numbers(filtered("model:resnet50")) == "#1041 #1039 #983");
  CHECK(numbers(filtered("model:resnet50 state:any")) == "#1041 #1039 #983");
  CHECK(numbers(filtered("state:failed")) == "#1039");
  CHECK(numbers(filtered("gpus:4")) == "#1041 #1039");
  CHECK(numbers(filtered("DIGITS")) == "#1028");
  CHECK(numbers(filtered("tag:nan")) == "#1039");
  CHECK(numbers(filtered("#104")) == "#1041");
  CHECK(numbers(filtered("data:cifar state:finished gpus:1")) == "#983");
  CHECK(plain(filtered("nothing").empty) == "No run fits the filter.");
}

TEST_CASE("Columns sort both ways, what is not known comes last") {
  RunsChoice choice;
  choice.sort = RunColumn::kSpeedup;
  CHECK(numbers(build_runs_view(some_runs(), choice, kNow)) == "#1041 #983 #1039 #1028");
  choice.descending = false;
  CHECK(numbers(build_runs_view(some_runs(), choice, kNow)) == "#983 #1041 #1039 #1028");
  choice.sort = RunColumn::kWhat;
  CHECK(numbers(build_runs_view(some_runs(), choice, kNow)).starts_with("#1028"));
  choice.sort = RunColumn::kRanks;
  CHECK(numbers(build_runs_view(some_runs(), choice, kNow)).starts_with("#983"));
  choice.sort = RunColumn::kRun;
  CHECK(numbers(build_runs_view(some_runs(), choice, kNow)) == "#983 #1028 #1039 #1041");
}

TEST_CASE("Two marked runs can be compared") {
  const auto runs = some_runs();
  RunsChoice choice;
  choice.marked = {runs[0].id};
  CHECK_FALSE(build_runs_view(runs, choice, kNow).can_compare);
  choice.marked.insert(runs[1].id);
  choice.selected = runs[1].id;
  const RunsView view = build_runs_view(runs, choice, kNow);
  CHECK(view.can_compare);
  CHECK(plain(view.count) == "4 of 4 runs, 2 marked");
  CHECK(view.rows[0].selected);
  CHECK(view.rows[0].marked);
  CHECK_FALSE(view.rows[1].marked);
}

TEST_CASE("Without runs the list says how to get one") {
  const RunsView view = build_runs_view({}, {}, kNow);
  CHECK(plain(view.empty) == "No runs yet. Launch one, or drop a run folder here.");
  CHECK(plain(view.count) == "0 of 0 runs");
}

TEST_CASE("The selected run is told beside the list") {
  RunSummary run;
  run.id = "20261121T134005Z-000001";
  run.number = 7;
  run.title = "resnet18";
  run.name = "mine";
  run.note = "first line";
  run.folder = "/runs/20261121T134005Z-000001";
  run.outcome = RunOutcome::kTraining;
  run.own_tags = {"a", "b"};
  std::vector<RunSummary> runs{run};
  RunsChoice choice;
  CHECK_FALSE(build_run_details(runs, choice, 0).shown);
  choice.selected = run.id;
  const RunDetailsView view = build_run_details(runs, choice, 0);
  CHECK(view.shown);
  CHECK(view.heading == "Run #7");
  CHECK(view.name == "mine");
  CHECK(view.tags == "a, b");
  CHECK(view.folder == run.folder);
  CHECK_FALSE(view.can_delete);
  runs[0].outcome = RunOutcome::kFailed;
  CHECK(build_run_details(runs, choice, 0).can_delete);
  choice.filter = "FIRST";  // notes are searched too
  CHECK(build_runs_view(runs, choice, 0).rows.size() == 1);
}

TEST_CASE("The list is copied as tab-separated text") {
  RunSummary run;
  run.id = "x";
  run.number = 7;
  run.title = "a\tb\nc \u202Ed";
  run.tags = {"t", "u"};
  const std::string text = runs_tsv(build_runs_view(std::vector<RunSummary>{run}, {}, 0));
  CHECK(text.starts_with("Run\tId\tState\tWhat\tRanks\t"));
  CHECK(text.find("#7\tx\t") != std::string::npos);
  CHECK(text.find("\ta\\tb\\nc \\u202ed\t") != std::string::npos);  // S6: visible, not obeyed
  CHECK(text.find("\tt, u\t") != std::string::npos);
  CHECK(std::count(text.begin(), text.end(), '\n') == 2);
}
