// One run that is followed without a window: its state, pausing, replaying, and notifications.
#include "gui/session/run/live_run.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <filesystem>
#include <fstream>
#include <mutex>

#include "gui/analysis/progress.h"
#include "gui/launch/start/ask_stop.h"
#include "gui/view/live/event_strip.h"
#include "protocol/base/clock.h"
#include "tests/gui/runs/run_on_disk.h"
#include "tests/support/catch.h"
#include "tests/support/patience.h"
#include "tests/support/temp_folder.h"

using namespace ringside;
using session::LiveRun;

namespace {

constexpr const char* kLiveRunId = "20261121T100000Z-aaaaaa";
constexpr Step kLastStep = 119;

/// A run folder and the LiveRun that follows it.
struct LiveRunRig {
  explicit LiveRunRig(const support::DemoOptions& options, double replay_speed = 0,
                      bool alive = false, std::int64_t nodes = 1)
      : LiveRunRig(
            options, replay_speed, [&](const auto& runs) { return made(runs, options, alive); },
            nodes) {}
  template <class Make>
  LiveRunRig(const support::DemoOptions& options, double replay_speed, Make&& make,
             std::int64_t nodes = 1)
      : folder(make(temp.path())),
        spec(spec_of(options, nodes)),
        run({folder, 7}, spec, {replay_speed, 0, true}, [this] { wake(); }) {}

  void wake() {
    const std::lock_guard lock(mutex);
    woken = true;
    changed.notify_one();
  }
  /// Updates whenever there is something to do, until `holds` or a limit of ten seconds.
  template <class Holds>
  bool until(Holds&& holds) {
    const std::int64_t deadline_ns = mono_now_ns() + testing::kPatienceNs;
    while (mono_now_ns() < deadline_ns) {
      run.update();
      for (session::AlertFacts& one : run.take_alerts()) report.push_back(std::move(one));
      if (holds()) return true;
      std::unique_lock lock(mutex);
      changed.wait_for(lock, std::chrono::duration<double>(std::min(0.1, run.next_update_s())),
                       [this] { return woken; });
      woken = false;
    }
    return false;
  }
  bool told_end() const {
    return std::any_of(report.begin(), report.end(),
                       [](const auto& one) { return one.alert.starts_with("run_"); });
  }
  bool read() {
    return until([this] { return run.read_to_end(); });
  }
  static messages::RunSpec spec_of(const support::DemoOptions& options, std::int64_t nodes) {
    auto spec = support::demo_spec(options);
    spec.devices.nodes = nodes;
    return spec;
  }
  /// `alive`: this process counts as the agent but serves no viewers, so records come from the
  /// file.
  static runlog::RunFolder made(const std::filesystem::path& runs,
                                const support::DemoOptions& options, bool alive) {
    auto made_run = support::make_run(runs, kLiveRunId, options);
    auto agent = support::agent_endpoint_of(made_run.id(), true);
    agent.server_public_key = std::string(40, '~');
    if (alive) REQUIRE(wire::write_agent_endpoint(made_run.agent_path(), agent));
    return made_run;
  }

  TempFolder temp;
  runlog::RunFolder folder;
  messages::RunSpec spec;
  std::mutex mutex;
  std::condition_variable changed;
  bool woken = false;
  std::vector<session::AlertFacts> report;
  LiveRun run;
};

support::DemoOptions unfinished() {
  auto options = support::demo_small(2);
  options.finish = false;
  return options;
}

/// An active run on another machine, `silent_s` seconds after its last step.
runlog::RunFolder elsewhere(const std::filesystem::path& runs, const support::DemoOptions& options,
                            std::int64_t silent_s) {
  auto run = support::make_folder(runs, kLiveRunId, support::demo_spec(options));
  model::RunModel model(support::demo_spec(options));
  support::play_demo(options, model);
  support::LogSink sink(run, options.wall_ns, options.start_ns, support::kOtherBoot);
  support::play_demo(options, sink);
  for (std::int64_t s = 1; s <= silent_s; ++s)
    sink.accept(
        {0, kNoRank, 100'000 + static_cast<std::uint64_t>(s), model.last_ns() + s * 1'000'000'000},
        messages::HostSample{});
  REQUIRE(support::put_elsewhere(run));
  return run;
}

std::vector<analysis::Alert> silent_ranks(const LiveRun& run) {
  auto found = view::alerts_of(run.model(), run.context());
  std::erase_if(found, [](const analysis::Alert& alert) {
    return alert.kind != analysis::AlertKind::kRankSilent &&
           alert.kind != analysis::AlertKind::kRankHung;
  });
  return found;
}

}  // namespace

TEST_CASE("the clock of another machine is estimated from its newest record") {
  constexpr std::int64_t kDay = 86'400'000'000'000;
  for (const std::int64_t there : {90 * kDay, std::int64_t{1}}) {
    session::RemoteClock clock;
    CHECK(clock.now_ns(there, 10 * kDay) == there);
    CHECK(clock.now_ns(there, 10 * kDay + 7) == there + 7);
    // A late record does not shift the clock of later ones.
    CHECK(clock.now_ns(there + 5, 10 * kDay + 9) == there + 5);
    CHECK(clock.now_ns(there + 5, 10 * kDay + 10) == there + 6);
  }
}

TEST_CASE("a run of another machine is judged by that machine's clock") {
  constexpr std::int64_t kDay = 86'400'000'000'000;
  const bool ahead = GENERATE(true, false);
  const std::int64_t silent_s = GENERATE(0, 40);
  CAPTURE(ahead, silent_s);
  auto options = unfinished();
  options.start_ns = ahead ? mono_now_ns() + 30 * kDay : 1'000'000'000;
  LiveRunRig rig(options, 0, [&](const auto& runs) { return elsewhere(runs, options, silent_s); });
  REQUIRE(rig.until([&] { return rig.run.loaded(); }));
  const auto& context = rig.run.context();
  const auto& model = rig.run.model();
  CHECK(context.contact == view::Contact::kLive);
  CHECK(context.by_file);
  CHECK(context.now_ns >= model.last_ns());
  CHECK(context.now_ns < model.last_ns() + testing::kPatienceNs);
  const auto elapsed_s = analysis::progress(model, context.now_ns).elapsed_s;
  REQUIRE(elapsed_s);
  const auto recorded_s = static_cast<double>(model.last_ns() - options.start_ns) * 1e-9;
  CHECK(*elapsed_s > recorded_s - 1);
  CHECK(*elapsed_s < recorded_s + static_cast<double>(testing::kPatienceNs) * 1e-9);
  const auto silent = silent_ranks(rig.run);
  REQUIRE(silent.size() == (silent_s == 0 ? 0U : 2U));
  for (const auto& alert : silent) {
    CHECK(alert.seconds >= 40);
    CHECK(alert.seconds < 80);
  }
}

TEST_CASE("ranks do not become silent while no new records arrive in the file") {
  auto options = unfinished();
  options.start_ns = 1'000'000'000;
  LiveRunRig rig(options, 0, [&](const auto& runs) { return elsewhere(runs, options, 0); });
  REQUIRE(rig.until([&] { return rig.run.loaded(); }));
  view::RunContext later = rig.run.context();
  later.now_ns += 60'000'000'000;
  CHECK(view::alerts_of(rig.run.model(), later).size() ==
        view::alerts_of(rig.run.model(), rig.run.context()).size());
  later.by_file = false;
  CHECK(view::alerts_of(rig.run.model(), later).size() >
        view::alerts_of(rig.run.model(), rig.run.context()).size());
}

TEST_CASE("a finished run is read to its end, once, without notifications") {
  LiveRunRig rig(support::demo_small(2));
  REQUIRE(rig.read());
  CHECK(rig.run.over());
  CHECK(rig.run.context().contact == view::Contact::kEnded);
  CHECK(rig.run.context().number == 7);
  CHECK(rig.run.model().newest_common_step() == kLastStep);
  CHECK(rig.run.take_over());
  CHECK_FALSE(rig.run.take_over());
  CHECK(rig.until([&] { return rig.run.loaded(); }));
  CHECK(rig.report.empty());
}

TEST_CASE("a run whose second node's log is missing reports it after reading") {
  LiveRunRig rig(support::demo_small(2), 0, false, 2);
  REQUIRE(rig.read());
  CHECK(rig.run.context().missing_logs == std::vector<Node>{1});
  LiveRunRig whole(support::demo_small(2));
  REQUIRE(whole.read());
  CHECK(whole.run.context().missing_logs.empty());
}

TEST_CASE("all alerts of a run that was started here are sent, and finally its end") {
  auto options = support::demo_small(2);
  options.nan_from = 20;
  LiveRunRig rig(options);
  rig.run.watch_from_start();
  REQUIRE(rig.read());
  REQUIRE(rig.report.size() >= 2);
  CHECK(rig.report.front().alert == "loss_not_finite");
  CHECK(rig.report.front().rank == "1");
  CHECK(rig.report.back().alert == "run_finished");
  CHECK(rig.report.back().run_folder == rig.folder.path().string());
  const std::size_t told = rig.report.size();
  rig.run.update();
  CHECK(rig.run.take_alerts().empty());
  CHECK(rig.report.size() == told);
}

TEST_CASE("alerts of earlier attempts of a resumed run are not sent") {
  auto options = support::demo_small(2);
  options.nan_from = 20;
  LiveRunRig rig(options);
  SECTION("before the watched attempt has begun") {
    rig.run.watch_from_start(1);
    REQUIRE(rig.read());
    REQUIRE(rig.report.size() == 1);
    CHECK(rig.report.front().alert == "run_finished");
  }
  SECTION("after the watched attempt has begun") {
    options.resume_from = 60;
    options.resume_to = 100;
    LiveRunRig resumed(options);
    resumed.run.watch_from_start(1);
    REQUIRE(resumed.read());
    REQUIRE(resumed.report.size() == 2);
    CHECK(resumed.report.front().alert == "restarted");
    CHECK(resumed.report.back().alert == "run_finished");
  }
}

TEST_CASE("contact to a run that may be active is lost as soon as its machine cannot be reached") {
  LiveRunRig goes_on(unfinished(), 0, true);
  REQUIRE(goes_on.until([&] { return goes_on.run.loaded(); }));
  goes_on.run.set_machine("ssh://box");
  const std::uint64_t before = goes_on.run.number_revision();
  goes_on.run.set_cut_since(1);
  goes_on.run.update();
  CHECK(goes_on.run.context().contact == view::Contact::kLost);
  CHECK(goes_on.run.number_revision() > before);
  for (const bool finish : {true, false}) {
    auto options = support::demo_small(2);
    options.finish = finish;
    LiveRunRig over(options);
    REQUIRE(over.read());
    over.run.set_cut_since(1);
    over.run.update();
    CHECK(over.run.over());
  }
}

TEST_CASE("alerts of a disabled rule are not sent") {
  auto options = support::demo_small(2);
  options.nan_from = 20;
  LiveRunRig rig(options);
  rig.run.watch_from_start();
  rig.run.set_rules_off(analysis::RuleSet().set());
  REQUIRE(rig.read());
  REQUIRE(rig.report.size() == 1);
  CHECK(rig.report.front().alert == "run_finished");
}

TEST_CASE("a run is interrupted if its agent is gone and recorded no end") {
  LiveRunRig rig(unfinished());
  rig.run.watch_from_start();
  REQUIRE(rig.read());
  CHECK(rig.run.context().contact == view::Contact::kInterrupted);
  CHECK_FALSE(rig.run.context().ours);
  REQUIRE_FALSE(rig.report.empty());
  CHECK(rig.report.back().alert == "run_interrupted");
  const auto asked = launch::ask_stop(rig.folder, wire::StopMode::kGraceful);
  REQUIRE_FALSE(asked);
  CHECK(asked.error().message.find(kLiveRunId) != std::string::npos);
}

TEST_CASE("the end of an older attempt is not sent while an agent works on the run") {
  LiveRunRig rig(support::demo_small(2), 0, true);
  rig.run.watch_from_start();
  REQUIRE(rig.until([&] { return rig.run.over() && rig.run.loaded(); }));
  CHECK(rig.run.context().ours);
  CHECK_FALSE(rig.run.read_to_end());
  CHECK_FALSE(rig.told_end());
  std::filesystem::remove(rig.folder.agent_path());
  REQUIRE(rig.read());
  CHECK(rig.told_end());
}

TEST_CASE("while the display is paused no record is taken, and none is lost") {
  LiveRunRig rig(support::demo_small(2));
  rig.run.pause(true);
  REQUIRE(rig.until([&] { return rig.run.context().waiting > 100; }));
  CHECK(rig.run.model().newest_common_step() == -1);
  CHECK_FALSE(rig.run.over());
  CHECK(rig.run.context().held());
  const auto numbers = rig.run.number_revision();
  const auto behind = rig.run.context().behind_ns;
  REQUIRE(rig.until([&] { return rig.run.number_revision() > numbers; }));
  CHECK(rig.run.context().behind_ns > behind);
  rig.run.pause(false);
  REQUIRE(rig.read());
  CHECK(rig.run.context().behind_ns == 0);
  CHECK(rig.run.context().waiting == 0);
  CHECK(rig.run.model().newest_common_step() == kLastStep);
}

TEST_CASE("a replay can seek back and forth to any time, and sends no notification") {
  LiveRunRig rig(support::demo_small(2), 0.1);
  rig.run.watch_from_start();
  REQUIRE(rig.until([&] {
    return rig.run.context().contact == view::Contact::kReplay && rig.run.model().revision() > 0;
  }));
  CHECK(rig.run.model().newest_common_step() < kLastStep);
  rig.run.set_replay_speed(1000);
  rig.run.seek(1);
  REQUIRE(rig.until([&] { return rig.run.over(); }));
  CHECK(rig.run.model().newest_common_step() == kLastStep);
  const auto revision = rig.run.chart_revision();
  rig.run.pause(true);
  rig.run.seek(0);
  CHECK(rig.run.model().newest_common_step() == -1);
  CHECK(rig.run.chart_revision() > revision);
  rig.run.pause(false);
  REQUIRE(rig.until([&] { return rig.run.over(); }));
  CHECK(rig.run.model().newest_common_step() == kLastStep);
  CHECK_FALSE(rig.told_end());
}

TEST_CASE("dismissed alerts are remembered, and the output of the ranks is read too") {
  auto options = support::demo_small(2);
  options.nan_from = 20;
  LiveRunRig rig(options);
  const auto rank = rig.folder.rank_dir(0, 0);
  std::filesystem::create_directories(rank);
  std::ofstream(rank / "stdout") << "hello from 0\n";
  REQUIRE(rig.until([&] { return rig.run.read_to_end() && !rig.run.texts().empty(); }));
  CHECK(rig.run.texts().front().bytes == "hello from 0\n");
  CHECK(rig.run.context().dismissed.empty());
  const auto numbers = rig.run.number_revision();
  rig.run.dismiss_alerts();
  CHECK_FALSE(rig.run.context().dismissed.empty());
  CHECK(rig.run.number_revision() > numbers);
}
