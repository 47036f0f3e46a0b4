#include "gui/view/runs/repeats.h"

#include <deque>
#include <string>
#include <tuple>

#include "gui/view/chart/chart_svg.h"
#include "gui/view/runs/compare_view.h"
#include "tests/gui/analysis/made_run.h"
#include "tests/gui/view/demo_models.h"
#include "tests/support/catch.h"

using namespace ringside;
using namespace ringside::view;

TEST_CASE("Repeats are drawn as their mean and a band if that is requested") {
  // Two repeats with different seeds, and a run with another batch size.
  std::deque<model::RunModel> models;
  std::vector<ComparedRun> runs;
  for (const auto& [seed, batch, loss] :
       {std::tuple{1, 32, 1.0F}, std::tuple{2, 32, 3.0F}, std::tuple{1, 64, 5.0F}}) {
    messages::RunSpec spec;
    spec.devices.world_size = 1;
    spec.train.seed = seed;
    spec.batch.size = batch;
    support::MadeRun made(spec);
    for (Step step = 0; step < (seed == 1 ? 20 : 10); ++step)
      made.step(0, step, 10.0 * static_cast<double>(step + 1), {.step = 10}, 32, loss);
    models.push_back(std::move(made.model()));
    runs.push_back({&models.back(), support::ended_context(models.back())});
  }
  CHECK(repeats_of(runs) == std::vector<std::vector<std::size_t>>{{0, 1}});
  CompareChoice choice;
  choice.axis = XAxis::kStep;
  CHECK(build_compare_view(runs, choice, 500, 200).loss.lines.size() == 3);
  CHECK(build_compare_view(runs, choice, 500, 200).repeats);
  choice.fold_repeats = true;
  const ChartView chart = build_compare_view(runs, choice, 500, 200).loss;
  REQUIRE(chart.lines.size() == 2);
  const LineView& mean = chart.lines[0];
  CHECK(mean.label == "A B");
  CHECK(mean.run == 0);
  // The second has ten steps: after them the mean is unknown.
  REQUIRE(mean.columns.size() == 10);
  REQUIRE(mean.band.size() == 10);
  for (std::size_t i = 0; i < 10; ++i) {
    CHECK(mean.columns[i].mean == 2.0F);
    CHECK(mean.band[i].low == 1.0F);
    CHECK(mean.band[i].high == 3.0F);
  }
  CHECK(chart.lines[1].label == "C");
  CHECK(chart.lines[1].band.empty());
  const ReadoutView readout = compare_readout(chart, std::vector<std::string>{"A", "B", "C"}, 4);
  REQUIRE(readout.rows.size() == 2);
  CHECK(readout.rows[0].label == "mean of A B");
  CHECK(readout.rows[0].value == "2  1 to 3");
  CHECK(readout.rows[1].value == "5");
  const std::string svg = chart_svg(chart, "", 600, 300);
  CHECK(svg.find("fill-opacity") != std::string::npos);
}

TEST_CASE("a mean is interpolated between the points of a run, but not over its gaps") {
  const auto line_of = [](int run, std::vector<ChartColumn> columns) {
    LineView line;
    line.kind = LineKind::kRun;
    line.run = run;
    line.label = run == 0 ? "A" : "B";
    line.columns = std::move(columns);
    return line;
  };
  const auto anew = [](ChartColumn column) {
    column.anew = true;
    return column;
  };
  ChartView chart;
  chart.lines = {line_of(0, {single_column(0, 0), single_column(1, 2), single_column(2, 4),
                             single_column(3, 6), single_column(4, 8)}),
                 line_of(1, {single_column(0.5, 10), single_column(2.5, 30),
                             anew(single_column(3.5, 40)), single_column(4, 50)})};
  fold_repeats({{0, 1}}, chart);
  REQUIRE(chart.lines.size() == 1);
  const auto& mean = chart.lines[0].columns;
  REQUIRE(mean.size() == 3);  // not at 0, before the second begins, and not at 3, in its gap
  CHECK(mean[0].x == 1);
  CHECK(mean[0].mean == (2 + 15) / 2.0F);
  CHECK(mean[1].mean == (4 + 25) / 2.0F);
  CHECK_FALSE(mean[1].anew);
  CHECK(mean[2].x == 4);
  CHECK(mean[2].mean == (8 + 50) / 2.0F);
  CHECK(mean[2].anew);
  CHECK(chart.lines[0].band[1].low == 4);
  CHECK(chart.lines[0].band[1].high == 25);
}

TEST_CASE("runs without a common position stay separate lines") {
  ChartView chart;
  for (int run = 0; run < 2; ++run) {
    LineView line;
    line.kind = LineKind::kRun;
    line.run = run;
    line.columns = {single_column(10.1 + run, 80)};
    chart.lines.push_back(line);
  }
  fold_repeats({{0, 1}}, chart);
  CHECK(chart.lines.size() == 2);
}
