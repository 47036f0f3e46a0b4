// Memory of ranks and operations that they compute, in tables and in the text of an alert.
#include "gui/view/report/memory_table.h"

#include "gui/analysis/alerts/alerts.h"
#include "gui/view/live/event_strip.h"
#include "gui/view/live/rank_table.h"
#include "gui/view/number_format.h"
#include "gui/view/report/arithmetic_table.h"
#include "protocol/messages/memory_names.h"
#include "tests/gui/analysis/made_run.h"
#include "tests/support/catch.h"

using namespace ringside;
using namespace ringside::view;

namespace {

bool has_memory_column(const Table& table, const char* key) {
  return column_index(table, key) < table.columns.size();
}

}  // namespace

TEST_CASE("The table of memory has the parts that a rank reported, and no others") {
  support::MadeRun run(2);
  const auto tell = [&](Rank rank, const char* name, double mib) {
    run.say(rank, 1, messages::Scalar{name, 4, mib});
  };
  CHECK(memory_table(run.model()).rows.empty());
  tell(1, messages::kMemoryParameters, 1);
  const Table parts = memory_table(run.model());
  CHECK(parts.rows.size() == 1);
  CHECK(parts.columns.size() == 2);
  CHECK(parts.notes.empty());
  CHECK_FALSE(has_memory_column(build_rank_table(run.model(), {}).table, "allocated"));
  tell(0, messages::kMemoryAllocated, 3 * 1024);
  tell(0, messages::kMemoryPeak, 3 * 1024 + 512);
  const Table table = memory_table(run.model());
  CHECK(table.rows.size() == 2);
  CHECK(table.notes.size() == 1);
  const Cell& allocated = cell_of(table, table.rows[0], "allocated_bytes");
  CHECK(allocated.text == "3,072.0");
  CHECK(std::get<double>(allocated.value) == 3.0 * 1024 * 1024 * 1024);
  CHECK(cell_of(table, table.rows[0], "in_steps_bytes").text == "512.0");
  CHECK(cell_of(table, table.rows[0], "parameter_bytes").text == kDash);
  CHECK(cell_of(table, table.rows[1], "parameter_bytes").text == "1.0");
  CHECK_FALSE(has_memory_column(table, "left_bytes"));
  const Table ranks = build_rank_table(run.model(), {}).table;
  CHECK(cell_of(ranks, ranks.rows[0], "peak").text == "3.5");
  CHECK(cell_of(ranks, ranks.rows[1], "peak").text == kDash);
}

TEST_CASE("Growing memory is reported with the time until the device is full, if that is known") {
  const support::MadeRun run(4);
  const auto words = [&](std::optional<double> steps) {
    analysis::Alert alert;
    alert.kind = analysis::AlertKind::kMemoryGrows;
    alert.rank = 2;
    alert.creep = {2, 3.25 * 1024 * 1024, 4e9, steps, 0.5};
    return plain(event_view(alert, run.model(), nullptr).main);
  };
  CHECK(words(143) ==
        "The memory of rank 2 grows by 3.25 MiB a step; at this rate it runs out in about 140 "
        "steps, 72 s.");
  CHECK(words(1).ends_with("in about 1 step, 1 s."));
  CHECK(words({}) == "The memory of rank 2 grows by 3.25 MiB a step.");
}

TEST_CASE(
    "The operations of a rank are shown beside the peak of its device, or why that is unknown") {
  support::MadeRun run(2);
  CHECK(arithmetic_table(run.model()).rows.empty());
  for (const Rank rank : {0, 1}) {
    messages::RankHello hello;
    hello.world_size = 2;
    hello.device_name = rank == 0 ? "NVIDIA A100-SXM4-80GB" : "NVIDIA A100-SXM4-80GB MIG 1g.10gb";
    run.say(rank, 0, hello);
    for (Step step = 0; step < 50; ++step)
      run.step(rank, step, 100.0 * static_cast<double>(step), {.step = 100});
    run.say(rank, 5000, messages::Scalar{"flops/bfloat16 per step", 5, 15.6e12});
  }
  const Table table = arithmetic_table(run.model());
  REQUIRE(table.rows.size() == 2);
  CHECK(cell_of(table, table.rows[0], "flops_per_step").text == "15.600");
  CHECK(cell_of(table, table.rows[0], "flops_per_s").text == "156.000");
  CHECK(std::get<double>(cell_of(table, table.rows[0], "share_of_peak").value) == Approx(0.5));
  CHECK(cell_of(table, table.rows[0], "why").text.empty());
  CHECK(cell_of(table, table.rows[1], "share_of_peak").text == kDash);
  CHECK(cell_of(table, table.rows[1], "why").text ==
        "no published peak for bfloat16 of NVIDIA A100-SXM4-80GB MIG 1g.10gb");
  CHECK(published_peak("Tesla V100-SXM2-16GB", "float16") == 125);
  CHECK_FALSE(published_peak("Tesla V100-SXM2-16GB", "bfloat16"));
  CHECK_FALSE(published_peak("Tesla T4", "tf32"));
  CHECK_FALSE(published_peak("NVIDIA H200", "float64"));
}
