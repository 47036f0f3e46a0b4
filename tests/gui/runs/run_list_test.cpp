// The list of a window: shown at once, read in parts, updated only where something may have
// changed, and cached from one program to the next.
#include "gui/runs/run_list.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <filesystem>
#include <fstream>

#include "gui/runs/chosen_baseline.h"
#include "gui/runs/trash.h"
#include "protocol/host/files.h"
#include "protocol/messages/records.h"
#include "tests/gui/runs/run_on_disk.h"
#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"

using namespace ringside;
using runs::RunFigures;
using runs::RunList;

namespace {

constexpr std::int64_t kLong = 60'000'000'000;
const std::atomic<bool> kRunListStay = false;

std::string id_of(int number) {
  char id[32];
  std::snprintf(id, sizeof id, "20261121T13%02d%02dZ-%06x", number / 60 % 60, number % 60,
                static_cast<unsigned>(number));
  return id;
}

struct Folder {
  explicit Folder(int runs) {
    for (int i = 1; i <= runs; ++i) support::make_run(runs_dir(), id_of(i), support::demo_small(1));
  }
  std::filesystem::path runs_dir() const { return temp.path() / "runs"; }
  std::filesystem::path cache() const { return temp.path() / "cache" / "list.cbor"; }
  runlog::RunFolder run(int number) const { return runlog::RunFolder(runs_dir() / id_of(number)); }
  RunList list() const { return RunList(runs_dir(), cache()); }

  /// Overwrites the logs but keeps their sizes and times, so that only the cache has figures.
  void blank_logs() const {
    const auto all = runs::list_runs(runs_dir()).value();
    for (const auto& one : all) {
      const auto log = one.folder.log_path(0);
      const auto changed = std::filesystem::last_write_time(log);
      const std::string blank(std::filesystem::file_size(log), 'x');
      std::ofstream(log, std::ios::binary) << blank;
      std::filesystem::last_write_time(log, changed);
    }
  }

  TempFolder temp;
};

bool has_figures(const runs::RunSummary& run) {
  return run.read && run.problem.empty() && run.figures.steps == 120;
}

}  // namespace

TEST_CASE("folders are listed at once, and their logs are read newest first") {
  Folder folder(20);
  RunList list = folder.list();
  auto part = list.poll(0, true, kRunListStay).value();
  REQUIRE(part.changed);
  REQUIRE(part.runs.size() == 20);
  CHECK(part.unread >= 18);
  CHECK(part.runs.front().folder.id() == id_of(20));
  CHECK_FALSE(part.runs.back().read);
  CHECK(part.runs.back().number == 1);
  CHECK(part.runs.back().figures.started_wall_ns == runs::wall_ns_of(id_of(1)));
  CHECK(part.runs.back().figures.started_wall_ns > 1'795'000'000'000'000'000);
  for (int i = 0; i < 30 && part.unread > 0; ++i) part = list.poll(0, false, kRunListStay).value();
  CHECK(part.unread == 0);
  CHECK(std::all_of(part.runs.begin(), part.runs.end(), has_figures));
  part = list.poll(kLong, true, kRunListStay).value();
  CHECK_FALSE(part.changed);  // nothing is new
  CHECK(part.runs.empty());
}

TEST_CASE("changes on the disk are found: a new run, a longer log, labels, a deleted run") {
  Folder folder(3);
  RunList list = folder.list();
  REQUIRE(list.poll(kLong, true, kRunListStay).value().runs.size() == 3);
  messages::RunSpec spec;
  spec.name = "new";
  support::make_folder(folder.runs_dir(), id_of(9), spec);
  auto part = list.poll(kLong, false, kRunListStay).value();
  REQUIRE(part.changed);
  CHECK(part.runs.front().name == "new");
  {
    support::LogSink sink(folder.run(2));
    messages::RankState failed;
    failed.state = messages::State::kFailed;
    sink.accept({0, kNoRank, 0, 1}, failed);
  }
  part = list.poll(kLong, true, kRunListStay).value();
  REQUIRE(part.changed);
  CHECK(part.runs[2].state.word == "failed");
  REQUIRE(runs::write_labels(folder.run(1), {"mine", {}, ""}));
  part = list.poll(kLong, true, kRunListStay).value();
  REQUIRE(part.changed);
  CHECK(part.runs.back().name == "mine");
  REQUIRE(runs::move_to_trash(folder.runs_dir(), folder.run(1)));
  part = list.poll(kLong, false, kRunListStay).value();
  REQUIRE(part.changed);
  CHECK(part.runs.size() == 3);
  CHECK(part.runs.back().number == 2);  // numbers do not change
}

TEST_CASE("choosing a baseline changes the list") {
  Folder folder(3);
  RunList list = folder.list();
  REQUIRE(list.poll(kLong, true, kRunListStay).value().changed);
  REQUIRE(runs::choose_baseline(folder.run(3), id_of(1)));
  const auto part = list.poll(kLong, true, kRunListStay).value();
  REQUIRE(part.changed);
  CHECK(part.runs.front().figures.speedup > 0);
}

TEST_CASE("newly arrived unsent records of a rank change the list") {
  Folder folder(1);
  RunList list = folder.list();
  REQUIRE(list.poll(kLong, true, kRunListStay).value().changed);
  std::filesystem::create_directories(folder.run(1).rank_dir(0, 0));
  REQUIRE(list.poll(kLong, true, kRunListStay));
  std::ofstream(folder.run(1).unsent_path(0, 0)) << "late";
  CHECK(list.poll(kLong, true, kRunListStay).value().changed);
}

TEST_CASE("a later program does not read unchanged logs again") {
  Folder folder(5);
  const auto seen = folder.list().poll(kLong, true, kRunListStay).value();
  REQUIRE(std::all_of(seen.runs.begin(), seen.runs.end(), has_figures));
  folder.blank_logs();
  const auto again = folder.list().poll(kLong, true, kRunListStay).value();
  REQUIRE(again.runs.size() == 5);
  CHECK(std::all_of(again.runs.begin(), again.runs.end(), has_figures));
  const RunFigures& before = seen.runs[2].figures;
  const RunFigures& now = again.runs[2].figures;
  CHECK(now.best_val_accuracy == before.best_val_accuracy);
  CHECK(now.started_wall_ns == before.started_wall_ns);
  CHECK(now.loss == before.loss);
  CHECK(now.loss.size() == 48);
  CHECK(now.state->text == before.state->text);
  CHECK(std::isnan(now.speedup));
  CHECK(again.runs[2].state.word == "finished");
  std::ofstream(folder.run(4).log_path(0), std::ios::app) << "x";
  const auto grown = folder.list().poll(kLong, true, kRunListStay).value();
  CHECK(has_figures(grown.runs[0]));
  CHECK_FALSE(has_figures(grown.runs[1]));
}

TEST_CASE("figures against a baseline are read again when the baseline has changed") {
  Folder folder(1);
  support::make_run(folder.runs_dir(), id_of(2), support::demo_small(2), id_of(1));
  const auto first = folder.list().poll(kLong, true, kRunListStay).value();
  CHECK(first.runs[0].figures.speedup > 0);
  std::filesystem::remove(folder.run(1).log_path(0));
  const auto second = folder.list().poll(kLong, true, kRunListStay).value();
  CHECK(std::isnan(second.runs[0].figures.speedup));
}

TEST_CASE("a chosen baseline is used, and after its deletion the one named in the settings") {
  Folder folder(2);
  const auto run = support::make_run(folder.runs_dir(), id_of(3), support::demo_small(2), id_of(1));
  RunList list = folder.list();
  CHECK(list.poll(kLong, true, kRunListStay).value().runs[0].baseline == id_of(1));
  REQUIRE(runs::choose_baseline(run, id_of(2)));
  const auto chosen = list.poll(kLong, true, kRunListStay).value();
  REQUIRE(chosen.changed);
  CHECK(chosen.runs[0].baseline == id_of(2));
  REQUIRE(runs::move_to_trash(folder.runs_dir(), folder.run(2)));
  const auto left = folder.list().poll(kLong, true, kRunListStay).value();
  CHECK(left.runs[0].baseline == id_of(1));
  CHECK(left.runs[0].figures.speedup > 0);
}

TEST_CASE("a cache that is damaged, truncated or of another version costs nothing but time") {
  Folder folder(2);
  RunList first = folder.list();
  (void)first.poll(kLong, true, kRunListStay);
  const std::string whole = read_text(folder.cache()).value();
  const std::string bytes =
      GENERATE_COPY(std::string(), std::string("nonsense"), whole.substr(0, whole.size() / 2),
                    std::string("\xa2") + whole.substr(3), std::string(5000, '\xff'));
  REQUIRE(write_text_atomically(folder.cache(), bytes));
  RunList again = folder.list();
  const auto part = again.poll(kLong, true, kRunListStay).value();
  CHECK(part.runs.size() == 2);
  CHECK(has_figures(part.runs.front()));
}

TEST_CASE("an active run is checked each time, and one that ended only on request") {
  Folder folder(2);
  RunList list = folder.list();
  (void)list.poll(kLong, true, kRunListStay);
  {
    support::LogSink sink(folder.run(1));
    sink.accept({}, messages::Notice{});
  }
  // The run has ended, so a poll in between does not even check its size.
  CHECK_FALSE(list.poll(kLong, false, kRunListStay).value().changed);
  CHECK(list.poll(kLong, true, kRunListStay).value().changed);
}

TEST_CASE("a cancelled list ends at once and keeps nothing half read") {
  Folder folder(10);
  RunList list = folder.list();
  const std::atomic<bool> leave = true;
  const auto part = list.poll(kLong, true, leave).value();
  CHECK(part.runs.size() == 10);
  CHECK(std::none_of(part.runs.begin(), part.runs.end(), [](const auto& run) { return run.read; }));
  CHECK_FALSE(std::filesystem::exists(folder.cache()));
}

TEST_CASE("ids in another format have no time") {
  CHECK(runs::wall_ns_of("20261121T134005Z-7f3a1c") == 1'795'268'405'000'000'000);
  CHECK(runs::wall_ns_of("something") == 0);
  CHECK(runs::wall_ns_of("") == 0);
}
