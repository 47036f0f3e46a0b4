#include "gui/analysis/accuracy.h"

#include <cmath>

#include "tests/gui/analysis/made_run.h"
#include "tests/support/catch.h"

using namespace ringside;
using namespace ringside::analysis;
using messages::Phase;
using support::MadeRun;

TEST_CASE("Accuracy is summed over ranks, never averaged") {
  // The padded and the exact evaluation of three ranks have the published results: 7014/10002 and
  // 7012/10000.
  MadeRun padded(3);
  padded.pass(0, Phase::kTest, 0, 10, 2365, 3334);
  padded.pass(1, Phase::kTest, 0, 10, 2317, 3334);
  padded.pass(2, Phase::kTest, 0, 10, 2332, 3334);
  const auto all = newest_validation(padded.model());
  REQUIRE(all.has_value());
  CHECK(all->correct == 7014);
  CHECK(all->counted == 10002);
  CHECK(all->accuracy() == Approx(0.701260).epsilon(1e-6));
  MadeRun exact(3);
  exact.pass(0, Phase::kValidate, 0, 10, 2365, 3334);
  exact.pass(1, Phase::kValidate, 0, 10, 2316, 3333);
  exact.pass(2, Phase::kValidate, 0, 10, 2331, 3333);
  CHECK(newest_validation(exact.model())->accuracy() == 0.7012);
}

TEST_CASE("Loss of a pass is the sum of the ranks' sums divided by the count") {
  MadeRun run(2);
  run.pass(0, Phase::kTrain, 0, 10, 0, 30, 60.0, 1.5);
  run.pass(1, Phase::kTrain, 0, 12, 0, 10, 10.0, 2.5);
  const auto pass = pass_of(run.model(), Phase::kTrain, 0);
  CHECK(pass->loss == Approx(1.75));
  CHECK(pass->seconds == 2.5);
  CHECK(pass->complete);
  CHECK(pass->ended_ns == MadeRun::kStart + 12'000'000);
}

TEST_CASE("Correct samples that a program does not count are unknown, and give no accuracy") {
  MadeRun run(2);
  run.pass(0, Phase::kTrain, 0, 10, -1, 30, 60.0, 1.5);
  run.pass(1, Phase::kTrain, 0, 10, 5, 10, 10.0, 2.5);
  const auto train = pass_of(run.model(), Phase::kTrain, 0);
  CHECK(train->correct == -1);
  CHECK(std::isnan(train->accuracy()));
  CHECK(train->loss == Approx(1.75));
  run.pass(0, Phase::kValidate, 0, 10, -1, 10);
  run.pass(1, Phase::kValidate, 0, 10, -1, 10);
  CHECK(pass_of(run.model(), Phase::kValidate, 0)->complete);
  CHECK_FALSE(newest_validation(run.model()).has_value());
  CHECK_FALSE(best_validation(run.model()).has_value());
}

TEST_CASE("If one rank does not know its samples, those of the pass are unknown") {
  MadeRun run(3);
  run.pass(0, Phase::kTrain, 0, 10, -1, -1, std::nan(""), 1.5);
  run.pass(1, Phase::kTrain, 0, 10, -1, 20, 20.0, 1.5);
  run.pass(2, Phase::kTrain, 0, 10, -1, -1, std::nan(""), 1.5);
  const auto train = pass_of(run.model(), Phase::kTrain, 0);
  CHECK(train->counted == -1);
  CHECK(std::isnan(train->loss));
}

TEST_CASE(
    "All evaluations of an epoch are kept, and one reported first without results counts once") {
  MadeRun run(2);
  const auto told = [&run](Rank rank, Epoch epoch, Step last_step, std::int64_t correct,
                           std::int64_t counted, double loss_sum) {
    messages::EpochReport body;
    body.epoch = epoch;
    body.phase = Phase::kValidate;
    body.last_step = last_step;
    body.correct = correct;
    body.counted = counted;
    body.loss_sum = loss_sum;
    run.say(rank, static_cast<double>(last_step), body);
  };
  for (const Rank rank : {0, 1}) {
    told(rank, 0, 10, -1, 8, std::nan(""));
    told(rank, 0, 10, 4, 8, 8.0);
    told(rank, 0, 20, 5, 8, 4.0);
  }
  told(0, 1, 30, -1, -1, std::nan(""));
  told(0, 1, 30, -1, -1, std::nan(""));
  CHECK(passes(run.model(), Phase::kValidate).size() == 2);
  const auto all = all_passes(run.model(), Phase::kValidate);
  REQUIRE(all.size() == 4);
  CHECK(all[0].correct == 8);
  CHECK(all[0].loss == Approx(1.0));
  CHECK(all[1].correct == 10);
  CHECK(all[1].last_step == 20);
  CHECK(all[1].complete);
  CHECK(all[3].counted == -1);
  CHECK_FALSE(all[3].complete);
}

TEST_CASE("A pass is complete when every rank reported") {
  MadeRun run(2);
  run.pass(1, Phase::kValidate, 0, 10, 5, 10);
  CHECK_FALSE(pass_of(run.model(), Phase::kValidate, 0)->complete);
  CHECK_FALSE(newest_validation(run.model()).has_value());
  CHECK_FALSE(pass_of(run.model(), Phase::kValidate, 1).has_value());
  run.pass(0, Phase::kValidate, 0, 10, 5, 10);
  CHECK(newest_validation(run.model())->counted == 20);
}

TEST_CASE("A pass that only rank 0 makes is complete when the run goes on") {
  messages::RunSpec spec;
  spec.devices.world_size = 2;
  spec.evaluate.mode = "rank0";
  MadeRun run(spec);
  run.pass(0, Phase::kValidate, 0, 10, 7, 10);
  CHECK_FALSE(newest_validation(run.model()).has_value());
  messages::StepReport step;
  step.epoch = 1;
  run.say(1, 20, step);
  REQUIRE(newest_validation(run.model()).has_value());
  CHECK(newest_validation(run.model())->accuracy() == 0.7);
}

TEST_CASE("A pass is not taken for one of rank 0 alone while another rank may still report it") {
  messages::RunSpec spec;
  spec.devices.world_size = 2;
  spec.program.argv = {"python3", "train.py"};
  MadeRun run(spec);
  const auto step = [&](Rank rank, Epoch epoch) {
    messages::StepReport report;
    report.step = epoch;
    report.epoch = epoch;
    run.say(rank, 10 * static_cast<double>(epoch), report);
  };
  for (const Rank rank : {0, 1}) step(rank, 0);
  run.pass(0, Phase::kValidate, 0, 5, 7, 10);
  step(0, 1);
  CHECK_FALSE(newest_validation(run.model()).has_value());
  SECTION("the other rank evaluates, too") {
    run.pass(1, Phase::kValidate, 0, 6, 9, 10);
    REQUIRE(newest_validation(run.model()).has_value());
    CHECK(newest_validation(run.model())->accuracy() == 0.8);
  }
  SECTION("the other rank goes on without") {
    step(1, 1);
    REQUIRE(newest_validation(run.model()).has_value());
    CHECK(newest_validation(run.model())->accuracy() == 0.7);
  }
}

TEST_CASE("Damaged reports of a pass of all ranks are not taken for a pass of rank 0 alone") {
  messages::RunSpec spec;
  spec.devices.world_size = 2;
  const auto ends_alone = [](MadeRun& run) {
    run.pass(0, Phase::kTrain, 0, 10, 7, 10);
    run.pass(0, Phase::kValidate, 0, 11, 7, 10);
    messages::RankState over;
    over.state = messages::State::kFinished;
    run.say(kNoRank, 20, over);
    return pass_of(run.model(), Phase::kValidate, 0)->complete;
  };
  MadeRun ours(spec);
  CHECK_FALSE(ends_alone(ours));
  CHECK_FALSE(newest_validation(ours.model()).has_value());
  CHECK_FALSE(pass_of(ours.model(), Phase::kTrain, 0)->complete);
  // A custom program has only records: rank 1 evaluates, or its records are missing.
  spec.program.argv = {"python3", "train.py"};
  MadeRun alone(spec);
  CHECK(ends_alone(alone));
  MadeRun together(spec);
  together.pass(1, Phase::kValidate, 1, 5, 7, 10);
  CHECK_FALSE(ends_alone(together));
}

TEST_CASE("The newest, best and shared validations are found") {
  MadeRun run(1);
  MadeRun baseline(1);
  const double ours[] = {0.60, 0.75, 0.70};
  const double theirs[] = {0.62, 0.74};
  for (Epoch epoch = 0; epoch < 3; ++epoch)
    run.pass(0, Phase::kValidate, epoch, 10, static_cast<std::int64_t>(ours[epoch] * 10'000),
             10'000);
  for (Epoch epoch = 0; epoch < 2; ++epoch)
    baseline.pass(0, Phase::kValidate, epoch, 10, static_cast<std::int64_t>(theirs[epoch] * 10'000),
                  10'000);
  CHECK(newest_validation(run.model())->epoch == 2);
  CHECK(best_validation(run.model())->epoch == 1);
  const auto shared = shared_validation(run.model(), baseline.model());
  REQUIRE(shared.has_value());
  CHECK(shared->run.epoch == 1);
  CHECK(shared->delta() == Approx(0.01));
  CHECK_FALSE(shared_validation(run.model(), MadeRun(1).model()).has_value());
  CHECK(passes(run.model(), Phase::kValidate).size() == 3);
  CHECK(passes(run.model(), Phase::kTest).empty());
}

TEST_CASE("If nothing was counted, the accuracy is unknown and not 0") {
  MadeRun run(1);
  run.pass(0, Phase::kValidate, 0, 10, 0, 0);
  CHECK(std::isnan(pass_of(run.model(), Phase::kValidate, 0)->accuracy()));
  CHECK_FALSE(newest_validation(run.model()).has_value());
}

TEST_CASE("The loss spread is that of the newest step that all ranks have") {
  MadeRun run(3);
  const float losses[3][2] = {{1.0F, 2.0F}, {1.5F, 1.75F}, {2.0F, 2.0F}};
  for (Step step = 0; step < 2; ++step) {
    for (Rank rank = 0; rank < 3; ++rank)
      run.step(rank, step, 100, {0, 0, 0, 1, -1, 0, 10}, 1, losses[rank][step]);
  }
  run.step(0, 2, 100, {0, 0, 0, 1, -1, 0, 10}, 1, 9);
  const auto found = loss_spread(run.model());
  REQUIRE(found.has_value());
  CHECK(found->spread == Approx(0.25));
  CHECK(found->step == 1);
  for (const Rank rank : {1, 2}) run.step(rank, 2, 100, {0, 0, 0, 1, -1, 0, 10}, 1, NAN);
  CHECK_FALSE(loss_spread(run.model()).has_value());
  CHECK_FALSE(loss_spread(MadeRun(1).model()).has_value());
  CHECK_FALSE(loss_spread(MadeRun(2).model()).has_value());
}
