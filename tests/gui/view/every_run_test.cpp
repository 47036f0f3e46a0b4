// Every view of every kind of run: young, finished, failed, resumed, with lost records, with many
// ranks, and with nonsense. For all of them nothing crashes, shares are between 0 and 1, lines go
// forward, and no raw nan is shown.
#include <cmath>

#include "gui/view/live/device_table.h"
#include "gui/view/live/event_strip.h"
#include "gui/view/live/groups_view.h"
#include "gui/view/live/log_view.h"
#include "gui/view/live/rank_table.h"
#include "gui/view/live/run_charts.h"
#include "gui/view/live/speedup_view.h"
#include "gui/view/live/step_bars.h"
#include "gui/view/runs/compare_view.h"
#include "gui/view/runs/runs_view.h"
#include "gui/view/window/status_bar.h"
#include "gui/view/window/top_bar.h"
#include "tests/gui/view/demo_models.h"
#include "tests/support/catch.h"
#include "tests/support/nonsense.h"

using namespace ringside;
using namespace ringside::view;
using support::model_of;

namespace {

bool readable(const std::string& text) {
  return text.find("nan") == std::string::npos && text.find("inf") == std::string::npos;
}

bool is_share(double value) { return value >= 0 && value <= 1 + 1e-9; }

void check_line(const LineView& line) {
  for (std::size_t i = 0; i < line.columns.size(); ++i) {
    const ChartColumn& column = line.columns[i];
    REQUIRE(std::isfinite(column.low));
    REQUIRE(column.low <= column.high);
    REQUIRE(column.first >= column.low);
    REQUIRE(column.last <= column.high);
    if (i > 0) REQUIRE(column.x >= line.columns[i - 1].x);
  }
}

void check_chart(const ChartView& chart) {
  REQUIRE(chart.x.high > chart.x.low);
  REQUIRE(chart.y.high > chart.y.low);
  for (const AxisView* axis : {&chart.x, &chart.y}) {
    for (const Tick& tick : axis->ticks) {
      REQUIRE(is_share(axis_share(*axis, tick.at) + 1e-9));
      REQUIRE_FALSE(tick.label.empty());
    }
  }
  for (const LineView& line : chart.lines) check_line(line);
  for (const ReadoutRow& row : chart.readout.rows) REQUIRE(readable(row.value));
  REQUIRE(readable(chart.aside));
}

void check_charts(const model::RunModel& model, const RunContext& context,
                  const BaselineContext& baseline) {
  for (const XAxis axis : {XAxis::kStep, XAxis::kEpoch, XAxis::kTime, XAxis::kSamples}) {
    for (const bool logarithmic : {false, true}) {
      ChartChoice choice;
      choice.axis = axis;
      choice.logarithmic = logarithmic;
      choice.cursor_step = 5;
      check_chart(build_loss_chart(model, context, baseline, choice, 300, 200));
      choice.window = {3, 40};
      check_chart(build_loss_chart(model, context, baseline, choice, 300, 200));
      check_chart(build_accuracy_chart(model, context, baseline, choice, 300, 120));
      check_chart(build_step_time_chart(model, context, choice, 300, 120));
    }
  }
}

void check_bars(const model::RunModel& model, const RunContext& context) {
  const StepBarsView bars = build_step_bars(model, context);
  REQUIRE(bars.bars.empty() == !bars.empty.empty());
  for (const StepBar& bar : bars.bars) {
    for (const BarPart& part : bar.parts) {
      REQUIRE(is_share(part.begin));
      REQUIRE(is_share(part.end));
      REQUIRE(part.begin <= part.end);
      REQUIRE(readable(part.value));
    }
  }
}

void check_table(const model::RunModel& model, const RunContext& context) {
  const Table ranks = build_rank_table(model, context).table;
  REQUIRE(ranks.rows.size() == model.ranks().size());
  const GroupsView groups = build_groups_view(model, context, {});
  REQUIRE(groups.table.rows.empty() == !groups.empty.empty());
  for (const Table& table : {ranks, build_device_table(model).table, groups.table}) {
    for (const TableRow& row : table.rows) {
      REQUIRE(row.cells.size() == table.columns.size());
      for (const Cell& cell : row.cells) REQUIRE(readable(cell.text));
    }
  }
  for (const TableRow& row : ranks.rows) {
    for (std::size_t i = 0; i < row.cells.size(); ++i)
      REQUIRE((!row.cells[i].text.empty() || ranks.columns[i].key == "exit" ||
               ranks.columns[i].key == "stack"));
  }
}

void check_everything(const model::RunModel& model, const model::RunModel& other) {
  for (const Contact contact :
       {Contact::kLive, Contact::kEnded, Contact::kInterrupted, Contact::kLost, Contact::kReplay}) {
    RunContext context = support::live_context(model);
    context.contact = contact;
    const BaselineContext baseline = support::baseline_context(other);
    const TopBarView bar = build_top_bar(&model, context, {});
    REQUIRE(is_share(bar.share));
    REQUIRE(readable(plain(bar.eta) + plain(bar.elapsed) + bar.percent));
    const SpeedupView card = build_speedup_view(model, context, baseline);
    REQUIRE(card.shown == card.empty.empty());
    if (card.shown)
      REQUIRE(
          (is_share(card.run_share) && is_share(card.baseline_share) && readable(card.display)));
    REQUIRE_FALSE(plain(build_event_strip(model, context, baseline).first.main).empty());
    check_bars(model, context);
    check_table(model, context);
    REQUIRE_FALSE(build_status_bar(&model, context).left.empty());
  }
  check_charts(model, support::live_context(model), support::baseline_context(other));
  build_log(model, {}, {});
  const std::vector<ComparedRun> runs{{&model, support::live_context(model)},
                                      {&other, support::ended_context(other)}};
  check_chart(build_compare_view(runs, {}, 300, 200).loss);
}

}  // namespace

TEST_CASE("Every view works for every kind of run") {
  const auto baseline = model_of(support::demo_small(1));
  SECTION("young") {
    check_everything(model::RunModel(support::demo_spec(support::demo_small(4))), baseline);
  }
  SECTION("without settings") { check_everything(model::RunModel(), baseline); }
  SECTION("one rank") { check_everything(baseline, baseline); }
  SECTION("eight ranks") { check_everything(model_of(support::demo_small(8)), baseline); }
  SECTION("64 ranks on 8 nodes") {
    support::DemoOptions options = support::demo_small(64);
    options.nodes = 8;
    check_everything(model_of(options), baseline);
  }
  SECTION("one step only") {
    support::DemoOptions options = support::demo_small(2);
    options.steps = 1;
    options.finish = false;
    check_everything(model_of(options), baseline);
  }
  SECTION("NaN, lost records, a killed rank") {
    support::DemoOptions options = support::demo_small(4);
    options.finish = false;
    options.nan_from = 60;
    options.lose_every = 7;
    options.killed_rank = 3;
    check_everything(model_of(options), baseline);
  }
  SECTION("resumed") {
    support::DemoOptions options = support::demo_small(4);
    options.steps = 70;
    options.resume_from = 40;
    options.resume_to = 110;
    check_everything(model_of(options), baseline);
  }
  SECTION("no buckets, no GPUs") {
    support::DemoOptions options = support::demo_small(3);
    options.buckets = false;
    options.gpus = false;
    check_everything(model_of(options), baseline);
  }
}

TEST_CASE("Nonsense from a sender breaks no view") {
  model::RunModel model(support::demo_spec(support::demo_small(4)));
  support::Nonsense(GENERATE(range(1U, 31U))).play(model);
  const RunContext context = support::live_context(model);
  const auto baseline = model_of(support::demo_small(1));
  const BaselineContext base = support::baseline_context(baseline);
  for (const XAxis axis : {XAxis::kStep, XAxis::kEpoch, XAxis::kTime, XAxis::kSamples}) {
    ChartChoice choice;
    choice.axis = axis;
    choice.cursor_step = 9;
    const ChartView chart = build_loss_chart(model, context, base, choice, 200, 200);
    CHECK(chart.lines.size() <= 7);  // Ranks 0 to 4, mean, baseline.
    for (const LineView& line : chart.lines) CHECK(line.columns.size() <= 200);
    build_accuracy_chart(model, context, base, choice, 200, 100);
    build_step_time_chart(model, context, choice, 200, 100);
  }
  CHECK(is_share(build_top_bar(&model, context, {}).share));
  build_speedup_view(model, context, base);
  build_event_strip(model, context, base);
  build_step_bars(model, context);
  CHECK(build_rank_table(model, context).table.rows.size() == model.ranks().size());
  build_device_table(model);
  const GroupsView groups = build_groups_view(model, context, {});
  CHECK(groups.folds.size() == groups.table.rows.size());
  build_status_bar(&model, context);
  build_log(model, {}, {});
}
