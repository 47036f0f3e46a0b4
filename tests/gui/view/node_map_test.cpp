// The nodes of a run as groups of ranks, and texts that name nodes.
#include "gui/view/live/node_map.h"

#include "gui/view/live/event_strip.h"
#include "gui/view/live/log_view.h"
#include "gui/view/live/rank_table.h"
#include "gui/view/table_cells.h"
#include "tests/gui/view/demo_models.h"
#include "tests/support/catch.h"
#include "tests/support/record_list.h"

using namespace ringside;
using namespace ringside::view;

namespace {

support::DemoOptions on_two_nodes() {
  auto options = support::demo_small(6);
  options.nodes = 2;
  options.late_rank = 4;
  options.finish = false;
  return options;
}

Table node_map_nodes_of(const model::RunModel& model) {
  return build_node_table(model, build_rank_table(model, support::live_context(model)).table);
}

const Cell& node_map_at(const Table& table, std::size_t row, const char* key) {
  return cell_of(table, table.rows.at(row), key);
}

}  // namespace

TEST_CASE("a node is a row with its ranks, their worst state, its host and clock") {
  const auto model = support::model_of(on_two_nodes());
  const Table table = node_map_nodes_of(model);
  REQUIRE(table.rows.size() == 2);
  CHECK(table.rows[1].key == "n1");
  CHECK(node_map_at(table, 0, "ranks").text == "r0-r2");
  CHECK(node_map_at(table, 1, "ranks").text == "r3-r5");
  CHECK(node_map_at(table, 0, "devices").text.find(", ") != std::string::npos);
  CHECK(node_map_at(table, 0, "clock").text == "reference");
  CHECK(node_map_at(table, 1, "clock").suffix.starts_with(" ± "));
  CHECK(node_map_at(table, 1, "state").text.find("(1 of 3)") != std::string::npos);
  CHECK(table.rows[1].tint == Tone::kWarning);
  CHECK(table.rows[0].tint == Tone::kText);
  const auto last = [&](std::size_t row) {
    return std::get<std::int64_t>(node_map_at(table, row, "last").value);
  };
  CHECK(last(1) > 50);
  CHECK(last(0) < last(1));
  for (const TableRow& row : table.rows) CHECK(row.cells.size() == table.columns.size());
}

TEST_CASE("a node has its row before its ranks report, and also if its log is missing") {
  auto options = on_two_nodes();
  support::RecordList all;
  support::play_demo(options, all);
  auto spec = support::demo_spec(options);
  spec.devices.nodes = 2;
  const model::RunModel unheard(spec);
  CHECK(node_map_nodes_of(unheard).rows.size() == 2);
  model::RunModel half(spec);
  for (const auto& entry : all.entries) {
    if (entry.stamp.node == 0) half.accept(entry.stamp, entry.record);
  }
  const Table silent = node_map_nodes_of(half);
  REQUIRE(silent.rows.size() == 2);
  CHECK(node_map_at(silent, 0, "ranks").text == "r0-r2");
  CHECK(node_map_at(silent, 1, "ranks").text == "r3-r5");
  for (const char* key : {"state", "devices", "step", "p50", "last"})
    CHECK(node_map_at(silent, 1, key).text == unknown_cell().text);
  CHECK(silent.rows[1].tint == Tone::kText);
  const Table missing =
      build_node_table(half, build_rank_table(half, support::live_context(half)).table, {1});
  CHECK(node_map_at(missing, 0, "state").text == node_map_at(silent, 0, "state").text);
  CHECK(node_map_at(missing, 1, "state").text == label::kNoLog);
  CHECK(missing.rows[1].tint == Tone::kWarning);
  for (const TableRow& row : missing.rows) CHECK(row.cells.size() == missing.columns.size());
}

TEST_CASE("a node whose clock was not compared does not hide the clocks of others") {
  model::RunModel model;
  for (const Node node : {0, 1, 2}) {
    model.accept({node, node, 0, 1'000}, messages::StepReport{});
    if (node == 1) model.accept({1, kNoRank, 0, 1'000}, messages::ClockSync{0, -5'000'000, 1'000});
  }
  const Table table = node_map_nodes_of(model);
  REQUIRE(table.rows.size() == 3);
  CHECK(node_map_at(table, 1, "clock").suffix.starts_with(" ± "));
  CHECK(node_map_at(table, 2, "clock").text == unknown_cell().text);
}

TEST_CASE("a run on one node is one row, and a run without any report has none") {
  CHECK(node_map_nodes_of(support::model_of(support::demo_small(2))).rows.size() == 1);
  CHECK(node_map_nodes_of(model::RunModel()).rows.empty());
}

TEST_CASE("a node whose log comes late is reported with the age of the log") {
  auto model = support::model_of(on_two_nodes());
  CHECK(node_map_nodes_of(model).notes.empty());
  messages::HostSample sample;
  model.accept({0, kNoRank, 100'000, model.last_ns() + 15'000'000'000}, sample);
  const Table table = node_map_nodes_of(model);
  REQUIRE(table.notes.size() == 1);
  CHECK(table.notes[0] == "The newest record of node 1 is 15 s older than that of the run.");
}

TEST_CASE("a rank of a run on several nodes is named with its node") {
  auto options = on_two_nodes();
  options.killed_rank = 5;
  const auto model = support::model_of(options);
  CHECK(on_node(model, 5) == " on node 1");
  CHECK(rank_place(model, 5) == "Rank 5 (node 1, local 2)");
  CHECK(rank_place(model, 6).empty());
  const auto alone = support::model_of(support::demo_small(2));
  CHECK(rank_place(alone, 1).empty());
  for (const LogTab& tab : build_log(model, {}, {}).tabs)
    CHECK(tab.hint == (tab.rank == kNoRank ? std::string() : rank_place(model, tab.rank)));
  CHECK(build_rank_table(model, {}).table.rows.back().cells.front().hint == rank_place(model, 5));
  CHECK(on_node(support::model_of(support::demo_small(2)), 1).empty());
  bool named = false;
  for (const LogLine& line : event_lines(model))
    named = named || line.text.starts_with("on node 1: was killed");
  CHECK(named);
  CHECK(failure_reason("node 1 (b): rank 5: exit code 3: no memory", 5) == "no memory");
  CHECK(failure_reason("node 1 is gone", 5) == "node 1 is gone");
}

TEST_CASE("ranks and nodes are listed in words") {
  CHECK(ranks_text({0, 1, 2, 3, 6}) == "r0-r3, r6");
  CHECK(ranks_text({}).empty());
  messages::RunSpec spec;
  spec.devices.world_size = 6;
  spec.devices.nodes = 2;
  CHECK(nodes_text(spec) == "2 × 3");
  spec.devices.virtual_nodes = true;
  CHECK(nodes_text(spec) == "2 × 3, on one host");
  spec.devices.world_size = 5;
  CHECK(nodes_text(spec).starts_with("5 on 2 nodes"));
}
