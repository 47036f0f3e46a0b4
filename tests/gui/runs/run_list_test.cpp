// The list behind a window: named at once, read in parts, looked at again only where something can
// have changed, and remembered from one program to the next.
#include "gui/runs/run_list.h"

#include <algorithm>
#include <atomic>
#include <filesystem>

#include "gui/runs/trash.h"
#include "protocol/messages/records.h"
#include "tests/gui/runs/run_on_disk.h"
#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"

using namespace ringside;
using runs::RunFigures;
using runs::RunList;

namespace {

constexpr std::int64_t kLong = 60'000'000'000;
const std::atomic<bool> kStay = false;

std::string id_of(int number) {
  char id[32];
  std::snprintf(id, sizeof id, "20261121T13%02d%02dZ-%06x", number / 60 % 60, number % 60,
                static_cast<unsigned>(number));
  return id;
}

struct Folder {
  explicit Folder(int runs) {
    for (int i = 1; i <= runs; ++i) {
      messages::RunSpec spec;
      spec.name = "run " + std::to_string(i);
      const auto folder = support::make_folder(runs_dir(), id_of(i), spec);
      support::LogSink sink(folder);
      messages::RankState state;
      state.state = messages::State::kFinished;
      sink.accept({}, state);
    }
  }
  std::filesystem::path runs_dir() const { return temp.path() / "runs"; }
  std::filesystem::path cache() const { return temp.path() / "cache" / "list.cbor"; }
  RunList list() {
    return RunList(
        runs_dir(),
        [this](const runlog::RunFolder&, const messages::RunSpec& spec) {
          ++reads;
          RunFigures figures;
          figures.state.emplace();
          figures.state->state = messages::State::kFinished;
          figures.state->text = "of " + spec.name;
          figures.best_val_accuracy = 0.75;
          figures.loss = {2.0F, 1.0F};
          figures.steps = 120;
          return figures;
        },
        cache());
  }

  TempFolder temp;
  int reads = 0;
};

}  // namespace

TEST_CASE("folders are named at once, their logs follow newest first") {
  Folder folder(20);
  RunList list = folder.list();
  auto part = list.poll(0, true, kStay).value();
  REQUIRE(part.changed);
  REQUIRE(part.runs.size() == 20);
  CHECK(part.unread >= 18);
  CHECK(part.runs.front().folder.id() == id_of(20));
  CHECK_FALSE(part.runs.back().read);
  CHECK(part.runs.back().number == 1);
  CHECK(part.runs.back().figures.started_wall_ns == runs::wall_ns_of(id_of(1)));
  CHECK(part.runs.back().figures.started_wall_ns > 1'795'000'000'000'000'000);
  for (int i = 0; i < 30 && part.unread > 0; ++i) part = list.poll(0, false, kStay).value();
  CHECK(part.unread == 0);
  part = list.poll(kLong, true, kStay).value();
  CHECK_FALSE(part.changed);  // nothing new
  CHECK(part.runs.empty());
  CHECK(folder.reads == 20);
}

TEST_CASE("what changes on the disk is found: a new run, a grown log, labels, a deleted run") {
  Folder folder(3);
  RunList list = folder.list();
  REQUIRE(list.poll(kLong, true, kStay).value().runs.size() == 3);
  messages::RunSpec spec;
  spec.name = "new";
  support::make_folder(folder.runs_dir(), id_of(9), spec);
  auto part = list.poll(kLong, false, kStay).value();
  REQUIRE(part.changed);
  CHECK(part.runs.front().name == "new");
  const int before = folder.reads;
  {
    support::LogSink sink(runlog::RunFolder(folder.runs_dir() / id_of(2)));
    sink.accept({}, messages::Notice{});
  }
  CHECK(list.poll(kLong, true, kStay).value().changed);
  CHECK(folder.reads > before);
  REQUIRE(runs::write_labels(runlog::RunFolder(folder.runs_dir() / id_of(1)), {"mine", {}, ""}));
  part = list.poll(kLong, true, kStay).value();
  REQUIRE(part.changed);
  CHECK(part.runs.back().name == "mine");
  REQUIRE(runs::move_to_trash(folder.runs_dir(), runlog::RunFolder(folder.runs_dir() / id_of(1))));
  part = list.poll(kLong, false, kStay).value();
  REQUIRE(part.changed);
  CHECK(part.runs.size() == 3);
  CHECK(part.runs.back().number == 2);  // numbers stay
}

TEST_CASE("the next program reads no log again that has not changed") {
  Folder folder(5);
  RunList first = folder.list();
  const auto seen = first.poll(kLong, true, kStay).value();
  CHECK(folder.reads == 5);
  RunList second = folder.list();
  const auto again = second.poll(kLong, true, kStay).value();
  CHECK(folder.reads == 5);
  REQUIRE(again.runs.size() == 5);
  CHECK(again.runs[2].figures.best_val_accuracy == 0.75);
  CHECK(again.runs[2].figures.steps == 120);
  CHECK(again.runs[2].figures.loss == seen.runs[2].figures.loss);
  CHECK(again.runs[2].figures.state->text == seen.runs[2].figures.state->text);
  CHECK(std::isnan(again.runs[2].figures.speedup));
  CHECK(again.runs[2].state.word == "finished");
  {
    support::LogSink sink(runlog::RunFolder(folder.runs_dir() / id_of(4)));
    sink.accept({}, messages::Notice{});
  }
  RunList third = folder.list();
  (void)third.poll(kLong, true, kStay);
  CHECK(folder.reads == 6);
}

TEST_CASE("a cache that is damaged, cut or of another version costs nothing but time") {
  Folder folder(2);
  RunList first = folder.list();
  (void)first.poll(kLong, true, kStay);
  const std::string whole = read_text(folder.cache()).value();
  const std::string bytes =
      GENERATE_COPY(std::string(), std::string("nonsense"), whole.substr(0, whole.size() / 2),
                    std::string("\xa2") + whole.substr(3), std::string(5000, '\xff'));
  REQUIRE(write_text_atomically(folder.cache(), bytes));
  RunList again = folder.list();
  const auto part = again.poll(kLong, true, kStay).value();
  CHECK(part.runs.size() == 2);
  CHECK(part.runs.front().read);
  CHECK(part.runs.front().figures.steps == 120);
}

TEST_CASE("a run that goes on is looked at each time, one that ended only when asked") {
  Folder folder(2);
  RunList list = folder.list();
  (void)list.poll(kLong, true, kStay);
  {
    support::LogSink sink(runlog::RunFolder(folder.runs_dir() / id_of(1)));
    sink.accept({}, messages::Notice{});
  }
  // It has ended, so a look between does not even ask for its size.
  CHECK_FALSE(list.poll(kLong, false, kStay).value().changed);
  CHECK(list.poll(kLong, true, kStay).value().changed);
}

TEST_CASE("a list that is left ends at once and keeps nothing half read") {
  Folder folder(10);
  RunList list = folder.list();
  const std::atomic<bool> leave = true;
  const auto part = list.poll(kLong, true, leave).value();
  CHECK(folder.reads == 0);
  CHECK(part.runs.size() == 10);
}

TEST_CASE("ids that are not ours have no time") {
  CHECK(runs::wall_ns_of("20261121T134005Z-7f3a1c") == 1'795'268'405'000'000'000);
  CHECK(runs::wall_ns_of("something") == 0);
  CHECK(runs::wall_ns_of("") == 0);
}
