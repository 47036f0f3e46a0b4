// Tests the comparison of ranks, on hand-made timelines.
#include "gui/view/timeline/operations_table.h"

#include "gui/model/timeline/timeline_builder.h"
#include "tests/support/catch.h"

namespace ringside::view {
namespace {

using model::TimelineBuilder;

std::vector<std::string> texts_in(const Table& table, std::string_view key) {
  std::vector<std::string> texts;
  for (const TableRow& row : table.rows) texts.push_back(cell_of(table, row, key).text);
  return texts;
}

TEST_CASE(
    "an operator's time excludes the operators that it called, and a kernel's time is its own") {
  TimelineBuilder builder;
  const auto thread = builder.add_track({0, "rank 0", "thread"});
  const auto gpu = builder.add_track({0, "rank 0", "stream", model::TrackKind::kGpu});
  const auto add = [&](const char* name, std::int64_t at_us, std::int64_t took_us) {
    builder.add(thread, at_us * 1000, took_us * 1000, builder.name(name, "cpu_op"));
  };
  add("aten::linear", 0, 100);
  add("aten::t", 10, 20);
  add("aten::addmm", 40, 50);
  add("aten::linear", 100, 30);
  builder.add(thread, 45'000, 30'000, builder.name("cudaLaunchKernel", "cuda_runtime"));
  builder.add(gpu, 45'000, 40'000, builder.name("gemm", "kernel"));
  const auto table = operations_table(builder.finish(), 10);
  CHECK(texts_in(table, "operation") ==
        std::vector<std::string>{"aten::linear", "aten::addmm", "gemm", "aten::t"});
  CHECK(texts_in(table, "rank_0_ms") ==
        std::vector<std::string>{"0.060", "0.050", "0.040", "0.020"});
  CHECK(table.title == "Operations, ms");
}

TEST_CASE("operations that cross on one thread take no negative time") {
  TimelineBuilder builder;
  const auto thread = builder.add_track({0, "rank 0", "thread"});
  builder.add(thread, 0, 10'000, builder.name("early", "cpu_op"));
  builder.add(thread, 8'000, 90'000, builder.name("late", "cpu_op"));
  const auto table = operations_table(builder.finish(), 10);
  CHECK(texts_in(table, "operation") == std::vector<std::string>{"late", "early"});
  CHECK(texts_in(table, "rank_0_ms") == std::vector<std::string>{"0.090", "0.008"});
}

TEST_CASE("the operations that differ most between ranks come first, up to a greatest number") {
  TimelineBuilder builder;
  const auto add = [&](Rank rank, const char* name, std::int64_t ms) {
    const auto track = builder.add_track({rank, "rank", name});
    builder.add(track, 0, ms * 1'000'000, builder.name(name, "cpu_op"));
  };
  add(0, "a", 9000);
  add(0, "b", 4000);
  add(0, "c", 10);
  add(1, "a", 9100);
  add(1, "b", 1000);
  const auto steps = builder.add_track({0, "rank", "steps", model::TrackKind::kSteps});
  for (const char* const step : {"step 4", "step 5"})
    builder.add(steps, 0, 1, builder.name(step, "step"));
  const auto table = operations_table(builder.finish(), 2);
  CHECK(texts_in(table, "operation") == std::vector<std::string>{"b", "a"});
  CHECK(texts_in(table, "rank_0_ms") == std::vector<std::string>{"2,000.000", "4,500.000"});
  CHECK(texts_in(table, "rank_1_ms") == std::vector<std::string>{"500.000", "4,550.000"});
  CHECK(texts_in(table, "slowest") == std::vector<std::string>{"r0", "r1"});
  CHECK(texts_in(table, "excess_ms") == std::vector<std::string>{"1,500.000", "50.000"});
  CHECK(table.title == "Operations by how much ranks differ, ms in a step");
}

TEST_CASE("without operators the parts of steps are compared, and without these all events") {
  TimelineBuilder builder;
  const auto track = builder.add_track({0, "rank 0", "steps"});
  builder.add(track, 0, 5'000'000, builder.name("step 1", "step"));
  builder.add(track, 0, 2'000'000, builder.name("forward", "step"));
  CHECK(texts_in(operations_table(builder.finish(), 9), "operation") ==
        std::vector<std::string>{"forward"});
  const auto foreign = builder.add_track({kNoRank, "browser", "thread 1"});
  builder.add(foreign, 0, 5'000'000, builder.name("Paint", "blink"));
  const auto table = operations_table(builder.finish(), 9);
  CHECK(texts_in(table, "operation") == std::vector<std::string>{"Paint"});
  CHECK(texts_in(table, "all_ms") == std::vector<std::string>{"5.000"});
}

TEST_CASE("a timeline without events has a table that says so") {
  const auto table = operations_table({}, 9);
  CHECK(table.rows.empty());
  CHECK_FALSE(table.empty.empty());
}

}  // namespace
}  // namespace ringside::view
