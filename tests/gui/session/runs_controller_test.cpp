// Tests the list of runs in the window: messages before it is read, the run that is opened at the
// start, deleting and filtering. No window is opened.
#include <sys/stat.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <future>
#include <memory>
#include <thread>

#include "gui/session/jobs.h"
#include "gui/session/window/session.h"
#include "protocol/base/clock.h"
#include "protocol/messages/records.h"
#include "tests/gui/runs/run_on_disk.h"
#include "tests/support/catch.h"
#include "tests/support/patience.h"
#include "tests/support/session_until.h"
#include "tests/support/temp_folder.h"

using namespace ringside;
using namespace ringside::session;
namespace fs = std::filesystem;

namespace {

constexpr std::int64_t kLongNs = testing::kPatienceNs;

std::string id_of(int minute) { return "20261121T10" + std::to_string(10 + minute) + "00Z-aaaaaa"; }

struct RunsControllerRig {
  RunsControllerRig() { ::setenv("XDG_CONFIG_HOME", (folder.path() / "config").c_str(), 1); }

  void start(const std::string& run = {}, double replay_speed = 0) {
    Session::Options wanted;
    wanted.runs_dir = runs_dir();
    wanted.run = run;
    wanted.replay_speed = replay_speed;
    session = std::make_unique<Session>(wanted, [] {});
    REQUIRE(session->start());
  }
  void finished(int minute) {
    support::make_run(runs_dir(), id_of(minute), support::demo_small(1));
  }
  /// Adds a run whose agent is this process.
  void training(int minute) {
    auto options = support::demo_small(1);
    options.finish = false;
    const auto run = support::make_run(runs_dir(), id_of(minute), options);
    REQUIRE(
        wire::write_agent_endpoint(run.agent_path(), support::agent_endpoint_of(run.id(), true)));
  }
  template <class Holds>
  bool until(Holds&& holds) {
    return testing::until(*session, holds);
  }
  bool lists(std::size_t runs) {
    return until([runs](const view::ScreenInput& input) {
      return input.runs.runs.size() == runs && input.runs.unread == 0;
    });
  }
  void ask(const view::Command& command) { (void)session->execute({command}); }
  std::string selected() { return session->input().runs.choice.selected; }
  fs::path runs_dir() const { return folder.path() / "runs"; }

  TempFolder folder;
  std::unique_ptr<Session> session;
};

}  // namespace

TEST_CASE("a job that reads from a file system that hangs does not keep the window open") {
  auto hang = std::make_shared<std::promise<void>>();
  auto over = std::make_shared<std::promise<void>>();
  std::atomic<int> woken = 0;
  const std::int64_t begun_ns = mono_now_ns();
  {
    Jobs jobs([&woken] { ++woken; });
    jobs.start(
        "scan",
        [hang, over]() -> Jobs::Completion {
          hang->get_future().wait();
          return [over] {};
        },
        JobKind::kReads);
  }
  // The job would never end; jobs that write would be waited for ten seconds.
  CHECK(mono_now_ns() - begun_ns < 10'000'000'000);
  auto release_run = std::weak_ptr(over);
  over.reset();
  hang->set_value();
  // The abandoned job ends by itself and wakes no window.
  while (!release_run.expired() && mono_now_ns() - begun_ns < kLongNs) std::this_thread::yield();
  CHECK(release_run.expired());
  CHECK(woken == 0);
}

TEST_CASE("a job that writes is waited for when the window closes") {
  std::atomic<bool> written = false;
  std::promise<void> begun;
  {
    Jobs jobs([] {});
    jobs.start("labels", [&]() -> Jobs::Completion {
      begun.set_value();
      for (int i = 0; i < 1000; ++i) std::this_thread::yield();
      written = true;
      return {};
    });
    begun.get_future().wait();
  }
  CHECK(written);
}

TEST_CASE("changes of one window to a run's labels stay when another window changes others") {
  RunsControllerRig rig;
  rig.finished(1);
  rig.start();
  REQUIRE(rig.lists(1));
  const runlog::RunFolder run(rig.runs_dir() / id_of(1));
  REQUIRE(runs::write_labels(run, {"theirs", {}, "measured at night"}));
  view::EditLabels edit{id_of(1)};
  edit.tags = "slow, wd 1e-4";
  rig.ask(edit);
  const runs::RunLabels wanted{"theirs", {"slow", "wd 1e-4"}, "measured at night"};
  CHECK(rig.until([&](const view::ScreenInput&) { return runs::read_labels(run) == wanted; }));
}

TEST_CASE("a note at a step is shown at once, written beside the other labels, and removed") {
  RunsControllerRig rig;
  rig.finished(1);
  rig.start(id_of(1));
  REQUIRE(rig.lists(1));
  const runlog::RunFolder run(rig.runs_dir() / id_of(1));
  runs::RunLabels own;
  own.note = "mine";
  REQUIRE(runs::write_labels(run, own));
  using Notes = std::vector<runs::ChartNote>;
  const auto write = [&](const runs::ChartNote& note, const Notes& wanted) {
    view::EditLabels edit{id_of(1)};
    edit.chart_notes = {note};
    rig.ask(edit);
    CHECK(rig.session->input().live.context.notes == wanted);
    CHECK(rig.until([&](const view::ScreenInput&) {
      const runs::RunLabels labels = runs::read_labels(run);
      return runs::chart_notes_of(labels) == wanted && labels.note == "mine";
    }));
  };
  write({40, "lower rate"}, {{40, "lower rate"}});
  write({7, "began"}, {{7, "began"}, {40, "lower rate"}});
  write({40, ""}, {{7, "began"}});
}

TEST_CASE(
    "Tags are written on several runs at once and taken off again, beside those that they had") {
  RunsControllerRig rig;
  rig.finished(1);
  rig.finished(2);
  const runlog::RunFolder first(rig.runs_dir() / id_of(1));
  const runlog::RunFolder second(rig.runs_dir() / id_of(2));
  runs::RunLabels own;
  own.tags = {"mine"};
  REQUIRE(runs::write_labels(first, own));
  rig.start();
  REQUIRE(rig.lists(2));
  const auto tags = [](const runlog::RunFolder& run) { return runs::read_labels(run).tags; };
  using Tags = std::vector<std::string>;
  rig.ask(view::TagRuns{{id_of(1), id_of(2), "gone"}, "keep, slow", true});
  CHECK(rig.until([&](const view::ScreenInput&) {
    return tags(first) == Tags{"mine", "keep", "slow"} && tags(second) == Tags{"keep", "slow"};
  }));
  rig.ask(view::TagRuns{{id_of(1), id_of(2)}, "slow", false});
  CHECK(rig.until([&](const view::ScreenInput&) {
    return tags(first) == Tags{"mine", "keep"} && tags(second) == Tags{"keep"};
  }));
}

TEST_CASE("columns, order and groups of the list are kept for the next start") {
  RunsControllerRig rig;
  rig.finished(1);
  Session::Options wanted;
  wanted.runs_dir = rig.runs_dir();
  wanted.list.columns.changed = {"optimizer.lr", "speedup"};
  wanted.list.sort = {"optimizer.lr", false};
  wanted.list.group = "batch.size";
  rig.session = std::make_unique<Session>(wanted, [] {});
  REQUIRE(rig.session->start());
  rig.ask(view::SetRunFilter{"state:failed"});
  CHECK(rig.session->list_choice() == wanted.list);
  rig.ask(view::ToggleRunColumn{"speedup"});
  rig.ask(view::GroupRuns{});
  CHECK(rig.session->list_choice().columns.changed ==
        std::set<std::string, std::less<>>{"optimizer.lr"});
  CHECK(rig.session->list_choice().group.empty());
}

TEST_CASE("a pipe in place of a log or of settings does not block the list") {
  RunsControllerRig rig;
  rig.finished(1);
  rig.finished(2);
  const runlog::RunFolder piped(rig.runs_dir() / id_of(1));
  fs::remove(piped.log_path(0));
  REQUIRE(::mkfifo(piped.log_path(0).c_str(), 0600) == 0);
  rig.start();
  CHECK_FALSE(rig.session->input().runs.looked);
  REQUIRE(rig.lists(2));
  const auto input = rig.session->input();
  CHECK(input.runs.looked);
  const auto& tags = input.runs.runs[1].tags;
  CHECK(std::any_of(tags.begin(), tags.end(), [](const std::string& tag) {
    return tag.find("not a regular file") != std::string::npos;
  }));
}

TEST_CASE("a window that is opened again attaches to the run that is active") {
  RunsControllerRig rig;
  rig.finished(1);
  rig.training(2);
  rig.finished(3);
  rig.start();
  REQUIRE(rig.until([](const view::ScreenInput& input) { return input.live.model != nullptr; }));
  CHECK(rig.session->input().live.context.id == id_of(2));
  CHECK(rig.session->page() == view::Page::kLaunch);
}

TEST_CASE("a requested run stays open, and a run that has ended is not opened by itself") {
  RunsControllerRig rig;
  rig.finished(1);
  SECTION("a run was requested") {
    rig.training(2);
    rig.start(id_of(1));
    REQUIRE(rig.lists(2));
    CHECK(rig.session->input().live.context.id == id_of(1));
  }
  SECTION("the run has ended") {
    rig.start();
    REQUIRE(rig.lists(1));
    CHECK(rig.session->input().live.model == nullptr);
  }
}

TEST_CASE("after a deletion the neighbour in the list is selected") {
  RunsControllerRig rig;
  for (int minute = 1; minute <= 4; ++minute) rig.finished(minute);
  rig.start();
  REQUIRE(rig.lists(4));
  rig.ask(view::SelectRun{id_of(3)});
  rig.ask(view::TrashRun{id_of(3)});
  REQUIRE(rig.lists(3));
  CHECK(rig.selected() == id_of(2));
  rig.ask(view::SelectRun{id_of(1)});
  rig.ask(view::TrashRun{id_of(1)});
  REQUIRE(rig.lists(2));
  CHECK(rig.selected() == id_of(2));
  rig.ask(view::UndoTrash{});
  CHECK(rig.session->input().message.text == "Run #1 was restored.");
  REQUIRE(rig.lists(3));
  CHECK(rig.selected() == id_of(1));
}

TEST_CASE("opening a path clears the filter and the message") {
  RunsControllerRig rig;
  rig.finished(1);
  rig.finished(2);
  rig.start();
  REQUIRE(rig.lists(2));
  rig.ask(view::TrashRun{id_of(2)});
  CHECK_FALSE(rig.session->input().message.text.empty());
  const std::string path = (rig.runs_dir() / id_of(1)).string();
  rig.ask(view::SetRunFilter{path});
  rig.ask(view::OpenRun{path});
  CHECK(rig.session->input().live.context.id == id_of(1));
  CHECK(rig.session->input().runs.choice.filter.empty());
  CHECK(rig.session->input().message.text.empty());
}

TEST_CASE("the replay of an interrupted run ends as the run did") {
  RunsControllerRig rig;
  auto options = support::demo_small(1);
  options.finish = false;
  support::make_run(rig.runs_dir(), id_of(1), options);
  rig.start(id_of(1), 1000);
  CHECK(rig.until([](const view::ScreenInput& input) {
    return input.live.context.contact == view::Contact::kInterrupted;
  }));
  CHECK(rig.session->input().live.context.replaying);
}

TEST_CASE("a replay begins when the run left the queue") {
  RunsControllerRig rig;
  constexpr std::int64_t kQueuedNs = 600'000'000'000;
  auto options = support::demo_small(1);
  const auto folder = support::make_folder(rig.runs_dir(), id_of(1), support::demo_spec(options));
  {
    support::LogSink sink(folder);
    messages::RankState queued;
    queued.state = messages::State::kQueued;
    sink.accept({0, kNoRank, 0, options.start_ns - kQueuedNs}, queued);
    support::play_demo(options, sink);
  }
  rig.start(id_of(1), 1);
  REQUIRE(rig.until([](const view::ScreenInput& input) { return input.live.context.now_ns > 0; }));
  const auto& context = rig.session->input().live.context;
  CHECK(context.now_ns >= options.start_ns);
  CHECK(context.replay_share < 0.5);
}
