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

TEST_CASE("Runs of one recipe are drawn as their mean and a band where that is wanted") {
  // Two seeds of one recipe, and a run of another batch size.
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
  // The second has ten steps: beyond them nobody knows the mean.
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
