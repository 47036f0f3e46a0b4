// Tests the numbers of a chart as a table.
#include "gui/view/chart/chart_table.h"

#include "gui/model/run_model.h"
#include "gui/view/live/run_charts.h"
#include "gui/view/table_csv.h"
#include "tests/support/catch.h"
#include "tests/support/demo_run.h"

using namespace ringside;
using namespace ringside::view;

namespace {

ChartView two_lines() {
  ChartView chart;
  chart.axis = XAxis::kStep;
  LineView first;
  first.label = "r0";
  first.columns = {single_column(0, 2.5F), single_column(1, 2), single_column(3, 1)};
  LineView hidden = first;
  hidden.label = "r1";
  hidden.hidden = true;
  LineView third;
  third.label = "mean";
  third.columns = {single_column(1, 0.25F)};
  chart.lines = {first, hidden, third};
  return chart;
}

}  // namespace

TEST_CASE("The table of a chart has a row for each position and a column for each visible line") {
  const Table table = chart_table(two_lines(), 1);
  CHECK(table_csv(table) == "step,r0,mean\r\n1,2.5,\r\n2,2,0.25\r\n4,1,\r\n");
  CHECK(table_tsv(table).starts_with("step\tr0\tmean\n1\t2.5\t–\n"));
}

TEST_CASE("Positions that several steps share have the lowest and the highest value") {
  ChartView chart = two_lines();
  chart.axis = XAxis::kTime;
  chart.lines[0].columns[1] = {1.5, 1, 3, 1, 3, 2};
  chart.lines.resize(1);
  chart.points = {{1.5, 75, false}, {3, 70, true}};
  CHECK(table_csv(chart_table(chart, 1)) ==
        "time_s,r0 lowest,r0 highest,validation,baseline validation\r\n"
        "0,2.5,2.5,,\r\n1.5,1,3,75,\r\n3,1,1,,70\r\n");
}

TEST_CASE("The table of a run's loss has every step if there are as many pixel columns") {
  const support::DemoOptions options = support::demo_small(2);
  model::RunModel model(support::demo_spec(options));
  support::play_demo(options, model);
  ChartChoice choice;
  choice.axis = XAxis::kStep;
  const auto steps = model.steps_end();
  REQUIRE(steps > 20);
  const Table table =
      chart_table(build_loss_chart(model, {}, {}, choice, static_cast<int>(2 * steps), 300), 1);
  CHECK(table.rows.size() == steps);
  CHECK(table.rows.front().cells.front().text == "1");
  CHECK(table.rows.back().cells.front().text == std::to_string(steps));
  CHECK(column_index(table, "mean") < table.columns.size());
}

TEST_CASE("A chart without lines has a table without rows") {
  CHECK(chart_table({}, 1).rows.empty());
}
