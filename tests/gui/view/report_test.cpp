// The report as data: the contents of its tables, for made-up runs and for none.
#include "gui/view/report/report.h"

#include <algorithm>
#include <cmath>

#include "gui/launch/presets.h"
#include "gui/view/sampler/sampler_view.h"
#include "gui/view/table_cells.h"
#include "protocol/messages/notice_codes.h"
#include "tests/gui/view/published_runs.h"
#include "tests/support/catch.h"

using namespace ringside;
using messages::Phase;
using messages::RunSpec;
using support::MadeRun;
using test::E0;
using test::e0_run;
using test::of;
using test::pair_run;
using view::Cell;
using view::ReportRun;
using view::Table;

namespace {

const Table* report_table(const std::vector<Table>& tables, const std::string& id,
                          const std::string& run = "") {
  const auto found = std::find_if(tables.begin(), tables.end(), [&](const Table& one) {
    return one.key == id && (run.empty() || one.run == run);
  });
  return found == tables.end() ? nullptr : &*found;
}

const Cell& cell(const Table& report_table, std::size_t row, const std::string& column) {
  return report_table.rows.at(row).cells.at(view::column_index(report_table, column));
}

std::string matches(const Table& published, const std::string& what, std::int64_t ranks) {
  for (std::size_t row = 0; row < published.rows.size(); ++row) {
    if (cell(published, row, "what").text == what &&
        cell(published, row, "ranks").text == std::to_string(ranks))
      return cell(published, row, "matches").text;
  }
  return "(none)";
}

}  // namespace

TEST_CASE("a NaN is reported with the rank and the step in which it began") {
  MadeRun run(2);
  for (Step step = 0; step < 4; ++step) {
    for (Rank rank = 0; rank < 2; ++rank) {
      messages::StepReport body;
      body.step = step;
      body.samples = 8;
      body.loss = step < 3 ? 1.0F : std::nanf("");
      body.step_ns = 1'000'000;
      body.non_finite_buckets = step > 2 || (step == 2 && rank == 1) ? 1 : 0;
      run.say(rank, 10.0 * static_cast<double>(step + 1), body);
    }
  }
  const auto tables = view::build_report(std::vector{of(run, "1")});
  const Table* findings = report_table(tables, "findings");
  REQUIRE(findings != nullptr);
  const auto told = std::find_if(findings->rows.begin(), findings->rows.end(), [](const auto& row) {
    return row.cells.at(1).text == "loss_not_finite";
  });
  REQUIRE(told != findings->rows.end());
  CHECK(told->cells.at(2).text ==
        "The gradient of rank 1 was NaN or Inf in step 3, before the all-reduce; the loss followed "
        "in step 4. It started there; the gradients of the other ranks were finite.");
}

TEST_CASE("no runs make no report, and an empty run only its card") {
  CHECK(view::build_report({}).empty());
  const MadeRun empty(1);
  const std::vector<ReportRun> runs{of(empty, "1")};
  const auto tables = view::build_report(runs);
  REQUIRE(report_table(tables, "card") != nullptr);
  CHECK(cell(*report_table(tables, "card"), 0, "val_accuracy").text == "–");
  CHECK(std::holds_alternative<std::monostate>(
      cell(*report_table(tables, "card"), 0, "speedup").value));
  for (const auto& one : tables) CHECK(!one.rows.empty());
}

TEST_CASE("every row of every table has a cell for each column") {
  const E0 e0;
  for (const auto& one : view::build_report(e0.runs)) {
    INFO(one.key);
    for (const auto& row : one.rows) CHECK(row.cells.size() == one.columns.size());
  }
}

TEST_CASE("the card has both batches, speedup, efficiency and the loss of accuracy") {
  const E0 e0;
  const auto tables = view::build_report(e0.runs);
  const auto& card = *report_table(tables, "card");
  REQUIRE(card.rows.size() == 2);
  CHECK(cell(card, 0, "global_batch").text == "32");
  CHECK(cell(card, 1, "per_rank_batch").text == "32");
  CHECK(cell(card, 1, "global_batch").text == "64");
  CHECK(cell(card, 1, "steps_per_epoch").text == "782");
  CHECK(cell(card, 1, "scaling").text == "weak");
  CHECK(cell(card, 1, "speedup").text == "1.82×");
  CHECK(cell(card, 1, "efficiency").text == "90.9 %");
  CHECK(cell(card, 1, "accuracy_delta").text == "−1.00 pp");
  CHECK(cell(card, 0, "speedup").text == "–");
  CHECK(cell(card, 1, "baseline").text == "#1");
  // The hosts of both runs were not sampled.
  CHECK(cell(card, 1, "fair").text == "not known");
  CHECK(std::holds_alternative<std::monostate>(cell(card, 1, "fair").value));
  CHECK(!card.notes.empty());
}

TEST_CASE("the waterfall of a run adds up in the report, and says whether it is fair") {
  const E0 e0;
  const auto tables = view::build_report(e0.runs);
  const auto* found = report_table(tables, "waterfall", "2");
  REQUIRE(found != nullptr);
  CHECK(report_table(tables, "waterfall", "1") == nullptr);
  const auto ns = [&](std::size_t row, const char* key) {
    return std::get<std::int64_t>(cell(*found, row, key).value);
  };
  std::int64_t lost = 0;
  for (std::size_t row = 1; row + 1 < found->rows.size(); ++row) lost += ns(row, "lost_ns");
  const std::size_t last = found->rows.size() - 1;
  CHECK(ns(0, "run_ns") == 50'000'000'000);
  CHECK(ns(last, "run_ns") == 55'000'000'000);
  CHECK(lost == 5'000'000'000);
  CHECK(found->notes.back().starts_with("Global batch 64 against 32: "));
}

TEST_CASE("published figures are shown beside ours with whether they match") {
  const E0 e0;
  const auto tables = view::build_report(e0.runs);
  const auto& published = *report_table(tables, "published");
  CHECK(matches(published, "steps_per_epoch", 4) == "equal, computed for the recipe");
  CHECK(matches(published, "speedup", 2) == "the same direction");
  CHECK(matches(published, "time_cut", 2) == "the same direction");
  CHECK(matches(published, "val_accuracy", 2) == "within one point");
  CHECK(matches(published, "train_accuracy", 2) == "within one point");
  CHECK(matches(published, "train_loss", 2) == "within 0.05");
  CHECK(matches(published, "accuracy_delta", 2) == "the same direction");
  CHECK(matches(published, "val_accuracy", 1) == "(none)");
  CHECK(matches(published, "text", 2) == "a statement of the source");
  CHECK(report_table(tables, "changed_settings") == nullptr);
}

TEST_CASE("a published speedup is compared with ours by its source's clock, beside our own") {
  const launch::NamedPreset preset{"e2_ddp2", launch::load_preset("e2_ddp2").value().file};
  const auto made = [&](Rank ranks, double pass_s, double end_s) {
    RunSpec spec = preset.file.spec.full;
    spec.devices.world_size = ranks;
    MadeRun run(spec, 1, 1);
    for (Rank rank = 0; rank < ranks; ++rank) {
      run.step(rank, 0, 1000 * pass_s, {.step = 1000 * pass_s}, 50000 / ranks);
      run.pass(rank, Phase::kTrain, 0, 1000 * pass_s, 1, 50000 / ranks, 0, pass_s);
      run.pass(rank, Phase::kValidate, 0, 1000 * end_s, 1, 10000 / ranks);
    }
    messages::RankState ended;
    ended.state = messages::State::kFinished;
    run.say(kNoRank, 1000 * end_s + 9000, ended);
    return run;
  };
  const MadeRun baseline = made(1, 13.2, 20);
  const MadeRun run = made(2, 9.8, 16);
  ReportRun asked = of(run, "2");
  asked.baseline = &baseline.model();
  asked.preset = &preset;
  const auto tables = view::published_tables(asked);
  const Table& published = *report_table(tables, "published");
  const auto row_of = [&](const std::string& what) {
    for (std::size_t row = 0; row < published.rows.size(); ++row) {
      if (cell(published, row, "what").text == what) return row;
    }
    return published.rows.size();
  };
  const auto row = row_of("speedup");
  CHECK(cell(published, row, "clock").text == "training passes alone");
  CHECK(cell(published, row, "ours").text == "1.35×");
  CHECK(cell(published, row, "by_our_clock").text == "1.25×");
  CHECK(cell(published, row_of("epoch_seconds"), "ours").text == "9.8 s");
  CHECK(std::get<double>(cell(published, row_of("samples_per_s"), "ours").value) ==
        Approx(50000 / 9.8));
  CHECK(cell(published, row_of("total_seconds"), "clock").text == "the whole run");
  CHECK(std::get<double>(cell(published, row_of("total_seconds"), "ours").value) == Approx(25));
  CHECK(std::get<double>(cell(published, row_of("total_seconds"), "by_our_clock").value) ==
        Approx(16));
  CHECK(cell(published, row_of("parameters"), "clock").text == "–");
  // A baseline on the same number of devices is another comparison than the source's.
  asked.baseline = &run.model();
  const auto other = view::published_tables(asked);
  CHECK(matches(*report_table(other, "published"), "speedup", 2) ==
        "against one device; this run's baseline has 2");
}

TEST_CASE(
    "the set_epoch ablation has the gain of two runs beside the published one, with a verdict") {
  const launch::NamedPreset preset{"e1_set_epoch",
                                   launch::load_preset("e1_set_epoch").value().file};
  const MadeRun off = pair_run(preset.file, false, 3665);
  const auto verdict = [&](std::int64_t correct) {
    const MadeRun on = pair_run(preset.file, true, correct);
    ReportRun asked = of(on, "2");
    asked.baseline = &off.model();
    asked.preset = &preset;
    const auto tables = view::build_report(std::vector{asked});
    for (const auto& row : report_table(tables, "findings")->rows)
      CHECK(row.cells.at(1).text != "unfair_baseline");
    const Table& published = *report_table(tables, "published");
    const auto& last = published.rows.size() - 1;
    CHECK(cell(published, last, "what").text == "accuracy_delta");
    CHECK(cell(published, last, "published").text == "+2.06 points, mean of five pairs");
    return cell(published, last, "ours").text + ": " + cell(published, last, "matches").text;
  };
  CHECK(verdict(3768) == "2.06 pp: the same direction");
  CHECK(verdict(3600) == "−1.30 pp: the other direction");
  CHECK(verdict(3665) == "0.00 pp: no difference");
}

TEST_CASE("the goal gate is judged against the baseline") {
  const E0 e0;
  const auto tables = view::build_report(e0.runs);
  const auto& gate = *report_table(tables, "goal_gate");
  REQUIRE(gate.rows.size() == 3);
  CHECK(cell(gate, 0, "found").text == "45.0 %");
  CHECK(cell(gate, 1, "found").text == "71.00 %");
  CHECK(std::get<bool>(cell(gate, 2, "passed").value));
}

TEST_CASE("at another scale changed settings are listed, and values are not compared") {
  E0 e0;
  RunSpec quick = *e0.preset.file.spec.quick;
  const MadeRun run = e0_run(quick, 2, 5.5, 100);
  e0.runs[1] = of(run, "3");
  e0.runs[1].preset = &e0.preset;
  e0.runs[1].baseline = &e0.baseline.model();
  const auto tables = view::build_report(e0.runs);
  const auto& changed = *report_table(tables, "changed_settings");
  bool data = false;
  for (std::size_t row = 0; row < changed.rows.size(); ++row)
    data = data || cell(changed, row, "setting").text == "data.name";
  CHECK(data);
  const auto& published = *report_table(tables, "published");
  CHECK(matches(published, "val_accuracy", 2) == "other settings: not comparable");
  CHECK(matches(published, "steps_per_epoch", 2) == "equal, computed for the recipe");
}

TEST_CASE("strong and weak scaling never share a table") {
  RunSpec weak;
  weak.batch.meaning = "per_rank";
  RunSpec strong;
  strong.batch.meaning = "global";
  const auto made = [](RunSpec spec, Rank ranks) {
    spec.devices.world_size = ranks;
    return MadeRun(spec);
  };
  const MadeRun runs[] = {made(weak, 1), made(weak, 2), made(strong, 4), made(strong, 1)};
  std::vector<ReportRun> all;
  for (std::size_t i = 0; i < 4; ++i) all.push_back(of(runs[i], std::to_string(i)));
  const auto tables = view::build_report(all);
  REQUIRE(report_table(tables, "weak_scaling") != nullptr);
  REQUIRE(report_table(tables, "strong_scaling") != nullptr);
  CHECK(report_table(tables, "weak_scaling")->rows.size() == 2);
  CHECK(cell(*report_table(tables, "strong_scaling"), 0, "ranks").text == "1");
  CHECK(cell(*report_table(tables, "strong_scaling"), 1, "ranks").text == "4");
  const auto one = view::build_report(std::span(all).first(1));
  CHECK(report_table(one, "weak_scaling") == nullptr);
}

TEST_CASE("a run on two nodes and one on one node are compared value by value, each in its row") {
  RunSpec spec;
  spec.devices.world_size = 1;
  const MadeRun one(spec);
  spec.devices.world_size = 4;
  spec.devices.nodes = 2;
  const MadeRun two(spec);
  for (const bool first : {true, false}) {
    const std::vector<ReportRun> runs{of(first ? one : two, "a"), of(first ? two : one, "b")};
    const auto tables = view::build_report(runs);
    const Table& card = tables.front();
    for (const auto& row : card.rows) REQUIRE(row.cells.size() == card.columns.size());
    const std::size_t row_of_one = first ? 0 : 1;
    CHECK(cell(card, row_of_one, "nodes").text == "1");
    CHECK(cell(card, 1 - row_of_one, "nodes").text == "2 × 2");
    for (const std::size_t row : {0U, 1U}) CHECK(cell(card, row, "parallel").text == "ddp");
  }
}

TEST_CASE("the loss of each rank is listed by epoch, with the spread") {
  const E0 e0;
  const auto tables = view::run_tables(e0.runs[1]);
  const auto& losses = *report_table(tables, "rank_losses");
  REQUIRE(losses.rows.size() == 10);
  CHECK(std::get<double>(cell(losses, 0, "rank_0").value) == Approx(0.62));
  CHECK(std::get<double>(cell(losses, 0, "gap").value) == Approx(1.0 / 25000));
  CHECK(report_table(view::run_tables(e0.runs[0]), "rank_losses") == nullptr);
}

TEST_CASE("several evaluations in an epoch have a row each, and uncounted values are unknown") {
  MadeRun made(1);
  messages::EpochReport body;
  made.say(0, 10, body);
  body.phase = Phase::kValidate;
  body.loss_sum = std::nan("");
  body.correct = -1;
  body.counted = -1;
  for (const Step last : {4, 9}) {
    body.last_step = last;
    made.say(0, 20 + static_cast<double>(last), body);
  }
  const auto tables = view::run_tables(of(made, "1"));
  CHECK(cell(*report_table(tables, "epochs"), 0, "val_counted").text == view::unknown_cell().text);
  const auto& all = *report_table(tables, "evaluations");
  REQUIRE(all.rows.size() == 2);
  CHECK(cell(all, 0, "after_step").text == "5");
  CHECK(cell(all, 1, "after_step").text == "10");
  CHECK(cell(all, 1, "counted").text == view::unknown_cell().text);
}

TEST_CASE("the links between the GPUs of a run are in its report, also with one process for all") {
  RunSpec spec;
  spec.devices.world_size = 2;
  spec.devices.parallel = "dp";
  MadeRun made(spec);
  for (const int index : {6, 5}) {
    messages::DeviceSample sample;
    sample.device_index = index;
    sample.device_uuid = "GPU-" + std::to_string(index);
    made.say(kNoRank, 1, sample);
  }
  CHECK(report_table(view::run_tables(of(made, "1")), "links") == nullptr);
  made.say(kNoRank, 2, messages::DeviceLink{"GPU-5", "GPU-6", "SYS"});
  const auto tables = view::run_tables(of(made, "1"));
  const auto& links = *report_table(tables, "links");
  REQUIRE(links.rows.size() == 1);
  CHECK(cell(links, 0, "from").text == "GPU 6");
  CHECK(cell(links, 0, "to").text == "GPU 5");
  CHECK(cell(links, 0, "link").text == "SYS");
}

TEST_CASE("process groups have a row for each operation, named by their dimension") {
  MadeRun made(2);
  for (const Rank rank : {0, 1}) {
    made.say(rank, 0, messages::GroupReport{0, "0", "dp_shard", "default_pg", "gloo", {0, 1}});
    messages::CollectiveReport call;
    call.operation = static_cast<std::uint8_t>(messages::Collective::kAllGather);
    call.size_bytes = 5'000'000;
    call.entered_ns = call.issued_ns = MadeRun::kStart + MadeRun::ns(rank == 1 ? 12 : 10);
    call.done_ns = MadeRun::kStart + MadeRun::ns(15);
    made.say(rank, 15, call);
  }
  const auto tables = view::run_tables(of(made, "1"));
  const auto& groups = *report_table(tables, "groups");
  REQUIRE(groups.rows.size() == 1);
  CHECK(cell(groups, 0, "group").text == "dp_shard");
  CHECK(cell(groups, 0, "ranks").text == "r0-r1");
  CHECK(cell(groups, 0, "operation").text == "all-gather");
  CHECK(cell(groups, 0, "size_bytes").text == "5.000");
  CHECK(cell(groups, 0, "wait").text == "2.0");
  CHECK(cell(groups, 0, "transfer").text == "3.0");
  CHECK(cell(groups, 0, "last").text == "Rank 1 in 100 %");
  CHECK(groups.notes.empty());
}

TEST_CASE("the grid of samples is shown for small data sets, and reassigned samples for all") {
  RunSpec spec = launch::load_preset("e1_shuffle_grid").value().file.spec.full;
  MadeRun made(spec);
  made.shard(0, 0, {4, 7, 2, 1}, 8);
  made.shard(1, 0, {0, 3, 5, 6}, 8);
  made.shard(0, 1, {5, 2, 7, 1}, 8);
  made.shard(1, 1, {4, 6, 3, 0}, 8);
  const launch::NamedPreset preset{"e1_shuffle_grid",
                                   launch::load_preset("e1_shuffle_grid").value().file};
  std::vector<ReportRun> runs{of(made, "1")};
  runs[0].preset = &preset;
  const auto tables = view::build_report(runs);
  // The findings of the Sampler page are here, too.
  const auto checks = view::sample_checks(made.model());
  const Table& sampling = *report_table(tables, "sampling");
  REQUIRE(sampling.rows.size() == checks.size());
  for (std::size_t i = 0; i < checks.size(); ++i)
    CHECK(cell(sampling, i, "detail").text == checks[i].detail);
  CHECK(report_table(tables, "rank_shards")->rows.size() == 2);
  CHECK(report_table(tables, "first_samples") != nullptr);
  CHECK(cell(*report_table(tables, "ownership"), 1, "rank_0").text == "5 2 7 1");
  CHECK(cell(*report_table(tables, "shards"), 1, "migration").text == "25.0 %");
  CHECK(cell(*report_table(tables, "shards"), 1, "order").text == "new");
  CHECK(matches(*report_table(tables, "published"), "migration", 2) == "equal, recorded");
  CHECK(report_table(tables, "source_1")->rows.size() == 2);
}

TEST_CASE("an order that recurs after another one is not a new order in the report either") {
  MadeRun made(launch::load_preset("e1_shuffle_grid").value().file.spec.full);
  const auto draw = [&made](Epoch epoch, bool turned) {
    made.shard(turned ? 1 : 0, epoch, {4, 7, 2, 1}, 8);
    made.shard(turned ? 0 : 1, epoch, {0, 3, 5, 6}, 8);
  };
  for (const Epoch epoch : {0, 1, 2, 3}) draw(epoch, epoch == 1);
  const auto tables = view::run_tables(of(made, "1"));
  const Table& shards = *report_table(tables, "shards");
  CHECK(cell(shards, 0, "order").text == "first");
  CHECK(cell(shards, 1, "order").text == "new");
  CHECK(cell(shards, 2, "order").text == "same as in epoch 1");
  CHECK(cell(shards, 3, "order").text == "same as before");
}

TEST_CASE("a run whose samples are not observed says why in its report") {
  RunSpec spec;
  spec.program.argv = {"python3", "train.py"};
  spec.devices.world_size = 2;
  MadeRun made(spec);
  CHECK(report_table(view::run_tables(of(made, "1")), "sampling") == nullptr);
  for (Rank rank = 0; rank < 2; ++rank) made.say(rank, 10, messages::StepReport());
  made.say(0, 11, messages::Notice{messages::Severity::kInfo, messages::kSamplesUnseen, "by Mine"});
  const auto tables = view::run_tables(of(made, "1"));
  const Table& sampling = *report_table(tables, "sampling");
  REQUIRE(sampling.rows.size() == 1);
  CHECK(cell(sampling, 0, "result").text == "unknown");
  CHECK(cell(sampling, 0, "detail").text == plain(view::why_no_shards(made.model())));
}

TEST_CASE("starts and checkpoints are in the order in which they happened") {
  MadeRun made(2);
  messages::Checkpoint saved;
  saved.epoch = 1;
  saved.step = 20;
  saved.path = "/x/epoch_002.pt";
  made.say(0, 5000, saved);
  messages::RankHello again;
  again.world_size = 2;
  again.attempt = 1;
  again.first_step = 20;
  made.say(0, 9000, again);
  made.say(1, 9100, again);
  const auto tables = view::run_tables(of(made, "1"));
  const auto& timeline = *report_table(tables, "timeline");
  REQUIRE(timeline.rows.size() == 3);
  CHECK(cell(timeline, 0, "what").text == "started");
  CHECK(cell(timeline, 1, "what").text == "checkpoint");
  CHECK(cell(timeline, 1, "path").text == "/x/epoch_002.pt");
  CHECK(cell(timeline, 2, "what").text == "resumed, attempt 1");
  CHECK(cell(timeline, 2, "step").text == "20");
  CHECK(cell(timeline, 2, "seconds").text == "9.00");
}

TEST_CASE(
    "autocast slower than fp32 on as many devices shows between two runs that share no baseline") {
  const auto made = [](const std::string& precision, double ms) {
    RunSpec spec;
    spec.devices.world_size = 2;
    spec.train.precision = precision;
    MadeRun run(spec, 60, 1);
    for (Step step = 0; step < 60; ++step) {
      for (Rank rank = 0; rank < 2; ++rank)
        run.step(rank, step, ms * static_cast<double>(step + 1), {.step = ms}, 8);
    }
    return run;
  };
  const MadeRun fp32 = made("fp32", 6.1);
  const MadeRun amp = made("fp16", 6.5);
  const std::vector<ReportRun> runs{of(fp32, "1"), of(amp, "2")};
  const auto tables = view::build_report(runs);
  const auto* between = report_table(tables, "between_runs");
  REQUIRE(between != nullptr);
  REQUIRE(between->rows.size() == 1);
  CHECK(cell(*between, 0, "run").text == "#2");
  CHECK(cell(*between, 0, "code").text == "slower_amp");
  CHECK(report_table(view::build_report(std::span(runs).first(1)), "between_runs") == nullptr);
}

TEST_CASE("The card shows no settings of ours for a custom program") {
  RunSpec spec;
  spec.program.argv = {"python3", "train.py"};
  MadeRun foreign(spec, 10, 1);
  for (Step step = 0; step < 10; ++step)
    foreign.step(0, step, 10.0 * static_cast<double>(step + 1), {.step = 10}, 8);
  const MadeRun ours{RunSpec{}, 10, 1};
  const std::vector<ReportRun> runs{of(ours, "1"), of(foreign, "2")};
  const auto tables = view::build_report(runs);
  const Table* card = report_table(tables, "card");
  REQUIRE(card != nullptr);
  for (const char* setting : {"model", "data", "precision", "optimizer", "lr", "seed",
                              "sampler_seed", "parallel", "scaling", "global_batch"}) {
    INFO(setting);
    CHECK(cell(*card, 1, setting).text == "–");
  }
  CHECK(cell(*card, 1, "program").text == "python3 train.py");
  CHECK(cell(*card, 0, "program").text == "–");
  CHECK(cell(*card, 0, "model").text == RunSpec{}.model.name);
  CHECK(cell(*card, 0, "data").text == RunSpec{}.data.name);
}
