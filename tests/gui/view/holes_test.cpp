// Nothing is drawn where records were lost: no line, band or mean, in any chart.
#include <algorithm>
#include <cmath>

#include "gui/view/chart/chart_svg.h"
#include "gui/view/live/run_charts.h"
#include "gui/view/runs/compare_view.h"
#include "tests/gui/view/demo_models.h"
#include "tests/support/catch.h"

using namespace ringside;
using namespace ringside::view;

namespace {

/// Two ranks that report every `stride`-th of 200 steps; those of rank 0 in [100, 140) are lost.
model::RunModel torn_run(Step stride = 1, bool torn = true) {
  model::RunModel model;
  for (Rank rank = 0; rank < 2; ++rank) {
    messages::RankHello hello;
    hello.world_size = 2;
    hello.steps_per_epoch = 50;
    hello.epochs = 4;
    model.accept({0, rank, 0, 1'000}, hello);
    std::uint64_t seq = 1;
    for (Step step = 0; step < 200; step += stride) {
      messages::StepReport body;
      body.step = step;
      body.epoch = static_cast<Epoch>(step / 50);
      body.samples = 4;
      body.correct = 2;
      body.loss = 1.0F + static_cast<float>(step) * 0.01F;
      body.backward_ns = 1'000'000;
      body.step_ns = 2'000'000;
      const bool lost = torn && rank == 0 && step >= 100 && step < 140;
      if (!lost) model.accept({0, rank, seq, 2'000'000 * (step + 1)}, body);
      ++seq;
    }
  }
  return model;
}

ChartView loss_chart(const model::RunModel& model, int pixels, ChartChoice choice = {}) {
  return build_loss_chart(model, support::ended_context(model), {}, choice, pixels, 300);
}

ChartChoice by_step() {
  ChartChoice choice;
  choice.axis = XAxis::kStep;
  return choice;
}

/// The x of the columns before which a line ends.
std::vector<double> breaks(const std::vector<ChartColumn>& columns) {
  std::vector<double> found;
  for (const ChartColumn& column : columns) {
    if (column.anew) found.push_back(column.x);
  }
  return found;
}

}  // namespace

TEST_CASE(
    "The line of a rank breaks where its records were lost, the lines of other ranks do not") {
  const auto model = torn_run();
  const ChartChoice choice = by_step();
  const ChartView chart = loss_chart(model, 800, choice);
  REQUIRE(chart.lines.size() == 3);
  CHECK(breaks(chart.lines[0].columns) == std::vector<double>{140});
  CHECK(breaks(chart.lines[1].columns).empty());
  CHECK(breaks(chart.lines[2].columns) == std::vector<double>{140});  // a mean of all ranks
  CHECK(breaks(chart.band.columns).empty());
  // Forty pixels of five steps each, of which eight have no values.
  const ChartView narrow = loss_chart(model, 40, choice);
  CHECK(narrow.lines[0].columns.size() == 32);
  CHECK(breaks(narrow.lines[0].columns) == std::vector<double>{140});
}

TEST_CASE("A lost step has no value at the cursor") {
  const auto model = torn_run();
  ChartChoice choice = by_step();
  choice.cursor_step = 120;
  const ChartView chart = loss_chart(model, 800, choice);
  REQUIRE(chart.readout.rows.size() == 3);
  CHECK(chart.readout.rows[0].value == "–");
  CHECK(chart.readout.rows[1].value == "2.2000");
  CHECK(chart.readout.rows[2].value == "–");
  const ChartView times =
      build_step_time_chart(model, support::ended_context(model), choice, 800, 300);
  REQUIRE(times.readout.rows.size() == 2);
  CHECK(times.readout.rows[0].value == "–");
  CHECK(breaks(times.lines[0].columns) == std::vector<double>{140});
  CHECK(breaks(times.lines[1].columns).empty());
}

TEST_CASE("Smoothed lines, accuracy and comparisons break where records were lost") {
  const auto model = torn_run();
  ChartChoice choice = by_step();
  choice.smoothing = 21;
  const ChartView chart = loss_chart(model, 800, choice);
  REQUIRE(chart.smoothed.size() == 3);
  CHECK(chart.smoothed[0].columns.size() == 160);
  CHECK(breaks(chart.smoothed[0].columns) == std::vector<double>{140});
  CHECK(breaks(chart.smoothed[1].columns).empty());
  const ChartView accuracy =
      build_accuracy_chart(model, support::ended_context(model), {}, choice, 800, 300);
  CHECK(breaks(accuracy.lines[0].columns).size() == 1);
  CHECK(breaks(accuracy.lines[1].columns).empty());
  const auto whole = torn_run(1, false);
  const ComparedRun runs[] = {{&model, support::ended_context(model)},
                              {&whole, support::ended_context(whole)}};
  const CompareView compared = build_compare_view(runs, {XAxis::kStep}, 800, 300);
  CHECK(breaks(compared.loss.lines[0].columns) == std::vector<double>{140});
  CHECK(breaks(compared.loss.lines[1].columns).empty());
}

TEST_CASE("A program that does not report every step has lines without breaks") {
  for (const int pixels : {40, 800}) {
    for (const LineView& line : loss_chart(torn_run(10, false), pixels).lines)
      CHECK(breaks(line.columns).empty());
    CHECK(breaks(loss_chart(torn_run(10), pixels).lines[0].columns).size() == 1);
  }
}

TEST_CASE("A run that resumed has lines without breaks") {
  support::DemoOptions options = support::demo_small(2);
  options.resume_from = 80;
  options.resume_to = 119;
  for (const LineView& line : loss_chart(support::model_of(options), 800).lines) {
    CHECK_FALSE(line.columns.empty());
    CHECK(breaks(line.columns).empty());
  }
}

TEST_CASE("An image has a break where the chart has one, and a single value is a dot") {
  ChartView chart;
  chart.x.high = 4;
  LineView line;
  line.columns = {single_column(0, 1), single_column(1, 1), {3, 1, 1, 1, 1, 1, true}};
  chart.lines = {line};
  chart.band.columns = {{0, 0, 1, 0, 1}, {1, 0, 1, 0, 1}, {3, 0, 1, 0, 1, 0, true}};
  const std::string svg = chart_svg(chart, "", 400, 300);
  // Four steps are 246 pixels, beginning at 64.
  CHECK(svg.find("<path d=\"M64.0 44.0L125.5 44.0M248.5 44.0h1\"") != std::string::npos);
  CHECK(svg.find("ZM248.5") != std::string::npos);
}

TEST_CASE("No line and no band goes through a NaN") {
  messages::RunSpec spec;
  spec.devices.world_size = 2;
  model::RunModel model(spec);
  for (Step step = 0; step < 6; ++step) {
    for (const Rank rank : {0, 1}) {
      messages::StepReport body;
      body.step = step;
      body.samples = 1;
      body.loss = step == 3 ? std::nanf("") : 1.0F;
      model.accept({0, rank, static_cast<std::uint64_t>(step), 1 + step}, body);
    }
  }
  ChartChoice choice;
  choice.axis = XAxis::kStep;
  const ChartView chart =
      build_loss_chart(model, support::ended_context(model), {}, choice, 900, 200);
  int lines = 0;
  for (const LineView& line : chart.lines) {
    if (line.columns.empty()) continue;
    ++lines;
    for (const ChartColumn& column : line.columns) {
      INFO(line.label << " at " << column.x);
      CHECK(column.anew == (column.x == 4));
    }
  }
  CHECK(lines > 0);
}
