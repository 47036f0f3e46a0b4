// A figure is the same everywhere: card, chart, table, report and `show` have one value for one
// run, and a difference below its noise is not called a result.
#include <algorithm>
#include <cmath>
#include <random>

#include "gui/analysis/arrivals.h"
#include "gui/analysis/scaling/speedup.h"
#include "gui/view/live/event_strip.h"
#include "gui/view/live/groups_view.h"
#include "gui/view/live/rank_table.h"
#include "gui/view/live/run_charts.h"
#include "gui/view/live/speedup_view.h"
#include "gui/view/live/step_bars.h"
#include "gui/view/number_format.h"
#include "gui/view/probe_words.h"
#include "gui/view/report/report.h"
#include "gui/view/scaling/waterfall_view.h"
#include "tests/gui/analysis/made_run.h"
#include "tests/gui/view/demo_models.h"
#include "tests/gui/view/groups/made_groups.h"
#include "tests/support/catch.h"

using namespace ringside;
using namespace ringside::view;
using messages::Phase;
using support::MadeRun;
using support::model_of;

namespace {

struct Costs {
  double data = 1, forward = 20, backward = 40, exchange = 0, optimizer = 2;
  double evaluation = 0;
  double scatter = 0;  ///< of the forward times, plus or minus this number of ms
  double own() const { return data + forward + backward; }
  double step() const { return own() + exchange + optimizer; }
};

/// One epoch of equal steps on all ranks: 8 samples per step, followed by an evaluation.
MadeRun epoch_of(Rank ranks, Step steps, const Costs& made, bool whole = true,
                 std::int64_t steps_per_epoch = 0) {
  MadeRun run(ranks, steps_per_epoch > 0 ? steps_per_epoch : steps, 1);
  std::mt19937 random(7);
  double now = 1000;
  for (Step step = 0; step < steps; ++step) {
    Costs costs = made;
    costs.forward += made.scatter * (static_cast<double>(random() % 2001) / 1000 - 1);
    const double begin = now;
    now += costs.step();
    for (Rank rank = 0; rank < ranks; ++rank) {
      const double exposed = ranks == 1 ? -1 : costs.exchange;
      if (ranks > 1)
        run.bucket(rank, step, 0, begin + costs.own(), begin + costs.own() + costs.exchange);
      run.step(
          rank, step, now,
          {costs.data, 0, costs.forward, costs.backward, exposed, costs.optimizer, costs.step()},
          8 / ranks);
    }
  }
  if (!whole) return run;
  for (Rank rank = 0; rank < ranks; ++rank)
    run.pass(rank, Phase::kTrain, 0, now, 1, 8 / ranks * steps);
  now += made.evaluation;
  for (Rank rank = 0; rank < ranks; ++rank)
    run.pass(rank, Phase::kValidate, 0, now, 1, 8, 0, made.evaluation / 1e3);
  return run;
}

/// The number after these words, as in "3.41×"; NaN if they are missing.
double number_after(const std::string& text, const std::string& words) {
  const std::size_t at = text.find(words);
  return at == text.npos ? std::nan("") : std::stod(text.substr(at + words.size()));
}

double lost_s(const Table& table, const char* part) {
  for (const TableRow& row : table.rows) {
    if (row.key == part)
      return static_cast<double>(std::get<std::int64_t>(cell_of(table, row, "lost_ns").value)) /
             1e9;
  }
  return 0;
}

double run_s(const Table& table, const char* part) {
  for (const TableRow& row : table.rows) {
    if (row.key == part)
      return static_cast<double>(std::get<std::int64_t>(cell_of(table, row, "run_ns").value)) / 1e9;
  }
  return std::nan("");
}

ReportRun report_of(const model::RunModel& run, const model::RunModel* baseline) {
  ReportRun report;
  report.id = "7";
  report.model = &run;
  report.baseline = baseline;
  return report;
}

const Table* table_of(const std::vector<Table>& tables, const std::string& key) {
  const auto found =
      std::find_if(tables.begin(), tables.end(), [&](const Table& one) { return one.key == key; });
  return found == tables.end() ? nullptr : &*found;
}

const WaterfallRow& bar_of(const WaterfallView& view, std::string_view key) {
  const auto found = std::find_if(view.rows.begin(), view.rows.end(),
                                  [&](const auto& row) { return row.key == key; });
  REQUIRE(found != view.rows.end());
  return *found;
}

constexpr const char* kWithoutWaiting = "Without waiting and exchange it would be ";

}  // namespace

TEST_CASE("The closing sentence of a waterfall excludes what its bars call waiting") {
  const MadeRun baseline = epoch_of(1, 80, {});
  const MadeRun run = epoch_of(2, 80, {60, 12, 25, 3, 2});
  const WaterfallView view = build_waterfall_view(run.model(), &baseline.model(), true);
  REQUIRE(view.shown);
  const double waited = lost_s(view.table, "data_wait") + lost_s(view.table, "compute_imbalance") +
                        lost_s(view.table, "exposed_transfer");
  CHECK(waited > 4.5);
  const double without = run_s(view.table, "ideal") * 2 / (run_s(view.table, "measured") - waited);
  CHECK(number_after(view.note, kWithoutWaiting) == Approx(without).margin(0.006));
  CHECK(without > 1.5);
  CHECK(view.measured.at < 1);
  // The report and `show` print the same table.
  const auto tables = run_tables(report_of(run.model(), &baseline.model()));
  const Table* printed = table_of(tables, "waterfall");
  REQUIRE(printed != nullptr);
  CHECK(std::count(printed->notes.begin(), printed->notes.end(), view.note) == 1);
}

TEST_CASE("Communication without the wait for the slowest has another name than with it") {
  const std::string_view with_wait = model::info_of(model::Metric::kExposedComm).label;
  CHECK(with_wait == "Exposed comm");
  const std::string without_wait = loss_word(analysis::Loss::kTransfer);
  CHECK(without_wait == "Exposed transfer");
  CHECK_FALSE(without_wait.starts_with(with_wait));
}

TEST_CASE("The times in the sentence of a bar differ by what the bar lost") {
  for (const Step baseline_steps : {80, 160}) {
    const MadeRun baseline = epoch_of(1, baseline_steps, {.data = 3, .evaluation = 400});
    const MadeRun run = epoch_of(2, 80, {.data = 2, .exchange = 3, .evaluation = 300});
    const WaterfallView view = build_waterfall_view(run.model(), &baseline.model(), true);
    const auto check = [&](const char* key, double times, double unit_s) {
      const WaterfallRow& bar = bar_of(view, key);
      INFO(baseline_steps << " " << bar.text << " | " << bar.hint);
      const double lost = (std::stod(bar.text) - number_after(bar.text, ", ideal ")) * unit_s;
      CHECK(times * lost == Approx(lost_s(view.table, key)).epsilon(0.01));
      CHECK(number_after(bar.hint, ", ideal ") == number_after(bar.text, ", ideal "));
    };
    check("data_wait", 80, 1e-3);
    check("optimizer", 80, 1e-3);
    check("evaluation", 1, 1);
  }
}

TEST_CASE("The machine is named as the cause only for compute") {
  const MadeRun baseline = epoch_of(1, 80, {});
  const MadeRun slow = epoch_of(2, 80, {1, 18, 36, 3, 2});
  const std::string blamed = build_waterfall_view(slow.model(), &baseline.model(), true).note;
  CHECK(blamed.find("what this machine gives 2 at once") != std::string::npos);
  const MadeRun evaluates = epoch_of(2, 80, {1, 10, 20, 3, 1, 3000});
  const std::string other = build_waterfall_view(evaluates.model(), &baseline.model(), true).note;
  CHECK(other.find("what this machine gives") == std::string::npos);
  CHECK(other.find("most of the rest is Evaluation") != std::string::npos);
}

TEST_CASE("No cause is called most of the rest if there is no rest, or for a small part of it") {
  const MadeRun slow = epoch_of(1, 80, {1, 60, 120});
  const MadeRun quick = epoch_of(2, 80, {60, 12, 25, 3, 2});
  const std::string above = build_waterfall_view(quick.model(), &slow.model(), true).note;
  CHECK(number_after(above, kWithoutWaiting) > 2);
  CHECK(above.find("×, more than the ideal, as it computes faster than the baseline did.") !=
        std::string::npos);
  CHECK(above.find("rest") == std::string::npos);
}

TEST_CASE("A speedup beside which other programs ran is called unfair alike wherever it is shown") {
  const MadeRun baseline = epoch_of(1, 80, {});
  MadeRun busy = epoch_of(2, 80, {1, 18, 36, 3, 2});
  for (int i = 0; i < 9; ++i) {
    messages::HostSample host;
    host.cpus = 2;
    host.cpu_pct = 100;
    host.rank_cpu_pct = {30, 30};
    host.viewer_cpu_pct = 0;
    busy.say(kNoRank, 1001 + 500.0 * i, host);
  }
  const WaterfallView view = build_waterfall_view(busy.model(), &baseline.model(), true);
  CHECK(view.fairness.unfair());
  // What it would be without waiting is not stated then.
  CHECK(view.note.find("Without waiting") == std::string::npos);
  const std::string told = view.fairness.told();
  CHECK(told.starts_with("Not fair: "));
  const SpeedupView card = build_speedup_view(busy.model(), support::ended_context(busy.model()),
                                              support::baseline_context(baseline.model()));
  CHECK(card.fairness.told() == told);
  CHECK(plain(card.note).find(told) != std::string::npos);
  CHECK(plain(card.brief) == told);
  const ReportRun report = report_of(busy.model(), &baseline.model());
  const auto tables = build_report({&report, 1});
  CHECK(tables.front().notes.back() == report.label + ": " + told);
  std::int64_t times = 0;
  for (const Table& table : tables)
    for (const std::string& note : table.notes) times += note.find("Not fair") != note.npos ? 1 : 0;
  CHECK(times == 1);
  // The tables of one run have no card beside them.
  CHECK(std::ranges::count(run_tables(report).front().notes, told) == 1);
}

TEST_CASE("The cost of a late rank is stated as the speedup without it") {
  const auto run = model_of(support::demo_run());
  const auto baseline = model_of(support::demo_baseline());
  const auto strip =
      build_event_strip(run, support::live_context(run), support::baseline_context(baseline));
  const std::string aside = plain(strip.first.aside);
  INFO(aside);
  const double without = number_after(aside, "without that the speedup would be ");
  const WaterfallView view = build_waterfall_view(run, &baseline, false);
  const SpeedupView card =
      build_speedup_view(run, support::live_context(run), support::baseline_context(baseline));
  CHECK(without > std::stod(card.display));
  CHECK(without < number_after(view.note, kWithoutWaiting) + 0.01);
  // A bar has its share of the whole loss, which is another figure and says so.
  CHECK(view.note.find("each bar's × is its share of the loss of") != std::string::npos);
}

TEST_CASE("A ceiling that the run beats is shown nowhere") {
  const auto run = model_of(support::demo_run());
  const auto baseline = model_of(support::demo_baseline());
  RunContext context = support::live_context(run);
  const auto plain_card = build_speedup_view(run, context, support::baseline_context(baseline));
  auto probe = std::make_shared<analysis::LinkProbe>();
  probe->devices = {"host", "nccl", {"GPU-a", "GPU-b", "GPU-c", "GPU-d"}, 4, 0};
  probe->sizes = {{4, 0.000112}, {1 << 20, 0.002}};
  probe->step = "resnet18, 128 samples, fp32";
  ReportRun report = report_of(run, &baseline);
  for (const double ceiling : {3.6, 3.2}) {
    probe->ceiling = ceiling;
    context.probe = report.probe = std::make_shared<const analysis::LinkProbe>(*probe);
    const bool holds = ceiling > 3.41;
    INFO(ceiling);
    const auto card = build_speedup_view(run, context, support::baseline_context(baseline));
    CHECK((card.ceiling_share > 0) == holds);
    CHECK((card.ideal_label != plain_card.ideal_label) == holds);
    CHECK((plain(card.note).find("copies at once") != std::string::npos) == holds);
    CHECK((plain(card.brief).find("copies at once") != std::string::npos) == holds);
    const Table table = expected_table(report);
    CHECK((cell_of(table, table.rows[0], "ceiling").text != kDash) == holds);
    CHECK(table.notes.empty() == !holds);
  }
}

TEST_CASE("A live speedup agrees with the times beside it, and is not shown during warm-up") {
  const MadeRun baseline = epoch_of(1, 200, {1, 20, 40, 0, 2, 9000});
  const auto card_of = [&](Step steps, bool live) {
    const MadeRun run = epoch_of(2, steps, {1, 11, 21, 2, 1}, false, 200);
    const RunContext context =
        live ? support::live_context(run.model()) : support::ended_context(run.model());
    const SpeedupView card =
        build_speedup_view(run.model(), context, {&baseline.model(), "base", 983});
    if (card.shown) {
      CHECK(card.baseline_share / card.run_share == Approx(std::stod(card.display)).margin(0.006));
      const auto found = analysis::speedup(run.model(), &baseline.model(), !live);
      CHECK(std::stod(card.display) == Approx(found.speedup).margin(0.006));
      CHECK(found.baseline_total_s / found.run_total_s == Approx(found.speedup));
      const WaterfallView view = build_waterfall_view(run.model(), &baseline.model(), !live);
      CHECK(view.measured.x == card.display);
    } else {
      CHECK(plain(card.empty).starts_with("No speedup yet. "));
      CHECK_FALSE(build_waterfall_view(run.model(), &baseline.model(), !live).shown);
    }
    return card.shown;
  };
  CHECK_FALSE(card_of(12, true));
  CHECK_FALSE(card_of(39, true));
  CHECK(card_of(60, true));
  CHECK(card_of(12, false));  // no more steps will come
}

TEST_CASE("Figures of ranks that are shown side by side are of one step, which is stated") {
  MadeRun run(2);
  for (Step step = 0; step < 8; ++step) {
    for (Rank rank = 0; rank < 2; ++rank) {
      messages::StepReport body;
      body.step = step;
      body.loss = 1;
      if (rank == 0 && step == 0) body.grad_norm = 0.48F;
      if (rank == 1 && step == 4) body.grad_norm = 0.61F;
      run.say(rank, 100.0 * static_cast<double>(step + 1), body);
    }
  }
  const auto check = [](const Table& table) {
    const TableColumn& column = column_of(table, "grad_norm");
    CHECK(head_text(column) == "Grad norm, step 5");
    CHECK(cell_of(table, table.rows.at(0), "grad_norm").text == kDash);
    CHECK(cell_of(table, table.rows.at(1), "grad_norm").text == "0.61");
  };
  check(build_rank_table(run.model(), support::ended_context(run.model())).table);
  const auto tables = run_tables(report_of(run.model(), nullptr));
  const Table* printed = table_of(tables, "rank_metrics");
  REQUIRE(printed != nullptr);
  check(*printed);
}

TEST_CASE("The rest of a step that belongs to no part is named, so that the parts add up") {
  MadeRun run(2);
  for (Step step = 0; step < 20; ++step) {
    for (Rank rank = 0; rank < 2; ++rank)
      run.step(rank, step, 10.0 * static_cast<double>(step + 1), {1, 0, 2, 3, -1, 1, 10});
  }
  const auto tables = run_tables(report_of(run.model(), nullptr));
  const Table* printed = table_of(tables, "rank_metrics");
  REQUIRE(printed != nullptr);
  CHECK(head_text(column_of(*printed, "other_ms")) == "in no part ms");
  CHECK(cell_of(*printed, printed->rows.at(1), "other_ms").text == "3.0");
  CHECK(cell_of(*printed, printed->totals.at(0), "other_ms").text == "3.0");
}

TEST_CASE("The loss spread is that of the losses beside it") {
  MadeRun run(2);
  for (Step step = 0; step < 300; ++step) {
    for (Rank rank = 0; rank < 2; ++rank) {
      const float apart = step == 299 ? 0.019F : 0.002F;
      run.step(rank, step, 100.0 * static_cast<double>(step + 1), {0, 0, 0, 1, -1, 0, 10}, 1,
               rank == 0 ? 0.5F : 0.5F + apart);
    }
  }
  const auto& model = run.model();
  const Table ranks = build_rank_table(model, support::ended_context(model)).table;
  const auto loss = [&](std::size_t row) {
    return std::get<double>(cell_of(ranks, ranks.rows.at(row), "loss").value);
  };
  ChartChoice choice;
  const ChartView chart =
      build_loss_chart(model, support::ended_context(model), {}, choice, 900, 230);
  CHECK(chart.aside == "Loss spread 0.019 in step 300");
  CHECK(std::abs(loss(1) - loss(0)) == Approx(0.019).margin(1e-6));
}

TEST_CASE("Time that includes data loading is not called compute") {
  const MadeRun baseline = epoch_of(1, 80, {});
  const MadeRun run = epoch_of(2, 80, {60, 12, 25, 3, 2});
  const auto& model = run.model();
  const Table ranks = build_rank_table(model, support::ended_context(model)).table;
  CHECK(column_of(ranks, "own").label == "Data + compute");
  CHECK(std::string(label::kCompute) == "Data + compute");
  const auto ms = [&](const char* key) {
    return std::get<double>(cell_of(ranks, ranks.rows.at(0), key).value);
  };
  CHECK(ms("own") == Approx(60 + 12 + 25));
  CHECK(ms("own") == Approx(ms("data_wait") + ms("forward") + ms("backward")));
  const WaterfallView view = build_waterfall_view(model, &baseline.model(), true);
  CHECK(run_s(view.table, "compute") == Approx(80 * (ms("forward") + ms("backward")) / 1e3));
  CHECK(run_s(view.table, "data_wait") == Approx(80 * ms("data_wait") / 1e3));
}

TEST_CASE("Copying to the device is named beside the data wait with which it is drawn") {
  const auto model = model_of(support::demo_run());
  const StepBarsView bars = build_step_bars(model, support::live_context(model));
  CHECK(bars.legend.front().word == "Data wait + copy");
  const MadeRun run = epoch_of(2, 80, {});
  const StepBarsView none = build_step_bars(run.model(), support::ended_context(run.model()));
  CHECK(none.legend.front().word == "Data wait");
}

TEST_CASE("A bar is called slower, faster or neither, depending on its noise") {
  const MadeRun baseline = epoch_of(1, 128, {1, 20, 40, 0, 2, 0, 12});
  const auto bar = [&](double forward, double scatter) {
    const MadeRun run = epoch_of(2, 128, {1, forward, 20, 3, 1, 0, scatter});
    const WaterfallView view = build_waterfall_view(run.model(), &baseline.model(), true);
    return bar_of(view, "compute");
  };
  const WaterfallRow slower = bar(19, 1);
  CHECK(slower.label == "Slower compute");
  CHECK_FALSE(slower.gain);
  const WaterfallRow faster = bar(4, 1);
  CHECK(faster.label == "Faster compute");
  CHECK(faster.gain);
  CHECK(faster.hint.find("% less") != std::string::npos);
  const WaterfallRow neither = bar(9.5, 6);
  CHECK(neither.seconds.starts_with("−"));
  CHECK(neither.label == "Compute");
  CHECK_FALSE(neither.gain);
  CHECK(neither.text.find("within the noise") != std::string::npos);
  CHECK(neither.hint.ends_with(", within the noise"));
}

TEST_CASE("The Groups tab has the figures of `show` and its JSON, and a fold those of its groups") {
  const MadeRun run = support::run_of({.mesh = support::hsdp_2x2(), .late = 2});
  const auto tables = run_tables(report_of(run.model(), nullptr));
  const Table* shown = table_of(tables, "groups");
  REQUIRE(shown != nullptr);
  REQUIRE(shown->rows.size() == 6);
  GroupsChoice choice;
  const auto view = [&] {
    return build_groups_view(run.model(), support::ended_context(run.model()), choice);
  };
  const GroupsView closed = view();
  for (std::size_t row = 0; row < closed.table.rows.size(); ++row)
    press_group_row(choice, closed, row);
  const GroupsView open = view();
  REQUIRE(open.table.rows.size() == 9);
  double most = 0;
  for (std::size_t i = 0; i < open.table.rows.size(); ++i) {
    const TableRow& row = open.table.rows[i];
    if (open.folds[i] == Fold::kOpen) {
      most = number_of(cell_of(open.table, row, "wait").value);
      continue;
    }
    const auto same = std::find_if(shown->rows.begin(), shown->rows.end(),
                                   [&](const TableRow& one) { return one.key == row.key; });
    REQUIRE(same != shown->rows.end());
    for (std::size_t k = 0; k < row.cells.size(); ++k) {
      CHECK(row.cells[k].value == same->cells[k].value);
      CHECK(row.cells[k].text == same->cells[k].text);
    }
    CHECK(number_of(cell_of(open.table, row, "wait").value) <= most);
  }
  CHECK(shown->notes.front() == plain(open.verdict));
}
