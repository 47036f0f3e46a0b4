// Top bar, speedup card, step bars and status bar of a run, word for word; and their empty states.
#include <memory>

#include "gui/launch/preset_file.h"
#include "gui/model/rank_model.h"
#include "gui/view/live/run_charts.h"
#include "gui/view/live/speedup_view.h"
#include "gui/view/live/step_bars.h"
#include "gui/view/log_damage.h"
#include "gui/view/number_format.h"
#include "gui/view/window/status_bar.h"
#include "gui/view/window/stop_question.h"
#include "gui/view/window/top_bar.h"
#include "protocol/messages/notice_codes.h"
#include "tests/gui/view/demo_models.h"
#include "tests/support/catch.h"

using namespace ringside;
using namespace ringside::view;
using support::model_of;

TEST_CASE("The top bar shows the run, its state and its progress") {
  const auto model = model_of(support::demo_run());
  const TopBarView bar = build_top_bar(&model, support::live_context(model), {});
  CHECK(bar.has_run);
  CHECK(bar.number == "#1042");
  CHECK(bar.title == "resnet50 · cifar10 · 4 GPUs");
  CHECK(bar.subtitle == "128 per GPU × 4 = 512 global · DDP · NCCL · fp32, TF32 convolutions");
  CHECK(bar.state == state_view(messages::State::kTraining));
  CHECK(plain(bar.epoch) == "Epoch 47/60");
  CHECK(plain(bar.step) == "Step 61/98");
  CHECK(bar.percent == "77.7 %");
  CHECK(bar.share == Approx(4569.0 / 5880));
  CHECK(bar.epochs == 12);
  CHECK(plain(bar.elapsed).ends_with(" elapsed"));
  CHECK(plain(bar.eta).starts_with("ETA 2:1"));
  CHECK(bar.can_stop);
  CHECK(bar.can_export);
}

TEST_CASE("The question before a stop names the run that waits for this one as its baseline") {
  const auto model = model_of(support::demo_run());
  RunContext context = support::live_context(model);
  CHECK(stop_question(&model, context).text.find("baseline") == std::string::npos);
  context.baseline_of = "#11";
  CHECK(stop_question(&model, context).text.find("#11") != std::string::npos);
}

TEST_CASE("A run of our trainer that ended before its first step can be filled into the form") {
  model::RunModel model{messages::RunSpec()};
  messages::RankState state;
  state.state = messages::State::kStopped;
  model.accept({0, kNoRank, 0, 1}, messages::Record(state));
  RunContext context;
  context.id = "one";
  CHECK(build_top_bar(&model, context, {}).run_again == "one");
  CHECK_FALSE(build_top_bar(&model, context, {}).can_resume);
}

TEST_CASE("The top bar shows the name that a person gave the run") {
  const auto model = model_of(support::demo_run());
  RunContext context = support::live_context(model);
  context.name = "night run";
  CHECK(build_top_bar(&model, context, {}).title == "night run");
  CHECK_FALSE(build_top_bar(&model, context, {}).subtitle.starts_with("1 newer run"));
  context.newer = 1;
  CHECK(build_top_bar(&model, context, {}).subtitle.starts_with("1 newer run · "));
  context.newer = 0;
}

TEST_CASE("Without a run the top bar shows the last result") {
  CHECK(build_top_bar(nullptr, {}, {}).title == "No active run");
  CHECK(build_top_bar(nullptr, {}, {}).subtitle.empty());
  const LastResult last{"#1041", "resnet50 · cifar10 · 4 GPUs",
                        state_view(messages::State::kFinished), 594, 3.40};
  const TopBarView bar = build_top_bar(nullptr, {}, last);
  CHECK(bar.subtitle == "Last: #1041 resnet50 · cifar10 · 4 GPUs, finished in 9:54, 3.40×");
  CHECK_FALSE(bar.can_stop);
  CHECK_FALSE(bar.can_export);
}

TEST_CASE("A finished run has no ETA and cannot be stopped") {
  const auto model = model_of(support::demo_small(4));
  const TopBarView bar = build_top_bar(&model, support::ended_context(model), {});
  CHECK(bar.state.word == state_view(messages::State::kFinished).word);
  CHECK(bar.eta.empty());
  CHECK_FALSE(bar.can_stop);
  CHECK(bar.percent == "100.0 %");
  CHECK(plain(bar.epoch) == "Epoch 3/3");
  CHECK(bar.epochs == 3);
}

TEST_CASE("A run that ended without a step of training has no progress to show") {
  model::RunModel model(support::demo_spec(support::demo_small(4)));
  messages::RankHello hello;
  hello.steps_per_epoch = 20;
  hello.epochs = 24;
  model.accept({0, 0, 0, 100}, hello);
  CHECK(plain(build_top_bar(&model, support::live_context(model), {}).epoch) == "Epoch 1/24");
  messages::RankState state;
  state.state = messages::State::kFinished;
  model.accept({0, kNoRank, 1, 200}, state);
  const TopBarView bar = build_top_bar(&model, support::ended_context(model), {});
  CHECK_FALSE(bar.has_progress);
  CHECK(bar.epoch.empty());
  CHECK(bar.percent.empty());
}

TEST_CASE("A custom program without epochs shows its steps") {
  messages::RunSpec spec;
  spec.program.argv = {"python3", "train.py"};
  model::RunModel model(spec);
  messages::StepReport body;
  body.step_ns = 5;
  model.accept({0, 0, 0, 100}, body);
  const TopBarView bar = build_top_bar(&model, support::live_context(model), {});
  CHECK(plain(bar.step) == "Step 1");
  CHECK(bar.epoch.empty());
  CHECK_FALSE(bar.has_progress);
  CHECK(bar.title == "train.py · 1 CPU rank");
  CHECK(bar.subtitle == "custom program · 1 rank");
}

TEST_CASE("States read without colour, and a viewer infers its own") {
  auto model = model_of(support::demo_run());
  RunContext context = support::live_context(model);
  context.contact = Contact::kInterrupted;
  CHECK(run_state_view(model, context) ==
        StateView{label::kInterrupted, Shape::kHollowDiamond, Tone::kWarning});
  // The place of a run may know more than its log; the list of runs shows that, too.
  context.ended_as = "stopped";
  CHECK(run_state_view(model, context).word == state_view(messages::State::kStopped).word);
  CHECK(is_over(model, context));
  context.ended_as.clear();
  context.contact = Contact::kLost;
  CHECK(run_state_view(model, context) ==
        StateView{label::kLostContact, Shape::kStruckRing, Tone::kWarning});
  context.contact = Contact::kReplay;
  context.replay_speed = 4;
  CHECK(run_state_view(model, context) ==
        StateView{"Replay 4×", Shape::kTriangleRight, Tone::kAccent});
  context.replay_speed = 0.5;
  CHECK(run_state_view(model, context).word == "Replay 0.5×");
  context.paused = true;
  CHECK(run_state_view(model, context).word == label::kReplayPaused);
  context.paused = false;
  // A recorded end has priority over a vanished agent.
  const auto done = model_of(support::demo_small(2));
  context.contact = Contact::kInterrupted;
  CHECK(run_state_view(done, context).word == state_view(messages::State::kFinished).word);
  CHECK(is_over(done, context));
}

TEST_CASE("A paused view of a live run says so, and nothing in it is called present") {
  const auto model = model_of(support::demo_run());
  RunContext context = support::live_context(model);
  CHECK(run_state_view(model, context).tone == Tone::kOk);
  CHECK(build_status_bar(&model, context).tone == Tone::kOk);
  CHECK(plain(build_status_bar(&model, context).left[0]).ends_with(" ago"));
  context.paused = true;
  context.behind_ns = 12'000'000'000;
  CHECK(run_state_view(model, context) ==
        StateView{"View paused, 12 s behind", Shape::kSquare, Tone::kAccent});
  const StatusBarView bar = build_status_bar(&model, context);
  CHECK(bar.tone != Tone::kOk);
  CHECK(plain(bar.left[0]) == "4 of 4 ranks reported");
  CHECK(rank_state_view(*model.rank(0), false, 0, false, context) ==
        StateView{"Training", Shape::kTriangleRight, Tone::kDim});
  for (const MarkerView& marker : build_loss_chart(model, context, {}, {}, 900, 200).markers)
    CHECK(marker.label != "now");
  context.contact = Contact::kLost;
  CHECK(run_state_view(model, context).word == label::kLostContact);
  context.contact = Contact::kEnded;
  CHECK(run_state_view(model, context).word == "Training");
}

TEST_CASE("A run that finished with a broken loss says so wherever its state is shown") {
  support::DemoOptions options = support::demo_small(2);
  options.steps = 30;
  options.nan_from = 20;
  const auto model = model_of(options);
  const RunContext context = support::ended_context(model);
  CHECK(run_state_view(model, context).word == label::kFinishedNan);
  CHECK(build_top_bar(&model, context, {}).state ==
        outcome_view(RunOutcome::kFinished, /*loss_broke=*/true));
}

TEST_CASE("Every recorded state has its own word or shape, and is found by its name") {
  for (int a = 0; a <= static_cast<int>(messages::State::kDidNotDie); ++a) {
    const auto state = static_cast<messages::State>(a);
    CHECK_FALSE(state_view(state).word.empty());
    CHECK(state_view(state).shape != Shape::kNone);
    CHECK(outcome_view(outcome_of(messages::name_of(state))) == state_view(state));
  }
  CHECK(outcome_of("interrupted") == RunOutcome::kInterrupted);
  CHECK(outcome_of("nonsense") == RunOutcome::kUnknown);
  CHECK(outcome_view(RunOutcome::kUnknown).word == "–");
}

TEST_CASE("The speedup card names the baseline and counts equal epochs") {
  const auto model = model_of(support::demo_run());
  const auto baseline = model_of(support::demo_baseline());
  const SpeedupView card =
      build_speedup_view(model, support::live_context(model), support::baseline_context(baseline));
  REQUIRE(card.shown);
  CHECK(card.subtitle == "same epochs, start-up excluded");
  CHECK(card.display == "3.41×");
  CHECK(card.of_ideal == "4×");
  CHECK(card.efficiency == "85 %");
  CHECK(card.baseline_label == "Baseline #983, 1 GPU");
  CHECK(card.baseline_time == "33:38");
  CHECK(card.run_label == "This run, 4 GPUs (projected)");
  CHECK(card.run_time == "9:52");
  CHECK(card.ideal_label == "ideal 8:25");
  CHECK(card.baseline_share == 1.0);
  CHECK(card.run_share == Approx(0.293).margin(0.005));
  CHECK(card.ideal_share == Approx(0.25));
  CHECK(card.time_cut == "70.7 %");
  CHECK(card.accuracy == "75.21 %");
  CHECK(card.accuracy_delta == "−0.64 pp");
  CHECK(card.delta_hint == "both at epoch 46");
  CHECK(plain(card.note).find("20 warm-up steps excluded") != std::string::npos);
  CHECK(plain(card.brief).starts_with("Evaluation and checkpoints included; steps only 3."));
}

TEST_CASE("The speedup card compares a published speedup, by its source's clock, with ours") {
  const auto model = model_of(support::demo_run());
  const auto baseline = model_of(support::demo_baseline());
  auto context = support::live_context(model);
  launch::NamedPreset preset;
  preset.file.published.source = "s";
  preset.file.published.figures = {
      {"speedup", "2.03x", 2.03, 4, true, "train_pass", "same_devices"},
      {"speedup", "2.16x", 2.16, 4, true, "train_pass", "one_device"}};
  const auto brief = [&] {
    context.preset = std::make_shared<const launch::NamedPreset>(preset);
    const auto card = build_speedup_view(model, context, support::baseline_context(baseline));
    CHECK(plain(card.note).find(plain(card.brief)) != std::string::npos);
    return plain(card.brief);
  };
  CHECK(brief().starts_with("Published 2.16x; by its clock here "));
  CHECK(brief().ends_with("× (training passes alone)"));
  preset.file.published.figures[1].clock = "unstated";
  CHECK(brief() == "Published 2.16x, its clock unstated");
}

TEST_CASE("Without a baseline the card says how to get one") {
  const auto one = model_of(support::demo_small(1));
  const SpeedupView alone = build_speedup_view(one, support::ended_context(one), {});
  CHECK_FALSE(alone.shown);
  CHECK(plain(alone.empty) == "One GPU: this run can be the baseline.");
  CHECK(alone.offer_as_baseline);
  // A run that is a baseline already is not offered as one, and neither is one that still trains.
  auto context = support::ended_context(one);
  context.baseline_of = "#12";
  const SpeedupView used = build_speedup_view(one, context, {});
  CHECK(plain(used.empty) == "One GPU: this run is the baseline of run #12.");
  CHECK_FALSE(used.offer_as_baseline);
  auto options = support::demo_small(1);
  options.finish = false;
  const auto training = model_of(options);
  const SpeedupView going = build_speedup_view(training, support::live_context(training), {});
  CHECK(plain(going.empty) == "One GPU: this run can be the baseline when it is done.");
  CHECK_FALSE(going.offer_as_baseline);
  const auto four = model_of(support::demo_small(4));
  const SpeedupView missing = build_speedup_view(four, support::ended_context(four), {});
  CHECK(plain(missing.empty).starts_with("No baseline."));
  CHECK_FALSE(missing.offer_as_baseline);
  const model::RunModel young(support::demo_spec(support::demo_small(4)));
  const SpeedupView early =
      build_speedup_view(young, support::live_context(young), support::baseline_context(one));
  CHECK(plain(early.empty) == "No speedup yet. This run has not finished a step.");
}

TEST_CASE("The step breakdown shows that the late rank loads data and the others wait") {
  const auto model = model_of(support::demo_run());
  const StepBarsView view = build_step_bars(model, support::live_context(model));
  CHECK(view.subtitle == "mean of the last 200 steps");
  REQUIRE(view.bars.size() == 4);
  CHECK(view.more.empty());
  CHECK(
      plain(view.transfer) ==
      "Transfer 10.2 ms per step, 6.6 overlapped with backward, 3.6 exposed.  5 buckets, 94.1 MB");
  for (const StepBar& bar : view.bars) {
    CHECK(bar.parts.front().begin == 0);
    CHECK(bar.parts.back().end == Approx(1.0).margin(0.01));
    for (std::size_t i = 1; i < bar.parts.size(); ++i)
      CHECK(bar.parts[i].begin == bar.parts[i - 1].end);
    const Paint expected = bar.rank == 2 ? Paint::kDataWait : Paint::kWaitSlowest;
    for (const BarPart& part : bar.parts) CHECK(part.strong == (part.paint == expected));
  }
  CHECK(view.bars[2].label == "r2");
  std::string words;
  for (const LegendEntry& entry : view.legend) words += entry.word + ",";
  CHECK(words == "Data wait + copy,Forward,Backward,Wait for slowest,All-reduce,Optimizer,Other,");
}

TEST_CASE("One rank has no wait and no all-reduce") {
  const auto model = model_of(support::demo_small(1));
  const StepBarsView view = build_step_bars(model, support::ended_context(model));
  for (const LegendEntry& entry : view.legend)
    CHECK((entry.paint != Paint::kWaitSlowest && entry.paint != Paint::kAllReduce));
  CHECK(view.transfer.empty());
}

TEST_CASE("64 ranks show the six slowest, the median and the number of the others") {
  const auto model = model_of(support::demo_small(64));
  const StepBarsView view = build_step_bars(model, support::ended_context(model));
  REQUIRE(view.bars.size() == 7);
  CHECK(view.bars.front().rank == 2);
  CHECK(view.bars.back().label == "median");
  CHECK(view.more == "57 more");
}

TEST_CASE("Communication that cannot be split is named as such") {
  support::DemoOptions options = support::demo_small(2);
  options.buckets = false;
  const auto model = model_of(options);
  const StepBarsView view = build_step_bars(model, support::ended_context(model));
  bool named = false;
  for (const LegendEntry& entry : view.legend) named = named || entry.word == "Communication";
  CHECK(named);
}

TEST_CASE("The step panel without steps says so") {
  const model::RunModel model(support::demo_spec(support::demo_run()));
  const StepBarsView view = build_step_bars(model, support::live_context(model));
  CHECK(view.bars.empty());
  CHECK(plain(view.empty).starts_with("No data yet."));
}

TEST_CASE("The status bar shows how many ranks reported and how many records were lost") {
  const auto model = model_of(support::demo_run());
  const StatusBarView bar = build_status_bar(&model, support::live_context(model));
  REQUIRE(bar.left.size() == 2);
  CHECK(plain(bar.left[0]) == "4 of 4 ranks reported 12 ms ago");
  CHECK(plain(bar.left[1]) == "Step reports 18,276 of 18,276, 0 lost");
  CHECK(plain(bar.right[0]) == "Log 116.7 MB");
  CHECK(bar.tone == Tone::kOk);
  CHECK(plain(build_status_bar(nullptr, {}).left[0]) == "No run");
}

TEST_CASE("After a resume the cost of telemetry is that of the steps of the same process") {
  support::DemoOptions options = support::demo_small(2);
  const auto cost = [](const model::RunModel& model) {
    for (const Sentence& part : build_status_bar(&model, support::ended_context(model)).left) {
      if (plain(part).starts_with("Telemetry overhead ")) return plain(part);
    }
    return std::string();
  };
  options.resume_from = 0;
  options.resume_to = 120;
  const std::string whole = cost(model_of(options));
  options.resume_from = 110;
  CHECK_FALSE(whole.empty());
  CHECK(cost(model_of(options)) != whole);  // 10 steps carry the cost of 120
}

TEST_CASE("Lost records, damage, clocks and the cost of telemetry are in the status bar") {
  support::DemoOptions options = support::demo_small(4);
  options.nodes = 2;
  options.lose_every = 10;
  const auto model = model_of(options);
  RunContext context = support::ended_context(model);
  context.log_skipped_bytes = 2'000'000;
  context.log_first_skipped = 4096;
  const StatusBarView bar = build_status_bar(&model, context);
  std::string all;
  for (const Sentence& part : bar.left) all += plain(part) + "|";
  CHECK(all.find("Step reports 468 of 479, 12 records lost|") != std::string::npos);
  // The reported uncertainty, plus 50 ppm of its age.
  const std::int64_t wrong_ns = model.clock_uncertainty_ns(1, model.last_ns());
  CHECK(wrong_ns > 40'000);
  CHECK(all.find("Clock offset ±" + decimal_text(static_cast<double>(wrong_ns) / 1e6, 2) +
                 " ms|") != std::string::npos);
  CHECK(all.find("Telemetry overhead 0.00") != std::string::npos);
  CHECK(all.find("|" + skipped_text(2'000'000, 4096) + "|") != std::string::npos);
  CHECK(bar.tone == Tone::kWarning);
  context.log_skipped_bytes = 0;
  context.missing_logs = {1};
  const StatusBarView half = build_status_bar(&model, context);
  CHECK(plain(half.left.back()) == missing_logs_text({1}));
  CHECK(half.tone == Tone::kWarning);
}

TEST_CASE("The line on the transfer below the bars is of the same steps as the bars") {
  auto options = support::demo_small(2);
  options.steps_per_epoch = 300;
  options.steps = 300;
  auto model = model_of(options);
  const auto range = analysis::recent_steps(model);
  CHECK(analysis::transfer(model, range).steps == range.count());
  const StepBarsView view = build_step_bars(model, support::ended_context(model));
  CHECK(view.subtitle == "mean of the last 200 steps");
  CHECK(plain(view.transfer).find(" per step, ") != std::string::npos);
  // Only buckets of the newest steps are stored: with these, the oldest are discarded.
  for (std::int32_t bucket = 0; bucket < 4000; ++bucket) {
    for (Rank rank = 0; rank < 2; ++rank) {
      model.accept(
          {0, rank, 200'000, model.last_ns() + 1},
          messages::BucketReport{0, 299, 100 + bucket, 10, model.last_ns(), model.last_ns() + 1});
    }
  }
  const auto kept = analysis::transfer(model, range).steps;
  REQUIRE(kept < range.count());
  CHECK(plain(build_step_bars(model, support::ended_context(model)).transfer)
            .find(" per step over the last " + std::to_string(kept) + ", ") != std::string::npos);
}

TEST_CASE("A program that reports nothing for some time gets a hint about what to add") {
  messages::RunSpec spec;
  spec.program.argv = {"python3", "train.py"};
  model::RunModel model(spec);
  CHECK(unseen_program(model).empty());
  model.accept({0, kNoRank, 0, 100}, messages::HostSample{});
  model.accept({0, kNoRank, 0, 20'000'000'000}, messages::HostSample{});
  CHECK(unseen_program(model).empty());
  model.accept({0, kNoRank, 0, 40'000'000'000}, messages::HostSample{});
  CHECK(unseen_program(model).find("import ringside_rank") != std::string::npos);
  CHECK(unseen_program(model).starts_with("If its first step is over"));  // it may still arrive
  spec.program.argv = {"/usr/bin/python3.11", "-u", "-W", "ignore", "-sE", "train.py", "-I"};
  model::RunModel isolated(spec);
  isolated.accept({0, kNoRank, 0, 100}, messages::HostSample{});
  isolated.accept({0, kNoRank, 0, 40'000'000'000}, messages::HostSample{});
  CHECK(unseen_program(isolated).find("Python's -sE hides") != std::string::npos);
  model::RunModel nested(spec);
  nested.accept({0, kNoRank, 0, 100}, messages::HostSample{});
  nested.accept({0, kNoRank, 0, 40'000'000'000},
                messages::Notice{messages::Severity::kWarning, messages::kNestedRanks, ""});
  CHECK(unseen_program(nested).starts_with("A launcher inside of it"));
  spec.program.instrument = false;
  model::RunModel off(spec);
  off.accept({0, kNoRank, 0, 100}, messages::HostSample{});
  off.accept({0, kNoRank, 0, 40'000'000'000}, messages::HostSample{});
  CHECK(unseen_program(off).starts_with("Instrumentation is off"));
  model.accept({0, 0, 0, 41'000'000'000}, messages::RankHello{});
  CHECK(unseen_program(model).empty());
  CHECK(unseen_program(model::RunModel(messages::RunSpec{})).empty());
}

TEST_CASE("The fault that a run's settings ask for is told with its rank and its steps") {
  messages::RunSpec spec;
  CHECK(injected_text(spec).empty());
  spec.inject.fault = "delay_data";
  spec.inject.rank = 2;
  spec.inject.delay_ms = 2.5;
  CHECK(injected_text(spec) == "Rank 2 sleeps 2.5 ms while it loads data");
  spec.inject.fault = "delay_forward";
  spec.inject.from_step = 100;
  CHECK(injected_text(spec) == "Rank 2 sleeps 2.5 ms in forward, from step 101 on");
  spec.inject.steps = 20;
  spec.inject.every = 50;
  CHECK(injected_text(spec) ==
        "Rank 2 sleeps 2.5 ms in forward, in 20 steps, from step 101 on, again every 50 steps");
  spec.inject.fault = "nan_gradient";
  CHECK(injected_text(spec) == "Rank 2 gets a NaN gradient in step 101");
}

TEST_CASE("A program that ended without a step has its reason") {
  messages::RunSpec spec;
  spec.program.argv = {"python3", "-I", "train.py"};
  model::RunModel model(spec);
  model.accept({0, kNoRank, 0, 100}, messages::HostSample{});
  model.accept({0, kNoRank, 0, 40'000'000'000}, messages::HostSample{});
  CHECK(why_no_steps(model).find("Python's -I hides") != std::string::npos);
  model.accept({0, 0, 0, 41'000'000'000}, messages::RankHello{});
  CHECK(why_no_steps(model).starts_with("No optimizer of torch stepped"));
  model.accept({0, 0, 1, 42'000'000'000},
               messages::Notice{messages::Severity::kWarning, messages::kNoSteps, "backward only"});
  CHECK(why_no_steps(model) == "backward only");
}

TEST_CASE("For a program that reports no accuracy the chart says how to report it") {
  messages::RunSpec spec;
  spec.program.argv = {"python3", "train.py"};
  model::RunModel model(spec);
  model.accept({0, 0, 0, 100}, messages::RankHello{});
  messages::StepReport step;
  step.samples = 8;
  step.loss = 1;
  step.step_ns = 1'000;
  model.accept({0, 0, 1, 2'000}, step);
  const auto empty = [&] {
    return build_accuracy_chart(model, support::ended_context(model), {}, {}, 400, 140).empty;
  };
  CHECK(plain(empty()).find("rs.log(accuracy=...)") != std::string::npos);
  step.step = 1;
  step.correct = 4;
  model.accept({0, 0, 2, 3'000}, step);
  CHECK(empty().empty());
}
