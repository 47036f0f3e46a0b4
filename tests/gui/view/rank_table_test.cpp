#include "gui/view/live/rank_table.h"

#include <algorithm>
#include <cmath>

#include "gui/view/live/rank_cells.h"
#include "gui/view/live/rank_grid.h"
#include "gui/view/live/resource_charts.h"
#include "gui/view/tsv.h"

#include "tests/gui/view/demo_models.h"
#include "tests/support/catch.h"

using namespace ringside;
using namespace ringside::view;
using support::model_of;

TEST_CASE("The table of the design, row by row") {
  const auto model = model_of(support::demo_run());
  const RankTableView table = build_rank_table(model, support::live_context(model));
  CHECK(table.subtitle == "4 of 4 in step 4,569");
  REQUIRE(table.rows.size() == 4);
  CHECK(table.gpus);
  CHECK_FALSE(table.dense);
  const RankRow& late = table.rows[2];
  CHECK(late.state == StateView{label::kLate, Shape::kWarningTriangle, Tone::kWarning});
  CHECK(late.late);
  CHECK(late.device == "6");
  CHECK(late.device_id == "GPU-1a90c3ee");
  CHECK(late.step == "4,569");
  CHECK(late.own_work == "83.4");
  CHECK(late.arrived_last == "87");
  CHECK(late.utilisation_text == "90");
  CHECK(late.utilisation == Approx(0.9));
  CHECK(late.memory_text == "12.4");
  CHECK(late.memory_total == "/48");
  CHECK(late.memory == Approx(12.4 / 48));
  CHECK(late.temperature == "72");
  CHECK(late.power == "266");
  CHECK(late.link == "–");
  CHECK(late.pid == "4002");
  CHECK(late.host == "node0");
  CHECK(table.rows[0].state.word == state_view(messages::State::kTraining).word);
  CHECK(table.rows[0].own_work == "77.2");
  REQUIRE(table.has_all);
  CHECK(table.all.memory_text == "49.6");
  CHECK(table.all.temperature == "74");
  CHECK(table.all.power == "1,052");
  CHECK(table.all.utilisation_text == "94");
  CHECK(table.all.rank == kNoRank);
}

TEST_CASE("A loss that is not known is a dash, one that broke is NaN") {
  const auto silent = support::model_without_loss(support::demo_small(2));
  const RankTableView unknown = build_rank_table(silent, support::ended_context(silent));
  CHECK(unknown.rows[0].loss == "–");
  CHECK(unknown.all.loss == "–");
  support::DemoOptions options = support::demo_small(2);
  options.nan_from = 100;
  const auto model = model_of(options);
  const RankTableView broken = build_rank_table(model, support::ended_context(model));
  CHECK(broken.rows[0].loss != "NaN");
  CHECK(broken.rows[1].loss == "NaN");
  CHECK(broken.all.loss == "NaN");
}

TEST_CASE("One rank has no sum, and no one it could be later than") {
  const auto model = model_of(support::demo_small(1));
  const RankTableView table = build_rank_table(model, support::ended_context(model));
  REQUIRE(table.rows.size() == 1);
  CHECK_FALSE(table.has_all);
  CHECK(table.rows[0].arrived_last == "–");
  CHECK(table.rows[0].state.word == state_view(messages::State::kFinished).word);
}

TEST_CASE("64 ranks are dense, grouped by node and sorted by who arrived last most") {
  support::DemoOptions options = support::demo_small(64);
  options.nodes = 8;
  options.late_rank = 42;
  const auto model = model_of(options);
  const RankTableView table = build_rank_table(model, support::ended_context(model));
  REQUIRE(table.rows.size() == 64);
  CHECK(table.dense);
  for (std::size_t i = 1; i < 64; ++i) CHECK(table.rows[i].node >= table.rows[i - 1].node);
  CHECK(table.rows[5 * 8].rank == 42);
}

TEST_CASE("CPU ranks show what their process holds") {
  support::DemoOptions options = support::demo_small(2);
  options.gpus = false;
  auto model = model_of(options);
  messages::HostSample host;
  host.cpu_pct = 50;
  host.memory_total_bytes = std::int64_t{16} << 30;
  host.memory_used_bytes = std::int64_t{6} << 30;
  host.rank_resident_bytes = {std::int64_t{1} << 30, std::int64_t{2} << 30};
  host.rank_cpu_pct = {200, 100};
  model.accept({0, kNoRank, 500, model.last_ns()}, host);
  const RankTableView table = build_rank_table(model, support::ended_context(model));
  CHECK_FALSE(table.gpus);
  CHECK(table.rows[1].device == "cpu 1");
  CHECK(table.rows[1].memory_text == "2.0");
  CHECK(table.rows[1].memory_total == "/16");
  CHECK(table.rows[0].utilisation_text == "50");  // 200 % of 4 threads
  const DeviceTableView devices = build_device_table(model, support::ended_context(model));
  CHECK(plain(devices.empty) == "No GPU is sampled in this run.");
  CHECK(plain(devices.host) == "Host: CPU 50 %, memory 6.0 of 16.0 GiB");
}

TEST_CASE("A rank without a step for long says so, others keep their word") {
  const auto model = model_of(support::demo_run());
  RunContext context = support::live_context(model);
  context.now_ns = model.last_ns() + 14'000'000'000;
  const RankTableView table = build_rank_table(model, context);
  CHECK(table.rows[0].state == StateView{"No step for 14 s", Shape::kHexagon, Tone::kError});
  context.contact = Contact::kInterrupted;
  CHECK(build_rank_table(model, context).rows[0].state.word == label::kInterrupted);
}

TEST_CASE("How a rank ended stands in its row") {
  support::DemoOptions options = support::demo_small(4);
  options.finish = false;
  options.killed_rank = 3;
  const auto model = model_of(options);
  const RankTableView table = build_rank_table(model, support::ended_context(model));
  CHECK(table.rows[3].state.word == state_view(messages::State::kFailed).word);
  CHECK(table.rows[3].exit == "was killed (SIGKILL)");
  CHECK(table.rows[0].exit.empty());
}

TEST_CASE("What is not known is a dash") {
  messages::RunSpec spec;
  spec.devices.world_size = 2;
  model::RunModel model(spec);
  messages::StepReport body;
  model.accept({0, 0, 0, 100}, body);
  const RankTableView table = build_rank_table(model, support::live_context(model));
  REQUIRE(table.rows.size() == 1);
  const RankRow& row = table.rows[0];
  for (const std::string* cell :
       {&row.samples_per_s, &row.p50, &row.p95, &row.own_work, &row.arrived_last, &row.loss,
        &row.grad_norm, &row.utilisation_text, &row.memory_text, &row.temperature, &row.power,
        &row.device, &row.pid}) {
    CHECK(*cell == "–");
  }
  CHECK(row.utilisation < 0);
  const model::RunModel empty(spec);
  CHECK(plain(build_rank_table(empty, support::live_context(empty)).empty) ==
        "No rank has been heard yet. Start-up: 0 of 2 ranks joined.");
}

TEST_CASE("Devices name the rank that runs on them and what slows them down") {
  const auto model = model_of(support::demo_run());
  const DeviceTableView table = build_device_table(model, support::live_context(model));
  REQUIRE(table.rows.size() == 4);
  CHECK(table.rows[2].rank == 2);
  CHECK(table.rows[2].device == "6");
  CHECK(table.rows[2].clock == "1,800");
  CHECK(plain(table.host) == "Host: CPU 45 %, memory 62.0 of 256.0 GiB, 412.0 GiB free");
  CHECK(throttle_text(0).empty());
  CHECK(throttle_text(0x1).empty());
  CHECK(throttle_text(0x4 | 0x40) == "power cap, hardware thermal");
}

TEST_CASE("Every column sorts, what is not known comes last") {
  const auto model = model_of(support::demo_run());
  const auto context = support::live_context(model);
  const RankTableView late = build_rank_table(model, context, {true, RankColumn::kLast, true});
  CHECK(late.rows.front().rank == 2);
  CHECK(build_rank_table(model, context, {true, RankColumn::kLast, false}).rows.back().rank == 2);
  CHECK(build_rank_table(model, context, {true, RankColumn::kRank, true}).rows.front().rank == 3);
  const RankTableView heat = build_rank_table(model, context, {true, RankColumn::kHeat, true});
  CHECK(cell_number(heat.rows[0].temperature) >= cell_number(heat.rows[3].temperature));
  CHECK(cell_number("1,397.5") == 1397.5);
  CHECK(cell_number("−3") == -3);
  CHECK(std::isnan(cell_number("–")));
  std::vector<RankRow> rows(3);
  rows[0].loss = "–";
  rows[1].loss = "0.5";
  rows[2].loss = "0.25";
  sort_ranks({true, RankColumn::kLoss, true}, rows);
  CHECK(rows[0].loss == "0.5");
  CHECK(rows[2].loss == "–");
}

TEST_CASE("Many ranks are cells of one quantity") {
  const auto model = model_of(support::demo_small(64));
  const RankTableView table = build_rank_table(model, support::ended_context(model));
  const RankGridView grid = build_rank_grid(table, kGridMetrics[0]);
  REQUIRE(grid.cells.size() == 64);
  CHECK(grid.title == "Compute ms");
  CHECK(grid.cells[17].rank == 17);
  CHECK(grid.cells[17].hint.starts_with("r17 on node"));
  double least = 1;
  double most = 0;
  for (const GridCell& cell : grid.cells) {
    least = std::min(least, cell.share);
    most = std::max(most, cell.share);
  }
  CHECK(least == 0);
  CHECK(most == 1);
  CHECK(cell_number(grid.low) < cell_number(grid.high));
}

TEST_CASE("The table is copied with its heads and the sum") {
  const auto model = model_of(support::demo_run());
  const std::string text = rank_table_tsv(build_rank_table(model, support::live_context(model)));
  CHECK(std::count(text.begin(), text.end(), '\n') == 6);
  CHECK(text.find("\nr2\tLate\t6\tGPU-1a90c3ee\t4,569\t") != std::string::npos);
  CHECK(text.find("\nAll\t\t") != std::string::npos);
}

TEST_CASE("Devices and hosts over time, only what was measured") {
  const auto model = model_of(support::demo_run());
  const auto charts = build_resource_charts(model, 200, 90);
  REQUIRE(charts.size() >= 4);
  CHECK(charts.size() <= kMostResourceCharts);
  CHECK(charts[0].title == "GPU %");
  CHECK(charts[0].lines.size() == 4);
  CHECK(charts[0].lines[2].rank == 2);
  CHECK(charts[0].y.high == 100);
  for (const ChartView& chart : charts) {
    CHECK(chart.y.low == 0);
    CHECK_FALSE(chart.aside.empty());
    for (const LineView& line : chart.lines) CHECK(line.columns.size() <= 1024);
  }
  CHECK(build_resource_charts(model::RunModel(), 200, 90).empty());
}

TEST_CASE("Ranks and their mean speak of one step while some are ahead") {
  auto options = support::demo_small(2);
  options.finish = false;
  options.steps = 100;
  auto model = model_of(options);
  const RankTableView before = build_rank_table(model, support::live_context(model));
  CHECK(before.subtitle == "2 of 2 in step 100");
  messages::StepReport ahead;
  ahead.step = 100;
  ahead.loss = 9;
  ahead.samples = 1;
  model.accept({0, 1, 100'000, model.last_ns() + 1}, ahead);
  const RankTableView table = build_rank_table(model, support::live_context(model));
  CHECK(table.subtitle == "1 of 2 in step 101, loss of step 100");
  CHECK(table.rows[1].step == "101");
  CHECK(table.rows[1].loss == before.rows[1].loss);
  CHECK(table.all.loss == before.all.loss);
}

TEST_CASE("What is shown of the ranks adds up to what is shown of all") {
  const Rank ranks = GENERATE(2, 3, 6, 7, 64);
  auto options = support::demo_small(ranks);
  options.late_rank = kNoRank;
  options.batch = 1;
  const auto model = model_of(options);
  const RankTableView table = build_rank_table(model, support::ended_context(model));
  double last = 0;
  double rate = 0;
  for (const RankRow& row : table.rows) {
    last += cell_number(row.arrived_last);
    rate += cell_number(row.samples_per_s);
  }
  CHECK(last == 100);
  CHECK(rate == cell_number(table.all.samples_per_s));
}
