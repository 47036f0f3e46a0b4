// Figures of a run are the same in lists and reports.
#include "gui/runs/run_figures.h"

#include "protocol/messages/records.h"
#include "protocol/runlog/unsent_log.h"
#include "tests/gui/runs/run_on_disk.h"
#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"

using namespace ringside;

TEST_CASE(
    "lost records that unsent records reveal are the same in the log and in the run's figures") {
  const TempFolder folder;
  const auto spec = support::demo_spec(support::demo_small(1));
  const auto run = support::make_folder(folder.path(), "20261121T134005Z-000001", spec);
  {
    support::LogSink log(run);
    messages::StepReport step;
    step.loss = 1;
    log.accept({0, 0, 0, 1}, step);
  }
  messages::RankGoodbye goodbye;
  goodbye.produced = 10;
  goodbye.dropped = 8;
  std::vector<std::byte> bytes;
  messages::append_record(bytes, {0, 0, 9, 2}, goodbye);
  const std::vector<std::span<const std::byte>> batches{bytes};
  std::filesystem::create_directories(run.rank_dir(0, 0));
  REQUIRE(runlog::write_unsent(run.unsent_path(0, 0), {run.id(), 0, 0, 0, ""}, bytes, batches));
  const auto read = runs::read_run(run, spec);
  CHECK(runs::figures_of(*read.model, read.identity, nullptr).lost_records == 8);
  CHECK(read.damage.lost_records == 8);
}
