#include "gui/view/live/rank_table.h"

#include <algorithm>
#include <cmath>

#include "gui/model/metric.h"
#include "gui/view/live/device_cells.h"
#include "gui/view/live/device_table.h"
#include "gui/view/live/rank_grid.h"
#include "gui/view/live/resource_charts.h"
#include "gui/view/live/stack_view.h"
#include "gui/view/metric_cells.h"
#include "gui/view/number_format.h"
#include "gui/view/state_view.h"

#include "tests/gui/analysis/made_run.h"
#include "tests/gui/view/demo_models.h"
#include "tests/support/catch.h"

using namespace ringside;
using namespace ringside::view;
using support::model_of;

namespace {

/// The cell of a row of ranks; after the last rank, of the row "All".
const Cell& at(const RankTableView& view, std::size_t row, const char* key) {
  return cell_of(view.table, view.table.rows.at(row), key);
}
const Cell& all(const RankTableView& view, const char* key) {
  return cell_of(view.table, view.table.totals.at(0), key);
}
std::int64_t rank_table_whole(const Cell& cell) { return std::get<std::int64_t>(cell.value); }
/// Nodes in the order of the rows; each once if its ranks are next to each other.
std::vector<std::int64_t> nodes_of(const RankTableView& view) {
  std::vector<std::int64_t> nodes;
  for (std::size_t row = 0; row < view.table.rows.size(); ++row) {
    const std::int64_t node = rank_table_whole(at(view, row, "node"));
    if (nodes.empty() || nodes.back() != node) nodes.push_back(node);
  }
  return nodes;
}
bool has_column(const Table& table, const char* key) {
  return column_index(table, key) < table.columns.size();
}

}  // namespace

TEST_CASE("A column of an older step than the newest has that step in its head") {
  model::RunModel model;
  for (Step step = 0; step < 8; ++step) {
    messages::StepReport body;
    body.step = step;
    body.loss = 1;
    if (step == 0) body.grad_norm = 0.48F;
    model.accept({0, 0, static_cast<std::uint64_t>(step), 1 + step}, body);
  }
  const auto& norm = *std::find_if(model::kMetricInfos.begin(), model::kMetricInfos.end(),
                                   [](const auto& one) { return one.key == "grad_norm"; });
  CHECK(head_text(metric_column(norm)) == "Grad norm");
  const Table table = build_rank_table(model, support::ended_context(model)).table;
  CHECK(head_text(column_of(table, "grad_norm")) == "Grad norm, step 1");
  CHECK(cell_of(table, table.rows.at(0), "grad_norm").text == "0.48");
}

TEST_CASE("The table of ranks has the expected cells, row by row") {
  const auto model = model_of(support::demo_run());
  const RankTableView view = build_rank_table(model, support::live_context(model));
  CHECK(view.subtitle == "4 of 4 in step 4,569");
  REQUIRE(view.table.rows.size() == 4);
  CHECK_FALSE(view.dense);
  CHECK(view.table.rows[2].key == "r2");
  CHECK(view.table.rows[2].tint == Tone::kWarning);
  CHECK(at(view, 2, "rank").rank == 2);
  const Cell& state = at(view, 2, "state");
  CHECK(StateView{state.text, state.shape, state.tone} ==
        StateView{label::kLate, Shape::kWarningTriangle, Tone::kWarning});
  CHECK(at(view, 2, "device").text == "6");
  CHECK(at(view, 2, "uuid").text == "GPU-1a90c3ee");
  CHECK(at(view, 2, "step").text == "4,569");
  CHECK(at(view, 2, "own").text == "83.4");
  CHECK(at(view, 2, "own").tone == Tone::kWarning);
  CHECK(at(view, 2, "last").text == "87");
  CHECK(at(view, 2, "utilisation").text == "90");
  CHECK(at(view, 2, "utilisation").bar == Approx(0.9));
  CHECK(at(view, 2, "memory").text == "12.4");
  CHECK(at(view, 2, "memory").suffix == "/48");
  CHECK(at(view, 2, "memory").bar == Approx(12.4 / 48));
  CHECK(at(view, 2, "temperature").text == "72");
  CHECK(at(view, 2, "power").text == "266");
  CHECK(at(view, 2, "link").text == "NV4 → r3");
  CHECK(at(view, 3, "link").text == "NODE → r0");
  CHECK(at(view, 2, "pid").text == "4002");
  CHECK(at(view, 2, "host").text == "node0");
  CHECK(at(view, 0, "state").text == state_view(messages::State::kTraining).word);
  CHECK(at(view, 0, "own").text == "77.2");
  CHECK(view.table.rows[0].tint == Tone::kText);
  REQUIRE(view.table.totals.size() == 1);
  CHECK(all(view, "rank").text == "All");
  CHECK(all(view, "memory").text == "49.6");
  CHECK(all(view, "temperature").text == "74");
  CHECK(all(view, "power").text == "1,052");
  CHECK(all(view, "utilisation").text == "94");
  CHECK(all(view, "own").text.empty());
}

TEST_CASE("An unknown loss is a dash, and a broken one is NaN") {
  const auto silent = support::model_without_loss(support::demo_small(2));
  const RankTableView unknown = build_rank_table(silent, support::ended_context(silent));
  CHECK(at(unknown, 0, "loss").text == "–");
  CHECK(all(unknown, "loss").text == "–");
  support::DemoOptions options = support::demo_small(2);
  options.nan_from = 100;
  const auto model = model_of(options);
  const RankTableView broken = build_rank_table(model, support::ended_context(model));
  CHECK(at(broken, 0, "loss").text != "NaN");
  CHECK(at(broken, 1, "loss").text == "NaN");
  CHECK(all(broken, "loss").text == "NaN");
}

TEST_CASE("One rank has no sum, and no other rank to be later than") {
  const auto model = model_of(support::demo_small(1));
  const RankTableView view = build_rank_table(model, support::ended_context(model));
  REQUIRE(view.table.rows.size() == 1);
  CHECK(view.table.totals.empty());
  CHECK_FALSE(has_column(view.table, "last"));
  CHECK_FALSE(has_column(view.table, "link"));
  CHECK(at(view, 0, "state").text == state_view(messages::State::kFinished).word);
}

TEST_CASE("Every metric of a step is a column, most of them optional") {
  const auto model = model_of(support::demo_run());
  const Table table = build_rank_table(model, support::live_context(model)).table;
  for (const model::MetricInfo& info : model::kMetricInfos) {
    INFO(info.key);
    CHECK(has_column(table, std::string(info.key).c_str()) == !info.label.empty());
  }
  CHECK(column_of(table, "grad_norm").shown);
  CHECK_FALSE(column_of(table, "forward").shown);
  const RankTableView view{"", table, false};
  double sum = 0;
  for (std::size_t i = 0; i < 4; ++i) sum += std::get<double>(at(view, i, "forward").value);
  CHECK(std::get<double>(all(view, "forward").value) == Approx(sum / 4));
  CHECK(rank_table_whole(all(view, "samples")) == 4 * rank_table_whole(at(view, 0, "samples")));
  // The loss is not scaled and no step was skipped, which is known although it is not stored.
  CHECK(at(view, 0, "loss_scale").text == "1");
  CHECK(at(view, 0, "skipped_steps").text == "0");
  for (const TableColumn& column : table.columns) {
    const auto listed = rank_columns();
    const bool known = std::any_of(listed.begin(), listed.end(),
                                   [&](const auto& one) { return one.key == column.key; });
    CHECK(known == (column.width > 0));
  }
}

TEST_CASE("A run's loss says whether it is that of an epoch or of one step") {
  auto options = support::demo_small(2);
  const auto rank_table_whole = model_of(options);
  CHECK(final_loss_text(rank_table_whole).ends_with(", mean over epoch 3"));
  const Table table =
      build_rank_table(rank_table_whole, support::live_context(rank_table_whole)).table;
  CHECK(column_of(table, "loss").label == "Step loss");
  CHECK(column_of(table, "loss").hint.find("not the mean of an epoch") != std::string::npos);
  options.steps = 6;
  options.finish = false;
  CHECK(final_loss_text(model_of(options)).ends_with(", of step 6 alone"));
  CHECK(final_loss_text(model::RunModel()) == kDash);
}

TEST_CASE("Loss scale and skipped steps are the reported ones") {
  messages::RunSpec spec;
  spec.devices.world_size = 1;
  model::RunModel model(spec);
  for (Step step = 0; step < 5; ++step) {
    messages::StepReport body;
    body.step = step;
    body.loss_scale = step < 3 ? 65536.0F : 32768.0F;
    body.skipped = step == 2 ? 1 : 0;
    model.accept({0, 0, static_cast<std::uint64_t>(step), 1000 + step}, body);
  }
  const RankTableView view = build_rank_table(model, support::live_context(model));
  CHECK(at(view, 0, "loss_scale").text == "32768");
  CHECK(at(view, 0, "skipped_steps").text == "1");
}

TEST_CASE("64 ranks are dense, and the node of the worst rank comes first") {
  support::DemoOptions options = support::demo_small(64);
  options.nodes = 8;
  options.late_rank = 42;
  const auto model = model_of(options);
  const RankTableView view = build_rank_table(model, support::ended_context(model));
  REQUIRE(view.table.rows.size() == 64);
  CHECK(view.dense);
  CHECK(view.table.rows.front().key == "r42");
  CHECK(nodes_of(view) == std::vector<std::int64_t>{5, 0, 1, 2, 3, 4, 6, 7});
  CHECK(at(view, 63, "node").text == "7");
  CHECK(rank_table_whole(at(view, 63, "local")) == rank_table_whole(at(view, 63, "rank")) % 8);
}

TEST_CASE("Stacks are offered for ranks whose processes are on this machine") {
  support::DemoOptions options = support::demo_small(4);
  options.nodes = 2;
  options.finish = false;
  const auto model = model_of(options);
  RunContext context = support::live_context(model);
  const RankTableView view = build_rank_table(model, context);
  CHECK(at(view, 0, "stack").text == label::kStack);
  CHECK(at(view, 3, "stack").text.empty());
  CHECK(ranks_with_stack(model, context) == std::vector<Rank>{0, 1});
  // A run that is shown from a copy can be stopped on its own machine.
  context.here = false;
  CHECK_FALSE(has_column(build_rank_table(model, context).table, "stack"));
  CHECK(ranks_with_stack(model, context).empty());
}

TEST_CASE("CPU ranks show the use of their process") {
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
  const RankTableView view = build_rank_table(model, support::ended_context(model));
  CHECK_FALSE(has_column(view.table, "uuid"));
  CHECK_FALSE(has_column(view.table, "power"));
  CHECK(at(view, 1, "device").text == "cpu 1");
  CHECK(at(view, 1, "memory").text == "2.0");
  CHECK(at(view, 1, "memory").suffix == "/16");
  CHECK(at(view, 0, "utilisation").text == "50");  // 200 % of 4 threads
  const DeviceTableView devices = build_device_table(model);
  CHECK(plain(devices.table.empty) == "No GPU is sampled in this run.");
  CHECK(plain(devices.host) == "Host: CPU 50 %, memory 6.0 of 16.0 GiB");
  // Rank 0 ended first: its last sample stays, as that of rank 1 does.
  host.rank_resident_bytes = {-1, std::int64_t{3} << 30};
  model.accept({0, kNoRank, 501, model.last_ns() + 1}, host);
  const RankTableView ended = build_rank_table(model, support::ended_context(model));
  CHECK(at(ended, 0, "memory").text == "1.0");
  CHECK(at(ended, 0, "memory").suffix == "/16");
  CHECK(at(ended, 1, "memory").text == "3.0");
}

TEST_CASE("A rank without a step for long says so, and the others keep their state") {
  const auto model = model_of(support::demo_run());
  RunContext context = support::live_context(model);
  context.now_ns = model.last_ns() + 14'000'000'000;
  const RankTableView view = build_rank_table(model, context);
  CHECK(at(view, 0, "state").text == "No step for 14 s");
  CHECK(at(view, 0, "state").shape == Shape::kHexagon);
  CHECK(at(view, 0, "state").tone == Tone::kError);
  context.contact = Contact::kInterrupted;
  CHECK(at(build_rank_table(model, context), 0, "state").text == label::kInterrupted);
}

TEST_CASE("Ranks that wait for a silent one are not called silent") {
  support::MadeRun run(3);
  for (Rank rank = 0; rank < 3; ++rank) {
    run.rank_state(rank, 0, messages::State::kTraining);
    for (Step step = 0; step < (rank == 1 ? 4 : 5); ++step)
      run.step(rank, step, 100, {0, 0, 0, 1, -1, 0, 10});
  }
  RunContext context = support::live_context(run.model());
  context.now_ns = support::MadeRun::kStart + support::MadeRun::ns(20'100);
  const RankTableView view = build_rank_table(run.model(), context);
  CHECK(at(view, 1, "state").text == "No step for 20 s");
  CHECK(at(view, 0, "state").text == "Waiting 20 s");
  CHECK(at(view, 2, "state").tone == Tone::kWarning);
}

TEST_CASE("The end of a rank is shown in its row") {
  support::DemoOptions options = support::demo_small(4);
  options.finish = false;
  options.killed_rank = 3;
  const auto model = model_of(options);
  const RankTableView view = build_rank_table(model, support::ended_context(model));
  CHECK(at(view, 3, "state").text == state_view(messages::State::kFailed).word);
  CHECK(at(view, 3, "exit").text == "was killed (SIGKILL)");
  CHECK(at(view, 0, "exit").text.empty());
}

TEST_CASE("An unknown value is a dash") {
  messages::RunSpec spec;
  spec.devices.world_size = 2;
  model::RunModel model(spec);
  messages::StepReport body;
  model.accept({0, 0, 0, 100}, body);
  const RankTableView view = build_rank_table(model, support::live_context(model));
  REQUIRE(view.table.rows.size() == 1);
  for (const char* key : {"rate", "p50", "p95", "own", "loss", "grad_norm", "utilisation", "memory",
                          "device", "pid", "forward"}) {
    INFO(key);
    CHECK(at(view, 0, key).text == "–");
    CHECK(std::holds_alternative<std::monostate>(at(view, 0, key).value));
  }
  CHECK(at(view, 0, "utilisation").bar < 0);
  const model::RunModel empty(spec);
  CHECK(plain(build_rank_table(empty, support::live_context(empty)).table.empty) ==
        "No rank has reported yet. Start-up: 0 of 2 ranks joined.");
}

TEST_CASE("Devices name their rank and what slows them down") {
  const auto model = model_of(support::demo_run());
  const DeviceTableView view = build_device_table(model);
  REQUIRE(view.table.rows.size() == 4);
  const TableRow& row = view.table.rows[2];
  CHECK(cell_of(view.table, row, "rank").rank == 2);
  CHECK(cell_of(view.table, row, "device").text == "6");
  CHECK(cell_of(view.table, row, "clock").text == "1,800");
  CHECK(plain(view.host) == "Host: CPU 45 %, memory 62.0 of 256.0 GiB, 412.0 GiB free");
  CHECK(throttle_text(0).empty());
  CHECK(throttle_text(0x1).empty());
  CHECK(throttle_text(0x4 | 0x40) == "power cap, hardware thermal");
}

TEST_CASE("Every column sorts by value, with unknown ones last") {
  const auto model = model_of(support::demo_run());
  const auto context = support::live_context(model);
  const auto sorted = [&](const char* key, bool descending) {
    return build_rank_table(model, context, {key, descending});
  };
  CHECK(sorted("last", true).table.rows.front().key == "r2");
  CHECK(sorted("last", false).table.rows.back().key == "r2");
  CHECK(sorted("rank", true).table.rows.front().key == "r3");
  for (const TableColumn& column : rank_columns()) {
    const RankTableView view = sorted(column.key.c_str(), false);
    for (std::size_t i = 1; i < view.table.rows.size(); ++i) {
      INFO(column.key);
      CHECK_FALSE(value_before(at(view, i, column.key.c_str()).value,
                               at(view, i - 1, column.key.c_str()).value));
    }
  }
}

TEST_CASE("Many ranks are cells of one quantity") {
  const auto model = model_of(support::demo_small(64));
  const Table ranks = build_rank_table(model, support::ended_context(model)).table;
  const RankGridView grid = build_rank_grid(ranks, "own");
  REQUIRE(grid.cells.size() == 64);
  CHECK(grid.title == "Data + compute ms");
  CHECK(grid.choices.at(grid.chosen).key == "own");
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
  CHECK(grid.most == 1);
  CHECK(std::stod(grid.low) < std::stod(grid.high));
  // Every quantity can be shown, but not columns that identify a rank.
  for (const char* key : {"loss", "grad_norm", "forward", "memory", "last"})
    CHECK(build_rank_grid(ranks, key).choices.at(build_rank_grid(ranks, key).chosen).key == key);
  for (const TableColumn& column : grid.choices) CHECK(column.key != "device");
  CHECK(grid.percentiles.starts_with("p5 "));
  CHECK(grid.percentiles.ends_with(" ms over 64 ranks"));
  CHECK(build_rank_grid(ranks, "no such").chosen == 0);
}

TEST_CASE("A grid of nearly equal values has little contrast") {
  const auto model = model_of(support::demo_small(16));
  Table ranks = build_rank_table(model, support::ended_context(model)).table;
  const std::size_t own = column_index(ranks, "own");
  for (TableRow& row : ranks.rows) row.cells[own].value = 77.0;
  for (const GridCell& cell : build_rank_grid(ranks, "own").cells) CHECK(cell.share == 0);
  CHECK(build_rank_grid(ranks, "own").most == 0);
  ranks.rows[3].cells[own].value = 77.1;
  const RankGridView grid = build_rank_grid(ranks, "own");
  for (const GridCell& cell : grid.cells) CHECK(cell.share < 0.05);
  // The scale ends at the colour of the value that is written beside it.
  CHECK(grid.most == grid.cells[3].share);
  for (TableRow& row : ranks.rows) row.cells[own].value = std::nan("");
  CHECK(build_rank_grid(ranks, "own").most < 0);
}

TEST_CASE("The table is copied with its heads and the sum") {
  const auto model = model_of(support::demo_run());
  const std::string text = table_tsv(build_rank_table(model, support::live_context(model)).table);
  CHECK(std::count(text.begin(), text.end(), '\n') == 6);
  CHECK(text.starts_with("Rank\tState\tDevice\tUUID\tStep\tSamples/s\tStep p50 (ms)\t"));
  CHECK(text.find("\nr2\tLate\t6\tGPU-1a90c3ee\t4,569\t") != std::string::npos);
  CHECK(text.find("\nAll\t\t") != std::string::npos);
}

TEST_CASE("The charts of devices and hosts over time show only measured quantities") {
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

TEST_CASE("Ranks and their mean are of one step while some ranks are ahead") {
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
  const RankTableView view = build_rank_table(model, support::live_context(model));
  CHECK(view.subtitle == "1 of 2 in step 101, loss of step 100");
  CHECK(at(view, 1, "step").text == "101");
  CHECK(at(view, 1, "loss").text == at(before, 1, "loss").text);
  CHECK(all(view, "loss").text == all(before, "loss").text);
}

TEST_CASE("The values of the ranks add up to the value of all") {
  const Rank ranks = GENERATE(2, 3, 6, 7, 64);
  auto options = support::demo_small(ranks);
  options.late_rank = kNoRank;
  options.batch = 1;
  const auto model = model_of(options);
  const RankTableView view = build_rank_table(model, support::ended_context(model));
  std::int64_t last = 0;
  std::int64_t rate = 0;
  for (std::size_t i = 0; i < view.table.rows.size(); ++i) {
    last += rank_table_whole(at(view, i, "last"));
    rate += rank_table_whole(at(view, i, "rate"));
  }
  CHECK(last == 100);
  CHECK(rate == rank_table_whole(all(view, "rate")));
}
