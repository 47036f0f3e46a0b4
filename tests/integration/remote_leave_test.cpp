// Leaving a machine while ssh is running: another one is chosen, or the window closes.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>

#include "gui/runs/trash.h"
#include "gui/session/machines/machine_controller.h"
#include "protocol/base/clock.h"
#include "tests/gui/runs/run_on_disk.h"
#include "tests/integration/agent/agent_rig.h"
#include "tests/integration/remote_rig.h"
#include "tests/support/catch.h"

using namespace ringside;
using namespace ringside::testing;

namespace {

// Limit of the time that leaving may take: an ssh that does not end is killed after two seconds,
// for which the window must not block.
constexpr double kWaitedMs = 1000;

/// The window's objects for a machine; their destruction is timed.
struct Shown {
  explicit Shown(const RemoteRig& there)
      : jobs([] {}),
        machine(session::other_machine(kMachine, there.rig.runs().string()).value(), jobs, line,
                [] {}) {}
  session::MessageLine line;
  session::Jobs jobs;
  session::MachineController machine;
};

double left_in_ms(std::unique_ptr<Shown> shown) {
  const std::int64_t begun_ns = mono_now_ns();
  shown.reset();
  return static_cast<double>(mono_now_ns() - begun_ns) / 1e6;
}

}  // namespace

TEST_CASE("a machine whose ssh hangs is left without waiting, and nothing stays behind") {
  const RemoteRig there;
  const std::string ssh = (there.rig.path() / "ssh").string();
  // This ssh ends neither with its input nor by a signal that it can ignore.
  there.ssh_does("trap '' HUP TERM; exec tail -f " + ssh + " >/dev/null");
  double fastest_ms = 1e9;
  // In any single try another process may take the processor.
  for (std::size_t i = 1; i <= 3; ++i) {
    auto shown = std::make_unique<Shown>(there);
    REQUIRE(wait_until(20, [&] { return there.calls().size() == i; }));
    CHECK(shown->machine.facts().contact == view::MachineContact::kConnecting);
    fastest_ms = std::min(fastest_ms, left_in_ms(std::move(shown)));
  }
  CHECK(fastest_ms < kWaitedMs);
  CHECK(wait_until(20, [&] { return processes_with(ssh).empty(); }));
}

TEST_CASE("a machine that greeted and then hangs is also left without waiting") {
  const RemoteRig there;
  const std::string ssh = (there.rig.path() / "ssh").string();
  there.ssh_does("printf '\\nringside serve-stdio\\n'; trap '' HUP TERM; exec tail -f " + ssh +
                 " >/dev/null");
  double fastest_ms = 1e9;
  for (std::size_t i = 1; i <= 3; ++i) {
    auto shown = std::make_unique<Shown>(there);
    REQUIRE(wait_until(20, [&] { return there.calls().size() == i; }));
    fastest_ms = std::min(fastest_ms, left_in_ms(std::move(shown)));
  }
  CHECK(fastest_ms < kWaitedMs);
  CHECK(wait_until(20, [&] { return processes_with(ssh).empty(); }));
}

TEST_CASE("a command that was given before the window closed still reaches the machine") {
  constexpr const char* kId = "20261121T100000Z-aaaaaa";
  const RemoteRig there;
  const auto run = support::make_run(there.rig.runs(), kId, support::demo_small(1));
  const std::string gate = (there.rig.path() / "gate").string();
  there.ssh_does("while [ ! -e " + gate + " ]; do sleep 0.05; done");
  auto shown = std::make_unique<Shown>(there);
  shown->machine.command(std::get<session::RemoteCommand>(session::elsewhere(view::TrashRun{kId})));
  REQUIRE(wait_until(20, [&] { return there.calls().size() == 2; }));
  (void)left_in_ms(std::move(shown));
  std::ofstream{gate};
  CHECK(wait_until(20, [&] { return !std::filesystem::exists(run.path()); }));
}

TEST_CASE("a run deleted on another machine can be restored there") {
  constexpr const char* kId = "20261121T100000Z-aaaaaa";
  const RemoteRig there;
  const auto run = support::make_run(there.rig.runs(), kId, support::demo_small(1));
  Shown shown(there);
  shown.machine.command(std::get<session::RemoteCommand>(session::elsewhere(view::TrashRun{kId})));
  const auto told = [&](const std::string& text) {
    return wait_until(20, [&] {
      shown.jobs.finish();
      return shown.line.shown().text.find(text) != std::string::npos;
    });
  };
  REQUIRE(told("was deleted on ssh://me@box:2222"));
  CHECK_FALSE(std::filesystem::exists(run.path()));
  CHECK(view::as<view::UndoTrash>(shown.line.shown().command.value()));
  shown.machine.undo();
  REQUIRE(told("was restored on"));
  CHECK(std::filesystem::exists(run.path()));
  // The machine's own message is shown if it refuses.
  shown.machine.command(
      std::get<session::RemoteCommand>(session::elsewhere(view::StopStudy{"S-07"})));
  CHECK(told("there is no study"));
}

TEST_CASE("a run that could not be restored can be tried again, and does not block others") {
  constexpr const char* kFirst = "20261121T100000Z-aaaaaa";
  constexpr const char* kLast = "20261121T110000Z-bbbbbb";
  const RemoteRig there;
  const auto first = support::make_run(there.rig.runs(), kFirst, support::demo_small(1));
  const auto last = support::make_run(there.rig.runs(), kLast, support::demo_small(1));
  Shown shown(there);
  const auto told = [&](const std::string& text) {
    return wait_until(20, [&] {
      shown.jobs.finish();
      return shown.line.shown().text.find(text) != std::string::npos;
    });
  };
  for (const char* id : {kFirst, kLast}) {
    shown.machine.command(std::get<session::RemoteCommand>(session::elsewhere(view::TrashRun{id})));
    REQUIRE(told(std::string(id) + " was deleted"));
  }
  there.ssh_does("echo ssh: Connection refused >&2; exit 255");
  shown.machine.undo();
  REQUIRE(told("Not undone: ssh://me@box:2222 refused the connection"));
  CHECK(shown.line.shown().tone == view::Tone::kError);
  CHECK(view::as<view::UndoTrash>(shown.line.shown().command.value()));
  there.ssh_does("");
  shown.machine.undo();
  REQUIRE(told(std::string(kLast) + " was restored"));
  CHECK(std::filesystem::exists(last.path()));
  // Somebody else has restored this run: the other one is next, and this one stays in the list.
  shown.machine.command(
      std::get<session::RemoteCommand>(session::elsewhere(view::TrashRun{kLast})));
  REQUIRE(told(std::string(kLast) + " was deleted"));
  REQUIRE(runs::take_from_trash(there.rig.runs(), kLast));
  shown.machine.undo();
  REQUIRE(told("Not undone: no deleted run"));
  CHECK_FALSE(shown.line.shown().command);
  shown.machine.undo();
  REQUIRE(told(std::string(kFirst) + " was restored"));
  CHECK(std::filesystem::exists(first.path()));
  shown.machine.undo();
  CHECK(told("Not undone: there are no deleted runs"));
}
