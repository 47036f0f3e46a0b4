#include <algorithm>

#include "gui/view/number_format.h"
#include "gui/view/runs/runs_view.h"

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
  summary.figures.started_wall_ns = kNow - (1100 - number) * kHour / 60;
  return summary;
}

std::vector<RunSummary> some_runs() {
  RunSummary done = run(1041, RunOutcome::kFinished, 4);
  done.figures.best_val_accuracy = 0.7552;
  done.figures.seconds = 594;
  done.figures.speedup = 3.40;
  RunSummary failed = run(1039, RunOutcome::kFailed, 4);
  failed.tags = {"nan r1"};
  failed.figures.best_val_accuracy = 0.3107;
  failed.figures.loss = {2.3F, 2.1F};
  failed.loss_broke = true;
  RunSummary cpu = run(1028, RunOutcome::kFinished, 2);
  cpu.title = "convnet · digits";
  cpu.model = "convnet";
  cpu.data = "digits";
  cpu.gpus = false;
  RunSummary base = run(983, RunOutcome::kFinished, 1);
  base.is_baseline = true;
  base.figures.speedup = 1;
  return {cpu, done, base, failed};
}

const Cell& cell(const RunsView& view, std::size_t row, const char* key) {
  return cell_of(view.table, view.table.rows[row], key);
}

std::string numbers(const RunsView& view) {
  std::string text;
  for (std::size_t i = 0; i < view.table.rows.size(); ++i)
    text += (text.empty() ? "" : " ") + cell(view, i, "number").text;
  return text;
}

std::string sorted(const char* key, bool descending) {
  RunsChoice choice;
  choice.sort = {key, descending};
  return numbers(build_runs_view(some_runs(), choice, kNow));
}

RunsView filtered(const char* filter) {
  RunsChoice choice;
  choice.filter = filter;
  return build_runs_view(some_runs(), choice, kNow);
}

}  // namespace

TEST_CASE("A run that finished with a loss that is not a number says so") {
  auto runs = some_runs();
  runs[1].loss_broke = true;
  const RunsView view = build_runs_view(runs, {}, kNow);
  CHECK(cell(view, 0, "state").text == label::kFinishedNan);
  CHECK(cell(view, 0, "state").tone == Tone::kWarning);
  CHECK(cell(view, 1, "state").text == state_view(messages::State::kFailed).word);
}

TEST_CASE("A queued run has not started, and comes first") {
  auto runs = some_runs();
  runs[3].outcome = RunOutcome::kQueued;
  runs[3].figures.started_wall_ns = 0;
  const RunsView view = build_runs_view(runs, {}, kNow);
  CHECK(numbers(view) == "#1039 #1041 #1028 #983");
  CHECK(cell(view, 0, "started").text == kDash);
}

TEST_CASE("An empty list of another machine shows the state of the connection") {
  CHECK(plain(build_runs_view({}, {}, kNow).table.empty).starts_with("No runs yet."));
  CHECK(plain(build_runs_view({}, {}, kNow, true, "Reading …").table.empty) == "Reading …");
}

TEST_CASE("The newest runs come first, with every cell formatted for people") {
  const RunsView view = build_runs_view(some_runs(), {}, kNow);
  CHECK(numbers(view) == "#1041 #1039 #1028 #983");
  CHECK(cell(view, 0, "state").text == state_view(messages::State::kFinished).word);
  CHECK(cell(view, 0, "world_size").text == "4");
  CHECK(cell(view, 0, "global_batch").text == "512");
  CHECK(cell(view, 0, "best_val_accuracy").text == "75.52");
  CHECK(cell(view, 0, "seconds").text == "9:54");
  CHECK(cell(view, 0, "speedup").text == "3.40×");
  CHECK(view.rows[1].loss_broke);
  CHECK(cell(view, 1, "speedup").text == kDash);
  CHECK(cell(view, 1, "seconds").text == kDash);
  CHECK(view.rows[3].tags == std::vector<std::string>{"baseline"});
  CHECK(column_of(view.table, "world_size").label == "Ranks");
  CHECK(plain(view.count) == "4 of 4 runs");
}

TEST_CASE("The filter accepts words and key:value") {
  CHECK(numbers(filtered("model:resnet50")) == "#1041 #1039 #983");
  CHECK(numbers(filtered("model:resnet50 state:any")) == "#1041 #1039 #983");
  CHECK(numbers(filtered("state:failed")) == "#1039");
  CHECK(numbers(filtered("gpus:4")) == "#1041 #1039");
  CHECK(numbers(filtered("DIGITS")) == "#1028");
  CHECK(numbers(filtered("nan")) == "#1039");  // its failure
  CHECK(numbers(filtered("tag:nan")).empty());
  CHECK(numbers(filtered("#104")) == "#1041");
  CHECK(numbers(filtered("data:cifar state:finished gpus:1")) == "#983");
  CHECK(numbers(filtered("speedup>3")) == "#1041");
  CHECK(numbers(filtered("accuracy>75% ranks<8")) == "#1041");
  CHECK(plain(filtered("nothing").table.empty) == label::kNoMatchingRun);
  CHECK(plain(filtered("speedy>3").table.empty).find("did you mean \"speedup\"?") !=
        std::string::npos);
}

TEST_CASE("Columns sort in both directions, and unknown values come last") {
  CHECK(sorted("speedup", true) == "#1041 #983 #1039 #1028");
  CHECK(sorted("speedup", false) == "#983 #1041 #1039 #1028");
  CHECK(sorted("best_val_accuracy", true) == "#1041 #1039 #983 #1028");
  CHECK(sorted("best_val_accuracy", false) == "#1039 #1041 #983 #1028");
  CHECK(sorted("seconds", true) == "#1041 #983 #1039 #1028");
  CHECK(sorted("name", false).starts_with("#1028"));
  CHECK(sorted("world_size", false).starts_with("#983"));
  CHECK(sorted("number", false) == "#983 #1028 #1039 #1041");
  CHECK(sorted("loss", false) == "#983 #1041 #1039 #1028");  // no loss is known: sorted by id
}

TEST_CASE("Times are sorted by their length, not by their text") {
  auto runs = some_runs();
  runs[0].figures.seconds = 3600;  // "1:00:00"
  runs[3].figures.seconds = 42;    // "0:42"
  RunsChoice choice;
  choice.sort = {"seconds", false};
  const RunsView view = build_runs_view(runs, choice, kNow);
  CHECK(numbers(view) == "#1039 #1041 #1028 #983");
  CHECK(cell(view, 2, "seconds").text == "1:00:00");
  // Values that are drawn beside the cells move with them.
  CHECK(view.rows[0].loss == runs[3].figures.loss);
  CHECK(view.rows[3].tags == std::vector<std::string>{"baseline"});
}

TEST_CASE("Runs with the same value are grouped below a head that counts them") {
  auto runs = some_runs();
  RunsChoice choice;
  choice.group = "world_size";
  choice.selected = runs[0].id;
  const RunsView view = build_runs_view(runs, choice, kNow);
  REQUIRE(view.rows.size() == 7);
  CHECK(view.shown == 4);
  CHECK(plain(view.count) == "4 of 4 runs");
  std::string order;
  for (const RunRow& row : view.rows)
    order += row.group.empty() ? row.label + " " : "(" + plain(row.group) + ") ";
  CHECK(order ==
        "(Ranks 1   1 run) #983 (Ranks 2   1 run) #1028 "
        "(Ranks 4   2 runs   best val 31.07 to 75.52 %) #1041 #1039 ");
  CHECK(view.rows[3].selected);
  CHECK(std::ranges::count(runs_tsv(view), '\n') == 5);
}

TEST_CASE("The list shows chosen columns, hides others, and can be sorted by either") {
  const auto runs = some_runs();
  RunsChoice choice;
  choice.columns.changed = {"speedup", "model", "optimizer.lr"};
  choice.sort = {"speedup", true};
  const RunsView view = build_runs_view(runs, choice, kNow);
  CHECK(numbers(view) == "#1041 #983 #1039 #1028");
  CHECK(column_of(view.table, "model").width > 0);
  CHECK(column_of(view.table, "optimizer.lr").width > 0);
  CHECK(column_of(view.table, "speedup").width == 0);
  const std::string head = runs_tsv(view).substr(0, runs_tsv(view).find('\n'));
  CHECK(head.find("lr") != std::string::npos);
  CHECK(head.find("Speedup") == std::string::npos);
  CHECK(head.ends_with("\tTags\tStarted"));
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
  CHECK(plain(view.table.empty) == "No runs yet. Launch one, or drop a run folder here.");
  CHECK(plain(view.count) == "0 of 0 runs");
}

TEST_CASE("While the list of runs is being read it says so") {
  const RunsView view = build_runs_view({}, {}, kNow, false);
  CHECK(plain(view.table.empty) == label::kReadingRuns);
  CHECK(plain(view.count) == label::kReadingRuns);
}

TEST_CASE("Unknown facts of a run are a dash, and a hidden run has no details") {
  RunSummary run;
  run.id = "20261121T134005Z-000001";
  run.ranks = 0;
  const std::vector<RunSummary> runs{run};
  RunsChoice choice;
  choice.selected = run.id;
  const RunsView view = build_runs_view(runs, choice, kNow);
  CHECK(cell(view, 0, "world_size").text == kDash);
  CHECK(build_run_details(runs, choice, kNow).shown);
  choice.filter = "/somewhere/else";
  CHECK_FALSE(build_run_details(runs, choice, kNow).shown);
}

TEST_CASE("Details of the selected run are shown beside the list") {
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
  CHECK(build_run_details(runs, choice, 0).locked.empty());
  CHECK(build_run_details(runs, choice, 0, true).locked == label::kLabelsElsewhere);
  choice.filter = "FIRST";  // notes are searched too
  CHECK(build_runs_view(runs, choice, 0).rows.size() == 1);
}

TEST_CASE("The list is copied as tab-separated text") {
  RunSummary run;
  run.id = "x";
  run.number = 7;
  run.title = "a\tb\nc \u202Ed";
  run.own_tags = {"t", "u"};
  const std::string text = runs_tsv(build_runs_view(std::vector<RunSummary>{run}, {}, 0));
  CHECK(
      text.starts_with("Run\tId\tState\tName\tRanks\tGlobal\tBest val (%)\tTime\tSpeedup\tTags\t"
                       "Started\n"));
  CHECK(text.find("#7\tx\t") != std::string::npos);
  CHECK(text.find("\ta\\tb\\nc \\u202ed\t") != std::string::npos);  // made visible
  CHECK(text.find("\tt, u\t") != std::string::npos);
  CHECK(std::count(text.begin(), text.end(), '\n') == 2);
}

TEST_CASE("filter chips narrow the list, and pressed again widen it") {
  auto runs = some_runs();
  runs[1].own_tags = {"keep"};
  RunsChoice choice;
  const RunsView all = build_runs_view(runs, choice, kNow);
  std::vector<std::string> words;
  for (const FilterChip& chip : all.chips) words.push_back(chip.word);
  CHECK(words == std::vector<std::string>{"cifar10", "4 ranks", "Failed", "Tagged"});
  for (const FilterChip& chip : all.chips) {
    INFO(chip.word);
    choice.filter = toggled("resnet50", chip);
    CHECK(choice.filter == "resnet50 " + chip.filter);
    const RunsView narrowed = build_runs_view(runs, choice, kNow);
    CHECK(narrowed.rows.size() < all.rows.size());
    const auto on = std::find_if(narrowed.chips.begin(), narrowed.chips.end(),
                                 [&](const FilterChip& other) { return other.word == chip.word; });
    REQUIRE(on != narrowed.chips.end());
    CHECK(on->on);
    CHECK(toggled(choice.filter, *on) == "resnet50");
  }
  // Chips that would change nothing are not offered.
  CHECK(build_runs_view({}, {}, kNow).chips.empty());
  const std::vector<RunSummary> one{run(1, RunOutcome::kFinished, 1)};
  CHECK(build_runs_view(one, {}, kNow).chips.empty());
}

TEST_CASE("selecting another run updates marks and selection without building the list again") {
  const auto runs = some_runs();
  RunsChoice choice;
  RunsView view = build_runs_view(runs, choice, kNow);
  CHECK(view.rows[0].series == -1);
  choice.selected = runs[1].id;
  choice.marked = {runs[1].id, runs[2].id, "gone"};
  show_choice(runs, choice, view);
  const RunsView built = build_runs_view(runs, choice, kNow);
  CHECK(view.marked == 2);
  CHECK(view.can_compare);
  CHECK(plain(view.count) == plain(built.count));
  for (std::size_t i = 0; i < view.rows.size(); ++i) {
    CHECK(view.rows[i].selected == built.rows[i].selected);
    CHECK(view.rows[i].marked == built.rows[i].marked);
    CHECK(view.rows[i].series == built.rows[i].series);
  }
  REQUIRE(view.table.rows[3].key == runs[2].id);
  CHECK(view.rows[3].series == 1);  // the second of the compared runs
}

TEST_CASE("runs whose logs are still unread say so, and the list shows their number") {
  auto runs = some_runs();
  runs[0].read = false;
  const RunsView view = build_runs_view(runs, {}, kNow);
  CHECK(plain(view.count).find("reading 1") != std::string::npos);
  CHECK(cell(view, 2, "state").text == label::kReading);
}

TEST_CASE("GPU time is that of all ranks of the shown runs") {
  const auto runs = some_runs();
  CHECK(plain(build_runs_view(runs, {}, kNow).device_time).starts_with("GPU time "));
  RunsChoice none;
  none.filter = "convnet";
  CHECK(build_runs_view(runs, none, kNow).device_time.empty());
}

TEST_CASE("Recent settings are offered once each, without the baselines of other runs") {
  std::vector<RunSummary> runs = some_runs();
  RunSummary again = runs[1];  // the settings of run 1041, a minute later
  again.id = "again";
  again.number = 1042;
  again.figures.started_wall_ns += kHour / 60;
  runs.push_back(again);
  RunSummary unread = again;
  unread.read = false;
  unread.name = "not known yet";
  runs.push_back(unread);
  const auto recent = recent_settings(runs);
  REQUIRE(recent.size() == 2);
  CHECK(recent[0].run == "again");
  CHECK(recent[0].name == "resnet50 · cifar10");
  CHECK(recent[0].detail == "#1042, 4 GPUs, global batch 512");
  CHECK(recent[1].detail == "#1028, 2 ranks, global batch 256");
  for (int i = 0; i < 10; ++i) {
    runs.push_back(again);
    runs.back().name = "name " + std::to_string(i);
  }
  CHECK(recent_settings(runs).size() == kMostRecent);
  CHECK(recent_settings({}).empty());
}
