// Tables of many ranks: the order of rows, and percentiles over ranks.
#include "gui/view/live/many_ranks.h"

#include <algorithm>

#include "gui/view/live/node_map.h"
#include "gui/view/live/rank_grid.h"
#include "gui/view/live/rank_table.h"
#include "gui/view/number_format.h"
#include "gui/view/table_cells.h"
#include "tests/gui/view/demo_models.h"
#include "tests/support/catch.h"

using namespace ringside;
using namespace ringside::view;
using support::model_of;

namespace {

using Keys = std::vector<std::string>;
Keys keys_of(const Table& table) {
  Keys keys;
  for (const TableRow& row : table.rows) keys.push_back(row.key);
  return keys;
}

std::int64_t node_of(const Table& table, std::size_t row) {
  return std::get<std::int64_t>(cell_of(table, table.rows.at(row), "node").value);
}

/// How often a rank arrives last, and the tone of its state.
struct Told {
  std::int64_t last = 0;
  Tone tone = Tone::kOk;
};
/// Two ranks on each node.
Table table_of(const std::vector<Told>& ranks) {
  Table table;
  table.columns = {{.key = "rank"},
                   {.key = "state"},
                   number_column("node", "Node"),
                   number_column("last", "Last to arrive", "%")};
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    const auto rank = static_cast<Rank>(i);
    Cell first{std::int64_t{rank}, rank_label(rank)};
    first.rank = rank;
    table.rows.push_back({rank_label(rank),
                          {first, text_cell("State", ranks[i].tone), count_cell(rank / 2),
                           count_cell(ranks[i].last)}});
  }
  return table;
}
Keys order_of(const std::vector<Told>& ranks, Rank failed = kNoRank) {
  Table table = table_of(ranks);
  put_worst_first(table, failed);
  return keys_of(table);
}

const TableRow& total(const Table& table, const std::string& key) {
  const auto found = std::find_if(table.totals.begin(), table.totals.end(),
                                  [&key](const TableRow& row) { return row.key == key; });
  REQUIRE(found != table.totals.end());
  return *found;
}

support::DemoOptions on_eight_nodes() {
  auto options = support::demo_small(64);
  options.nodes = 8;
  options.late_rank = 42;
  options.finish = false;
  return options;
}

}  // namespace

TEST_CASE("among 128 nodes the one with the straggler is visible without scrolling") {
  auto options = support::demo_small(1024);
  options.nodes = 128;
  options.epochs = 1;
  options.steps = 40;
  options.late_rank = 803;
  options.late_share = 1;
  options.finish = false;
  auto model = model_of(options);
  const Table table = build_rank_table(model, support::live_context(model)).table;
  REQUIRE(table.rows.size() == 1024);
  CHECK(table.rows.front().key == "r803");
  for (std::size_t row = 0; row < 8; ++row) CHECK(node_of(table, row) == 100);
  // The other ranks are in the order of their numbers.
  CHECK(table.rows[8].key == "r0");
  for (std::size_t row = 9; row < 1024; ++row)
    CHECK(node_of(table, row) >= node_of(table, row - 1));
  // A notice about the run does not affect its ranks.
  messages::Notice notice;
  notice.text = "a word";
  model.accept({0, kNoRank, 900'000, model.last_ns() + 1}, notice);
  CHECK(keys_of(build_rank_table(model, support::live_context(model)).table) == keys_of(table));
}

TEST_CASE("a failed rank comes before a late one, on whatever node it is") {
  auto options = on_eight_nodes();
  options.killed_rank = 59;
  const auto model = model_of(options);
  const Table table = build_rank_table(model, support::live_context(model)).table;
  CHECK(table.rows[0].key == "r59");
  CHECK(node_of(table, 7) == 7);
  CHECK(table.rows[8].key == "r42");
  CHECK(node_of(table, 15) == 5);
  CHECK(table.rows[16].key == "r0");
}

TEST_CASE("an order that a person chose has priority over the worst first") {
  const auto model = model_of(on_eight_nodes());
  const auto context = support::live_context(model);
  CHECK(build_rank_table(model, context).table.rows.front().key == "r42");
  CHECK(build_rank_table(model, context, {"rank", false}).table.rows.front().key == "r0");
}

TEST_CASE("jitter in who arrives last moves no row, but a rank that is often last moves") {
  const Keys by_number{"r0", "r1", "r2", "r3", "r4", "r5"};
  CHECK(order_of({{3}, {9}, {1}, {7}, {0}, {5}}) == by_number);
  CHECK(order_of({{9}, {3}, {7}, {1}, {5}, {0}}) == by_number);
  CHECK(order_of({{3}, {0}, {12}, {0}, {0}, {34}}) == Keys{"r5", "r4", "r2", "r3", "r0", "r1"});
}

TEST_CASE("errors come before warnings, and the first failed rank before all") {
  const Told failed{0, Tone::kError};
  CHECK(order_of({{50}, {0}, {0}, {0, Tone::kWarning}, {0}, failed}) ==
        Keys{"r5", "r4", "r3", "r2", "r0", "r1"});
  CHECK(order_of({failed, failed, failed, failed, failed, failed}, 3) ==
        Keys{"r3", "r2", "r0", "r1", "r4", "r5"});
}

TEST_CASE("a node's devices are in the order of ranks, whichever row comes first") {
  const auto model = model_of(on_eight_nodes());
  const Table ranks = build_rank_table(model, support::live_context(model)).table;
  Table by_rank = ranks;
  sort_rows(by_rank, {"rank", false});
  const Table nodes = build_node_table(model, ranks);
  const Table same = build_node_table(model, by_rank);
  REQUIRE(nodes.rows.size() == 8);
  for (std::size_t i = 0; i < 8; ++i)
    CHECK(cell_of(nodes, nodes.rows[i], "devices").text ==
          cell_of(same, same.rows[i], "devices").text);
}

TEST_CASE("percentiles are values of ranks, by nearest rank, over those that have one") {
  Table table = table_of(std::vector<Told>(100));
  for (std::size_t i = 0; i < 100; ++i)
    table.rows[i].cells[3] = count_cell(static_cast<std::int64_t>(100 - i));
  add_percentiles(table);
  REQUIRE(table.totals.size() == 3);
  CHECK(cell_of(table, total(table, "p5"), "last").text == "5");
  CHECK(cell_of(table, total(table, "p50"), "last").text == "50");
  CHECK(cell_of(table, total(table, "p95"), "last").text == "95");
  CHECK(cell_of(table, total(table, "p95"), "last").hint == "p95 of 100 ranks.");
  CHECK(percentiles_text(table, column_of(table, "last")) ==
        "p5 5, p50 50, p95 95 % over 100 ranks");
  // The column of nodes has no percentile.
  CHECK(cell_of(table, total(table, "p50"), "node").text.empty());
  table.totals.clear();
  table.rows[0].cells[3] = unknown_cell();
  table.rows[1].cells[3] = {std::nan(""), "NaN"};
  add_percentiles(table);
  CHECK(cell_of(table, total(table, "p50"), "last").text == "49");
  CHECK(cell_of(table, total(table, "p50"), "last").hint == "p50 of 98 ranks.");
  table.totals.clear();
  for (TableRow& row : table.rows) row.cells[3] = unknown_cell();
  add_percentiles(table);
  CHECK(cell_of(table, total(table, "p5"), "last").text == "–");
  CHECK(percentiles_text(table, column_of(table, "last")).empty());
}

TEST_CASE("from 64 ranks on percentiles are below the row of all, whose mean stays the mean") {
  const auto model = model_of(on_eight_nodes());
  const Table table = build_rank_table(model, support::live_context(model)).table;
  REQUIRE(table.totals.size() == 4);
  CHECK(table.totals.front().key == "All");
  double sum = 0;
  std::vector<double> figures;
  for (const TableRow& row : table.rows) {
    figures.push_back(number_of(cell_of(table, row, "data_wait").value));
    sum += figures.back();
  }
  std::sort(figures.begin(), figures.end());
  const auto told = [&](const TableRow& row) {
    return number_of(cell_of(table, row, "data_wait").value);
  };
  CHECK(told(table.totals.front()) == Approx(sum / 64));
  CHECK(told(total(table, "p5")) == figures[3]);
  CHECK(told(total(table, "p50")) == figures[31]);
  CHECK(told(total(table, "p95")) == figures[60]);
  // One rank waits for its data, which affects the mean and not the median.
  CHECK(told(table.totals.front()) > told(total(table, "p95")));
  for (const TableRow& row : table.totals) CHECK(row.cells.size() == table.columns.size());
  const std::string text = table_tsv(table);
  for (const char* key : {"p5", "p50", "p95"})
    CHECK(text.find("\n" + std::string(key) + "\tof ranks\t") != std::string::npos);
  const RankGridView grid = build_rank_grid(table, "own");
  for (const TableColumn& column : grid.choices) {
    CHECK(column.key != "node");
    CHECK(column.key != "local");
  }
}

TEST_CASE("63 ranks are shown one by one, sorted by rank and without percentiles") {
  auto options = support::demo_small(63);
  options.nodes = 7;
  options.late_rank = 42;
  const auto model = model_of(options);
  const Table table = build_rank_table(model, support::ended_context(model)).table;
  CHECK(table.totals.size() == 1);
  CHECK(table.rows.front().key == "r0");
  CHECK(build_rank_grid(table, "own").percentiles.empty());
}
