// The list shows what the run folders contain, including damaged and empty ones.
#include "gui/runs/catalogue.h"

#include <sys/stat.h>

#include <chrono>

#include "gui/slurm/queue_file.h"
#include "protocol/base/clock.h"
#include "protocol/host/files.h"
#include "protocol/messages/records.h"
#include "protocol/runlog/copy_mark.h"
#include "protocol/runlog/unsent_log.h"
#include "tests/gui/runs/run_on_disk.h"
#include "tests/support/catch.h"
#include "tests/support/record_list.h"
#include "tests/support/temp_folder.h"

using namespace ringside;
using runs::read_summaries;

TEST_CASE("all runs are listed, newest first, each with its recipe and state") {
  const TempFolder folder;
  support::make_run(folder.path(), "20261121T134005Z-000001", support::demo_small(1));
  support::make_run(folder.path(), "20261121T134009Z-000002", support::demo_small(2),
                    "20261121T134005Z-000001");
  const auto found = read_summaries(folder.path()).value();
  REQUIRE(found.size() == 2);
  CHECK(found[0].folder.id() == "20261121T134009Z-000002");
  CHECK(found[0].number == 2);
  CHECK(found[0].ranks == 2);
  CHECK(found[0].state.word == "finished");
  CHECK(found[0].recipe == found[0].spec.model.name + " · " + found[0].spec.data.name);
  CHECK(found[0].spec.baseline.run == "20261121T134005Z-000001");
  CHECK(found[1].number == 1);
}

TEST_CASE("damaged, empty and foreign folders are shown as such") {
  const TempFolder folder;
  folder.write("20261121T134005Z-000001/spec.toml", "nonsense = [");
  folder.write("20261121T134006Z-000002/spec.toml", "name = \"no log yet\"\n");
  folder.write("foreign/data.bin", "x");
  const auto damaged =
      support::make_run(folder.path(), "20261121T134007Z-000003", support::demo_small(1));
  std::filesystem::resize_file(damaged.log_path(0),
                               std::filesystem::file_size(damaged.log_path(0)) / 2);
  const auto found = read_summaries(folder.path()).value();
  REQUIRE(found.size() == 3);
  CHECK(found[0].state.word == "interrupted");
  CHECK(found[0].figures.steps > 10);
  CHECK(found[1].name == "no log yet");
  CHECK(found[1].state.word == "interrupted");
  CHECK(found[2].name == "20261121T134005Z-000001");
  CHECK(found[2].problem.find("spec.toml") != std::string::npos);
}

TEST_CASE("S6: an odd run name is treated as data") {
  const TempFolder folder;
  messages::RunSpec spec;
  spec.name = "a \"b\" $(touch x); '\n\xE2\x82\xAC " + std::string(4096, 'n');
  support::make_folder(folder.path(), "20261121T134005Z-000001", spec);
  CHECK(read_summaries(folder.path()).value()[0].name == spec.name);
}

TEST_CASE("a runs folder that does not exist gives an empty list") {
  CHECK(read_summaries("/nowhere/at/all").value().empty());
}

TEST_CASE("a pipe in the place of settings or a log is a problem of that run and does not block") {
  const TempFolder folder;
  const auto piped =
      support::make_run(folder.path(), "20261121T134005Z-000001", support::demo_small(1));
  std::filesystem::remove(piped.log_path(0));
  REQUIRE(::mkfifo(piped.log_path(0).c_str(), 0600) == 0);
  const auto found = read_summaries(folder.path()).value();
  REQUIRE(found.size() == 1);
  CHECK(found[0].problem.find("not a regular file") != std::string::npos);
  CHECK(found[0].spec_read);
}

TEST_CASE(
    "R11: a truncated log is reported as such, and not as an agent that never began or died") {
  const TempFolder folder;
  const auto run =
      support::make_run(folder.path(), "20261121T134005Z-000001", support::demo_small(1));
  std::filesystem::create_directories(run.attempt_dir(0));
  const auto detail = [&] { return read_summaries(folder.path()).value()[0].state.detail; };
  const auto size = std::filesystem::file_size(run.log_path(0));
  std::filesystem::resize_file(run.log_path(0), size - 200);
  CHECK(detail().starts_with("its log ends while the run was "));
  std::filesystem::resize_file(run.log_path(0), 140);
  CHECK(detail() == "its log was cut off: it holds no state of the run any more");
}

TEST_CASE("R8, R11: unsent records of ranks count after their agent died, including torn ones") {
  const bool torn = GENERATE(false, true);
  const TempFolder folder;
  auto options = support::demo_small(1);
  options.finish = true;
  const auto run =
      support::make_folder(folder.path(), "20261121T134005Z-000001", support::demo_spec(options));
  support::RecordList all;
  support::play_demo(options, all);
  std::vector<std::vector<std::byte>> batches;
  {
    // The log ends with record 50 of the rank; the rank has saved those from 30 on.
    support::LogSink log(run);
    bool alive = true;
    for (const auto& [stamp, record] : all.entries) {
      if (alive) log.accept(stamp, record);
      if (stamp.rank != 0 || stamp.seq < 30) continue;
      alive = stamp.seq < 50;
      messages::append_any_record(batches.emplace_back(), stamp, record);
    }
  }
  std::filesystem::create_directories(run.rank_dir(0, 0));
  const std::vector<std::span<const std::byte>> spans(batches.begin(), batches.end());
  REQUIRE(
      runlog::write_unsent(run.unsent_path(0, 0), {run.id(), 0, 0, 0, ""}, batches.back(), spans));
  const auto size = std::filesystem::file_size(run.unsent_path(0, 0));
  if (torn) std::filesystem::resize_file(run.unsent_path(0, 0), size - size / 4);
  const auto read = read_summaries(folder.path()).value()[0];
  CHECK(read.state.word == "interrupted");
  CHECK(read.figures.steps_planned == 120);
  CHECK((read.figures.steps == 120) != torn);
  CHECK((read.figures.lost_records > 0) == torn);
}

TEST_CASE("a folder that was copied without its log says so, and not that the run never began") {
  const TempFolder folder;
  const auto run =
      support::make_run(folder.path(), "20261121T134005Z-000001", support::demo_small(1));
  std::filesystem::remove(run.log_path(0));
  CHECK(read_summaries(folder.path()).value()[0].state.detail ==
        "its agent never started; see agent.log in the run folder");
  std::filesystem::create_directories(run.attempt_dir(1));
  CHECK(read_summaries(folder.path()).value()[0].state.detail ==
        "its log is missing: the folder was copied incompletely");
}

// The clock of the other machine is 100 s behind.
TEST_CASE("a copied run is active while bytes come, whatever its machine's clock says") {
  constexpr const char* kId = "20261121T134005Z-000001";
  const TempFolder folder;
  const auto run = support::make_folder(folder.path(), kId, {});
  {
    support::LogSink sink(run, SystemClock().wall_ns() - 100'000'000'000, 1'000'000'000);
    messages::RankState state;
    state.state = messages::State::kTraining;
    sink.accept({0, kNoRank, 0, 1'000'000'000}, state);
  }
  auto endpoint = support::agent_endpoint_of(kId, true);
  endpoint.host = "ssh://box";
  endpoint.boot_id = "00000000-0000-0000-0000-000000000000";
  const auto word = [&] { return read_summaries(folder.path()).value()[0].state.word; };
  SECTION("marked as a copy") {
    REQUIRE(runlog::mark_copy(run, {"ssh://box", {}}));
    CHECK(word() == "interrupted");
    REQUIRE(runlog::mark_copy(run, {"ssh://box", {0}}));
  }
  SECTION("made by an older version") {
    REQUIRE(wire::write_agent_endpoint(run.agent_path(0), endpoint));
    CHECK(word() == "lost contact");
    REQUIRE(slurm::keep_copied_queue(folder.path(), {}));
  }
  CHECK(word() == "training");
  // The log keeps the time that it has on its own machine.
  std::filesystem::last_write_time(
      run.log_path(0), std::filesystem::file_time_type::clock::now() - std::chrono::hours(1));
  CHECK(word() == "training");
}

TEST_CASE("a copy that has only its settings yet is not called interrupted") {
  const TempFolder folder;
  const auto run = support::make_folder(folder.path(), "20261121T134005Z-000001", {});
  const auto state = [&] { return read_summaries(folder.path()).value()[0].state; };
  CHECK(state().word == "interrupted");
  SECTION("marked as a copy") { REQUIRE(runlog::mark_copy(run, {"ssh://box", {}})); }
  SECTION("made by an older version") { REQUIRE(slurm::keep_copied_queue(folder.path(), {})); }
  CHECK(state().word == "not copied");
  CHECK_FALSE(state().ended);
  CHECK_FALSE(state().live);
  // The whole folder was copied, including agent.log.
  REQUIRE(write_text_atomically(run.agent_log_path(0), "cannot start\n"));
  CHECK(state().word == "interrupted");
}
