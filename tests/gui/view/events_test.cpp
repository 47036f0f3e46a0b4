#include "gui/view/live/event_strip.h"

#include <algorithm>

#include "gui/analysis/step_parts.h"
#include "gui/view/number_format.h"
#include "tests/gui/analysis/made_run.h"
#include "tests/gui/view/demo_models.h"
#include "tests/support/catch.h"
#include "tests/support/failed_run.h"

using namespace ringside;
using namespace ringside::view;
using analysis::Alert;
using analysis::AlertKind;
using support::MadeRun;
using support::model_of;

namespace {

std::string words(AlertKind kind, Rank rank, const model::RunModel& model, void (*fill)(Alert&)) {
  Alert alert;
  alert.kind = kind;
  alert.rank = rank;
  fill(alert);
  return plain(event_view(alert, model, nullptr).main);
}

}  // namespace

TEST_CASE("The late rank is named with how often it is late, how much, why, and what that costs") {
  const auto model = model_of(support::demo_run());
  const auto baseline = model_of(support::demo_baseline());
  const EventStripView strip =
      build_event_strip(model, support::live_context(model), support::baseline_context(baseline));
  CHECK(plain(strip.first.main) ==
        "Rank 2 arrived last in 87 % of the last 200 steps, by 6.8 ms, while loading data.");
  CHECK(plain(strip.first.aside) ==
        "The others wait 6.2 ms per step; without that the speedup would be 3.65×.");
  CHECK(strip.first.rank == 2);
  CHECK(strip.first.tone == Tone::kWarning);
  CHECK(strip.first.shape == Shape::kWarningTriangle);
  CHECK(strip.count == plural(static_cast<std::int64_t>(strip.moments.size()), "event", "events"));
  CHECK(strip.moments.front().text == plain(strip.first.main));
  CHECK(strip.can_show);
}

TEST_CASE("Without a baseline no cost is stated") {
  const auto model = model_of(support::demo_run());
  const EventStripView strip = build_event_strip(model, support::live_context(model), {});
  CHECK(plain(strip.first.aside) == "The others wait 6.2 ms per step.");
}

TEST_CASE("A run whose agent cannot be reached is not shown as healthy") {
  support::DemoOptions options = support::demo_small(4);
  options.late_rank = kNoRank;
  const auto model = model_of(options);
  for (const Contact contact : {Contact::kLost, Contact::kInterrupted}) {
    RunContext context = support::live_context(model);
    context.contact = contact;
    const EventView event = build_event_strip(model, context, {}).first;
    CHECK(event.tone == Tone::kWarning);
    CHECK(event.shape == Shape::kWarningTriangle);
    CHECK(plain(event.main)
              .starts_with(contact == Contact::kLost ? label::kAgentSilent : label::kAgentGone));
    CHECK(plain(event.main).find("at step 120.") != std::string::npos);
  }
}

TEST_CASE("For a run on a machine that cannot be reached nothing is stated about its agent") {
  const auto model = model_of(support::demo_small(2));
  RunContext context = support::live_context(model);
  context.contact = Contact::kLost;
  context.machine = "ssh://box";
  CHECK(plain(build_event_strip(model, context, {}).first.main) ==
        "Lost contact with ssh://box; the run may well go on there. The data ends at step 120.");
  context.cut_wall_ns = 1'795'000'000'000'000'000;
  CHECK(plain(build_event_strip(model, context, {}).first.main)
            .starts_with("Lost contact with ssh://box since " +
                         wall_clock_text(context.cut_wall_ns).substr(0, 8) + "; "));
}

TEST_CASE("If nothing is wrong the strip says how well the ranks keep pace") {
  support::DemoOptions options = support::demo_small(4);
  options.late_rank = kNoRank;
  const auto model = model_of(options);
  const EventStripView strip = build_event_strip(model, support::ended_context(model), {});
  CHECK(plain(strip.first.main).starts_with("All 4 ranks keep pace"));
  CHECK(strip.first.tone == Tone::kOk);
  CHECK(strip.first.shape == Shape::kTick);
  CHECK_FALSE(strip.can_show);
  const auto one = model_of(support::demo_small(1));
  CHECK(plain(build_event_strip(one, support::ended_context(one), {}).first.main) ==
        "No warnings. 120 steps done.");
}

TEST_CASE("Waits between nodes whose clocks are not known are not stated") {
  model::RunModel model;
  for (Rank rank = 0; rank < 2; ++rank) {
    messages::RankHello hello;
    hello.world_size = 2;
    model.accept({rank, rank, 0, 1}, hello);
    for (Step step = 0; step < 60; ++step) {
      const std::int64_t end = (step + 1) * 10'000'000 + rank * 3'600'000'000'000;
      model.accept({rank, rank, 0, end}, messages::BucketReport{0, step, 0, 8, end - 200'000, end});
      messages::StepReport report;
      report.step = step;
      report.step_ns = 10'000'000;
      report.backward_ns = 9'800'000;
      report.exposed_comm_ns = 200'000;
      model.accept({rank, rank, 0, end}, report);
    }
  }
  const EventView event = build_event_strip(model, support::live_context(model), {}).first;
  CHECK(plain(event.main) == "No warnings. 60 steps done.");
  CHECK(plain(event.aside).find("not known yet") != std::string::npos);
}

TEST_CASE("The part in which every rank loses most is named instead of praise") {
  support::DemoOptions options = support::demo_small(4);
  options.late_rank = kNoRank;
  options.compute_ms = 4;  // so that communication is a large share
  const auto model = model_of(options);
  const auto parts = analysis::mean_of(analysis::step_parts(model, analysis::recent_steps(model)));
  REQUIRE(parts.mean_ns(analysis::Part::kAllReduce) > 0.1 * parts.mean_step_ns());
  const EventView event = build_event_strip(model, support::ended_context(model), {}).first;
  CHECK(plain(event.main) == label::kNotOverlapped +
                                 ms_text(parts.mean_ns(analysis::Part::kAllReduce)) + " of " +
                                 ms_text(parts.mean_step_ns()) + " per step.");
  CHECK(event.tone == Tone::kInfo);
}

TEST_CASE("Before the first step the strip says that the step is awaited") {
  const model::RunModel model(support::demo_spec(support::demo_run()));
  const EventStripView strip = build_event_strip(model, support::live_context(model), {});
  CHECK(plain(strip.first.main) == label::kWaitingForFirstStep);
  CHECK(plain(build_event_strip(model, support::ended_context(model), {}).first.main) ==
        label::kNoSteps);
}

TEST_CASE("A killed rank is in the strip, in the tone of errors") {
  support::DemoOptions options = support::demo_small(4);
  options.finish = false;
  options.killed_rank = 3;
  const auto model = model_of(options);
  const EventStripView strip = build_event_strip(model, support::ended_context(model), {});
  CHECK(plain(strip.first.main) ==
        "Rank 3 was killed (SIGKILL) after step 120; likely host memory, 62.8 of 64.0 GiB used.");
  CHECK(strip.first.tone == Tone::kError);
  CHECK(strip.first.shape == Shape::kCross);
  CHECK(strip.more.size() == 1);
  const auto told = std::count_if(strip.moments.begin(), strip.moments.end(), [](const auto& one) {
    return one.text.find("SIGKILL") != std::string::npos && one.rank == 3;
  });
  CHECK(told == 1);
}

TEST_CASE("A lost node is in the strip, and not the ranks that failed because of it") {
  model::RunModel model;
  support::FailedRun run(model);
  run.fail({0, 1});
  run.end(support::kNodeGone);
  run.say(0, messages::HostSample{});  // the agent's last sample: not the time of the failure
  const EventStripView strip = build_event_strip(model, support::ended_context(model), {});
  const std::string words = "The run failed: " + std::string(support::kNodeGone) + ".";
  CHECK(plain(strip.first.main) == words);
  CHECK(strip.first.tone == Tone::kError);
  CHECK(strip.first.rank == kNoRank);
  REQUIRE(strip.more.size() == 2);
  CHECK(strip.more[0].rank == 0);
  const auto told = std::count_if(strip.moments.begin(), strip.moments.end(), [](const auto& one) {
    return one.text.find("no message came") != std::string::npos;
  });
  CHECK(told == 1);
}

TEST_CASE(
    "Ranks that entered different collectives are reported with operation, number and group") {
  MadeRun run(4);
  for (Rank rank = 0; rank < 4; ++rank) {
    run.say(rank, 0, messages::GroupReport{0, "0", "dp_shard", "", "gloo", {0, 1, 2, 3}});
    messages::CollectiveReport body;
    body.operation = rank == 2 ? 1 : 2;
    body.number = 41;
    run.say(rank, 1, body);
  }
  const auto& model = run.model();
  const auto found = analysis::alerts(model, model.last_ns(), {});
  REQUIRE(!found.empty());
  CHECK(plain(event_view(found.front(), model, nullptr).main) ==
        "Rank 2 entered all-gather 41 of dp_shard where the others entered reduce-scatter 41.");
  Alert two = found.front();
  two.mismatch.entered = {{messages::Collective::kAllGather, {0}},
                          {messages::Collective::kReduceScatter, {1}}};
  two.mismatch.majority = false;
  CHECK(plain(event_view(two, model, nullptr).main) ==
        "Rank 0 entered all-gather 41 of dp_shard and rank 1 entered reduce-scatter 41; which of "
        "them is right is not known.");
}

TEST_CASE("Every other alert has its sentence") {
  const auto model = model_of(support::demo_small(4));
  CHECK(words(AlertKind::kLossNotFinite, 1, model, [](Alert& a) {
          a.step = 99;
          a.count = 3;
        }) == "The loss of rank 1 has been NaN or Inf since step 100, in 3 steps.");
  CHECK(words(AlertKind::kRankHung, 2, model,
              [](Alert& a) {
                a.seconds = 14;
                a.step = 9;
                a.text = "all_reduce";
              }) ==
        "Rank 2 has not finished a step for 14 s; its last one was 10; last collective: "
        "all_reduce; the others are ahead and wait for it.");
  CHECK(words(AlertKind::kRankHung, 1, model,
              [](Alert& a) {
                a.seconds = 14;
                a.step = 9;
                a.text = "bucket 1, number 8";
                a.awaited = "bucket 0, number 9";
              }) ==
        "Rank 1 has not finished a step for 14 s; its last one was 10; it has not entered bucket "
        "0, number 9, in which the others wait for it.");
  CHECK(words(AlertKind::kRankSilent, 0, model, [](Alert& a) { a.seconds = 200; }) ==
        "Rank 0 has not finished a step for 3 min.");
  CHECK(words(AlertKind::kLogLate, kNoRank, model,
              [](Alert& a) {
                a.node = 1;
                a.seconds = 200;
              }) ==
        "The newest record of node 1 is 3 min older than that of the run; what its ranks do now is "
        "not known.");
  CHECK(words(AlertKind::kRecordsLost, 0, model, [](Alert& a) { a.count = 1; }) ==
        "1 record of rank 0 was lost in transit; training was not affected.");
  CHECK(words(AlertKind::kRefusedRecords, kNoRank, model, [](Alert& a) { a.count = 2; }) ==
        "2 records were not valid and skipped.");
  CHECK(words(AlertKind::kRefusedRecords, kNoRank, model,
              [](Alert& a) {
                a.count = 983'616;
                a.code = analysis::kTooManyNames;
              }) ==
        "983,616 values of names beyond those that are kept are not shown; the CSV has all of "
        "them.");
  CHECK(words(AlertKind::kRestarted, 1, model, [](Alert& a) {
          a.count = 2;
          a.step = 79;
        }) == "Rank 1 was restarted 2 times, now from step 80.");
  CHECK(words(AlertKind::kRestarted, kNoRank, model, [](Alert& a) {
          a.count = 1;
          a.step = 79;
        }) == "The run was resumed 1 time, now from step 80.");
  CHECK(words(AlertKind::kRunFailed, kNoRank, model, [](Alert& a) {
          a.text = "rendezvous timed out";
        }) == "The run failed: rendezvous timed out.");
  CHECK(words(AlertKind::kDidNotDie, 3, model, [](Alert&) {}) ==
        "Rank 3 did not exit after it was asked to stop.");
  CHECK(words(AlertKind::kNotice, 3, model, [](Alert& a) { a.text = "disk nearly full"; }) ==
        "Rank 3: disk nearly full");
  CHECK(words(AlertKind::kNotice, kNoRank, model, [](Alert& a) { a.text = "disk full"; }) ==
        "disk full");
}

TEST_CASE("The sentence about a process says how it ended") {
  CHECK(ending_text(3, -1) == "ended with exit code 3");
  CHECK(ending_text(-1, 9) == "was killed (SIGKILL)");
  CHECK(ending_text(-1, 11) == "was terminated by SIGSEGV");
  CHECK(ending_text(-1, 63) == "was terminated by signal 63");
  CHECK(ending_text(-1, -1) == "failed");
}

TEST_CASE("The agent's sentence is not repeated") {
  CHECK(failure_reason(
            "rank 3: killed by SIGKILL after step 9, last collective all_reduce: out of memory",
            3) == "out of memory");
  CHECK(failure_reason("rank 3: exit code 1 after step 9", 3).empty());
  CHECK(failure_reason("likely host memory", 3) == "likely host memory");
  const auto model = model_of(support::demo_small(4));
  CHECK(words(AlertKind::kRankFailed, 3, model, [](Alert& a) {
          a.exit_code = 1;
          a.step = 9;
          a.text = "rank 3: exit code 1 after step 9: disk full.";
        }) == "Rank 3 ended with exit code 1 after step 10; disk full.");
}

TEST_CASE("Moments are listed newest first, each with its step") {
  support::DemoOptions options = support::demo_run();
  options.steps = 98 * 3 + 10;
  const auto model = model_of(options);
  const EventStripView strip = build_event_strip(model, support::live_context(model), {});
  REQUIRE(strip.moments.size() >= 6);  // epochs, checkpoints, states
  const auto epoch = std::find_if(
      strip.moments.begin(), strip.moments.end(),
      [](const MomentView& moment) { return moment.text.starts_with("epoch 3 done"); });
  REQUIRE(epoch != strip.moments.end());
  CHECK(epoch->step == Approx(98 * 3).margin(12));
  const auto first = std::find_if(
      strip.moments.begin(), strip.moments.end(),
      [](const MomentView& moment) { return moment.text.starts_with("epoch 1 done"); });
  CHECK(first > epoch);
  CHECK(strip.moments.back().step == -1);  // before training began
}

TEST_CASE("An open alert stays in the list however many moments follow") {
  support::DemoOptions options = support::demo_small(4);
  options.nan_from = 60;
  auto model = model_of(options);
  const std::int64_t now = model.last_ns();
  for (std::uint64_t i = 0; i < kMostMoments + 50; ++i) {
    messages::Notice notice;
    notice.code = "told";
    notice.text = "told " + count_text(static_cast<std::int64_t>(i));
    model.accept({0, kNoRank, 100'000 + i, now + static_cast<std::int64_t>(i)}, notice);
  }
  const EventStripView strip = build_event_strip(model, support::ended_context(model), {});
  CHECK(strip.moments.size() > kMostMoments);
  CHECK(std::any_of(strip.moments.begin(), strip.moments.end(), [](const MomentView& one) {
    return one.text.starts_with("The loss of rank 1 has been NaN");
  }));
}

TEST_CASE("One list has all moments, including a NaN, and equal ones are merged") {
  support::DemoOptions options = support::demo_small(4);
  options.nan_from = 60;
  auto model = model_of(options);
  messages::Notice notice;
  notice.severity = messages::Severity::kWarning;
  notice.code = "slow_choice";
  notice.text = "the batch is small";
  for (Rank rank = 0; rank < 3; ++rank)
    model.accept({0, rank, 100'000, model.last_ns() + 1}, notice);
  const EventStripView strip = build_event_strip(model, support::ended_context(model), {});
  CHECK(strip.count == count_text(static_cast<std::int64_t>(strip.moments.size())) + " events");
  const auto of = [&strip](const std::string& begin) {
    return std::find_if(strip.moments.begin(), strip.moments.end(),
                        [&](const MomentView& one) { return one.text.starts_with(begin); });
  };
  const auto broken = of("The loss of rank 1 has been NaN");
  REQUIRE(broken != strip.moments.end());
  CHECK(broken->tone == Tone::kError);
  CHECK(broken->step == 60);
  CHECK(broken > of("epoch 3 done"));
  CHECK(broken < of("epoch 1 done"));
  for (std::size_t i = 1; i < strip.moments.size(); ++i)
    CHECK(strip.moments[i - 1].text != strip.moments[i].text);
}

TEST_CASE("States that recur in every epoch are lines of the log, not events") {
  model::RunModel model;
  std::uint64_t seq = 0;
  const auto say = [&](messages::State state) {
    messages::RankState said;
    said.state = state;
    said.about = kNoRank;
    model.accept({0, kNoRank, seq, 1'000'000'000 + static_cast<std::int64_t>(seq)}, said);
    ++seq;
  };
  using messages::State;
  for (const State state :
       {State::kStarting, State::kTraining, State::kEvaluating, State::kSaving, State::kTraining,
        State::kEvaluating, State::kTraining, State::kFinished})
    say(state);
  const EventStripView strip = build_event_strip(model, support::ended_context(model), {});
  std::vector<std::string> told;
  for (const MomentView& moment : strip.moments) told.push_back(moment.text);
  CHECK(told == std::vector<std::string>{"run: Finished", "run: Training", "run: Starting"});
}

TEST_CASE("Every rule of alerts has its description") {
  const auto model = model_of(support::demo_small(4));
  CHECK(words(AlertKind::kDiverged, kNoRank, model, [](Alert& a) {
          a.change = {0.412, 2.3011, 1199};
        }) == "The loss has risen to 2.301 from 0.412 at step 1,200.");
  CHECK(words(AlertKind::kSlowSteps, kNoRank, model, [](Alert& a) {
          a.change = {91.6e6, 230e6, 20};
        }) == "A step takes 230.0 ms, 2.5 times the 91.6 ms of the first steps.");
  CHECK(words(AlertKind::kSlowedDevice, 2, model, [](Alert& a) {
          a.seconds = 35;
          a.slowed_by = 0x40;
        }) == "The GPU of rank 2 has been throttled for 35 s: hardware thermal.");
  CHECK(words(AlertKind::kDiskLow, kNoRank, model, [](Alert& a) {
          a.disk = {0, std::int64_t{600} << 20, std::int64_t{1} << 30};
        }) == "0.6 GiB are free on the disk of the run.");
  CHECK(words(AlertKind::kLogProblem, kNoRank, model, [](Alert& a) {
          a.text = "No space left on device";
        }) == "The log cannot be written: No space left on device.");
  CHECK(words(AlertKind::kLossNotFinite, kNoRank, model, [](Alert& a) {
          a.step = 9;
          a.count = 1;
        }) == "The loss has been NaN or Inf since step 10, in 1 step.");
  CHECK(words(AlertKind::kLossNotFinite, 1, model,
              [](Alert& a) {
                a.step = 9;
                a.count = 2;
                a.broken.ranks = {1, 3};
              }) ==
        "The loss of rank 1 and of 1 other rank has been NaN or Inf since step 10, in 2 steps.");
}

TEST_CASE("A broken loss names its origin, or says why it is unknown") {
  const auto model = model_of(support::demo_small(4));
  const auto aside = [&](analysis::NoOrigin why) {
    Alert alert;
    alert.kind = AlertKind::kLossNotFinite;
    alert.broken.no_origin = why;
    return plain(event_view(alert, model, nullptr).aside);
  };
  CHECK(aside(analysis::NoOrigin::kNone).starts_with("It started there"));
  CHECK(aside(analysis::NoOrigin::kOnlyRank).empty());
  for (const auto why : {analysis::NoOrigin::kAllAtOnce, analysis::NoOrigin::kGradient,
                         analysis::NoOrigin::kNotHeard})
    CHECK(aside(why).starts_with("Origin unknown"));
}

TEST_CASE("A gradient that was NaN or Inf before the all-reduce is named as the origin") {
  const auto model = model_of(support::demo_small(4));
  Alert alert;
  alert.kind = AlertKind::kLossNotFinite;
  alert.rank = 1;
  alert.gradient = {40, {1}, true};
  const auto main = [&] { return plain(event_view(alert, model, nullptr).main); };
  const auto aside = [&] { return plain(event_view(alert, model, nullptr).aside); };
  CHECK(main() == "The gradient of rank 1 was NaN or Inf in step 41, before the all-reduce.");
  CHECK(aside() == "It started there; the gradients of the other ranks were finite.");
  alert.broken.step = 41;
  alert.gradient.ranks = {0, 2, 3};
  CHECK(main() ==
        "The gradient of ranks 0, 2 and 3 was NaN or Inf in step 41, before the all-reduce; the "
        "loss followed in step 42.");
  alert.gradient.ranks = {0, 1, 2, 3};
  CHECK(main().starts_with("The gradient of every rank was"));
  CHECK(aside().starts_with("All at once"));
  alert.gradient.all_heard = false;
  CHECK(aside().starts_with("Not every rank"));
}

TEST_CASE("A log that cannot be written is in the strip, before a late rank") {
  const auto model = model_of(support::demo_run());
  RunContext context = support::live_context(model);
  context.log_problem = "cannot write node_0.log: No space left on device";
  const EventStripView strip = build_event_strip(model, context, {});
  CHECK(plain(strip.first.main) ==
        "The log cannot be written: cannot write node_0.log: No space left on device.");
  CHECK(plain(strip.first.aside).starts_with("Training continues"));
  CHECK(strip.first.tone == Tone::kError);
  CHECK(strip.more.size() == 1);
  CHECK(strip.can_dismiss);
  context.log_problem.clear();
  CHECK(build_event_strip(model, context, {}).first.tone == Tone::kWarning);
}

TEST_CASE("Dismissed alerts leave the strip until another alert comes") {
  const auto model = model_of(support::demo_run());
  RunContext context = support::live_context(model);
  for (const Alert& alert : alerts_of(model, context))
    context.dismissed.push_back(analysis::key_of(alert));
  REQUIRE(context.dismissed.size() == 1);
  const EventStripView away = build_event_strip(model, context, {});
  CHECK(plain(away.first.main) == "Nothing new. 1 alert was dismissed.");
  CHECK(away.first.tone == Tone::kDim);
  CHECK_FALSE(away.can_dismiss);
  CHECK_FALSE(away.can_show);
  REQUIRE(away.more.size() == 1);
  CHECK(away.more[0].dismissed);
  CHECK(away.moments.front().text.starts_with("Rank 2 arrived last"));
  CHECK(away.moments.front().tone == Tone::kDim);
  context.log_problem = "disk full";
  const EventStripView again = build_event_strip(model, context, {});
  CHECK(plain(again.first.main) == "The log cannot be written: disk full.");
  CHECK(again.can_dismiss);
  CHECK(again.more.size() == 1);
  context.log_problem.clear();
  context.rules_off.set(static_cast<std::size_t>(analysis::AlertRule::kLateRank));
  CHECK(plain(build_event_strip(model, context, {}).first.main).starts_with("All 4 ranks"));
}

TEST_CASE("An agent that is gone is reported before a warning and after an error") {
  const auto model = model_of(support::demo_run());
  RunContext context = support::live_context(model);
  context.contact = Contact::kInterrupted;
  const EventStripView strip = build_event_strip(model, context, {});
  CHECK(plain(strip.first.main).starts_with(label::kAgentGone));
  REQUIRE(strip.more.size() == 1);
  CHECK(plain(strip.more[0].main).starts_with("Rank 2 arrived last"));
  support::DemoOptions options = support::demo_run();
  options.nan_from = 200;
  const auto broken = model_of(options);
  context.now_ns = broken.last_ns();
  CHECK(plain(build_event_strip(broken, context, {}).first.main).starts_with("The loss of rank 1"));
}

TEST_CASE("A run that cannot be read further says so before everything else") {
  const auto model = model_of(support::demo_run());
  RunContext context = support::live_context(model);
  context.unreadable = "the log is of version 9, this program reads up to 1.";
  const EventStripView strip = build_event_strip(model, context, {});
  CHECK(plain(strip.first.main) ==
        std::string(label::kUnreadable) + ": the log is of version 9, this program reads up to 1.");
  CHECK(strip.first.tone == Tone::kError);
  CHECK(strip.more.size() == 1);
}
