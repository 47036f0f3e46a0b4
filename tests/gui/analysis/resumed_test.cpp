// Epochs, steps and figures of runs that were stopped within an epoch and resumed, with the same or
// another number of ranks.
#include <cmath>

#include "gui/analysis/accuracy.h"
#include "gui/analysis/final_loss.h"
#include "gui/analysis/progress.h"
#include "gui/model/rank_model.h"
#include "tests/gui/analysis/made_run.h"
#include "tests/support/catch.h"

using namespace ringside;
using namespace ringside::analysis;
using messages::Phase;
using support::MadeRun;

namespace {

constexpr Step kEpochSteps = 10;

/// Adds the steps [begin, end) of 100 ms each on these ranks; step k ends at (k + 1) * 100 ms.
void steps(MadeRun& run, Rank ranks, Step begin, Step end) {
  for (Step step = begin; step < end; ++step) {
    for (Rank rank = 0; rank < ranks; ++rank)
      run.step(rank, step, static_cast<double>(step + 1) * 100, {0, 0, 0, 0, 0, 0, 100});
  }
}

/// Adds each rank's report of the `steps` it trained of that epoch, the last of which is `end` - 1.
void trained(MadeRun& run, Rank ranks, Epoch epoch, Step end, std::int64_t steps) {
  for (Rank rank = 0; rank < ranks; ++rank) {
    messages::EpochReport body;
    body.epoch = epoch;
    body.counted = steps * 4;
    body.correct = steps;
    body.loss_sum = static_cast<double>(steps) * 8;
    body.steps = steps;
    body.seconds = 1;
    body.last_step = end - 1;
    run.say(rank, static_cast<double>(end) * 100 + 1, body);
  }
}

void validated(MadeRun& run, Rank ranks, Epoch epoch, std::int64_t correct) {
  for (Rank rank = 0; rank < ranks; ++rank)
    run.pass(rank, Phase::kValidate, epoch, static_cast<double>(epoch + 1) * kEpochSteps * 100 + 2,
             correct / ranks, 100 / ranks);
}

void resume(MadeRun& run, Rank ranks, std::int32_t attempt, Step first_step) {
  for (Rank rank = 0; rank < ranks; ++rank) {
    messages::RankHello hello;
    hello.attempt = attempt;
    hello.world_size = ranks;
    hello.first_step = first_step;
    hello.steps_per_epoch = kEpochSteps;
    run.say(rank, static_cast<double>(first_step) * 100 + 50, hello);
  }
}

}  // namespace

TEST_CASE("No figure counts an epoch that was stopped before its last step as complete") {
  MadeRun run(2, kEpochSteps, 3);
  steps(run, 2, 0, 15);
  trained(run, 2, 0, 10, 10);
  validated(run, 2, 0, 90);
  trained(run, 2, 1, 15, 5);
  messages::RankState stopped;
  stopped.state = messages::State::kStopped;
  run.say(kNoRank, 1600, stopped);
  CHECK(complete_epochs(run.model()) == 1);
  CHECK(seconds_to_epoch(run.model(), 1).has_value());
  CHECK_FALSE(seconds_to_epoch(run.model(), 2).has_value());
  const auto part = pass_of(run.model(), Phase::kTrain, 1);
  REQUIRE(part.has_value());
  CHECK(part->reported);
  CHECK_FALSE(part->complete);
  CHECK(final_loss(run.model()).loss == 2);  // the loss it reached all the same
}

TEST_CASE("The parts of an epoch before and after a stop within it are one pass") {
  MadeRun run(2, kEpochSteps, 2);
  steps(run, 2, 0, 15);
  trained(run, 2, 0, 10, 10);
  trained(run, 2, 1, 15, 5);
  resume(run, 2, 1, 15);
  steps(run, 2, 15, 20);
  // Each report comes twice, as if it had been sent and also saved in a file.
  for (int time = 0; time < 2; ++time) trained(run, 2, 1, 20, 5);
  validated(run, 2, 1, 90);
  const auto whole = pass_of(run.model(), Phase::kTrain, 1);
  REQUIRE(whole.has_value());
  CHECK(whole->counted == 2 * kEpochSteps * 4);
  CHECK(whole->correct == 2 * kEpochSteps);
  CHECK(whole->loss == 2);
  CHECK(whole->seconds == 2);
  CHECK(whole->complete);
  CHECK(complete_epochs(run.model()) == 2);
}

TEST_CASE(
    "The part of an epoch that a killed attempt did not report is missing, but its time counts") {
  MadeRun run(2, kEpochSteps, 2);
  steps(run, 2, 0, 15);
  trained(run, 2, 0, 10, 10);
  resume(run, 2, 1, 13);
  steps(run, 2, 13, 20);
  trained(run, 2, 1, 20, 7);
  validated(run, 2, 1, 90);
  CHECK_FALSE(pass_of(run.model(), Phase::kTrain, 1)->complete);
  CHECK(complete_epochs(run.model()) == 2);
}

TEST_CASE("A run that was resumed with fewer ranks continues with these") {
  MadeRun run(2, kEpochSteps, 3);
  steps(run, 2, 0, 10);
  trained(run, 2, 0, 10, 10);
  validated(run, 2, 0, 90);
  steps(run, 2, 10, 15);
  resume(run, 1, 1, 10);
  CHECK(run.model().newest_common_step() == 9);
  steps(run, 1, 10, 20);
  trained(run, 1, 1, 20, 10);
  validated(run, 1, 1, 95);
  CHECK(run.model().newest_common_step() == 19);
  CHECK(run.model().rank(1)->newest_step == 9);  // repeated without it
  CHECK(run.model().mean_loss().has(5));
  CHECK(run.model().mean_loss().has(19));
  CHECK(complete_epochs(run.model()) == 2);
  REQUIRE(best_validation(run.model()).has_value());
  CHECK(best_validation(run.model())->correct == 95);
}

TEST_CASE("A run that was resumed with more ranks keeps what it had reached before") {
  MadeRun run(1, kEpochSteps, 3);
  steps(run, 1, 0, 10);
  trained(run, 1, 0, 10, 10);
  validated(run, 1, 0, 96);
  resume(run, 2, 1, 10);
  CHECK(run.model().newest_common_step() == 9);
  steps(run, 2, 10, 20);
  trained(run, 2, 1, 20, 10);
  validated(run, 2, 1, 90);
  CHECK(run.model().newest_common_step() == 19);
  CHECK(run.model().mean_loss().has(5));
  CHECK(run.model().mean_loss().has(19));
  CHECK(best_validation(run.model())->correct == 96);
  CHECK(newest_validation(run.model())->correct == 90);
  CHECK(complete_epochs(run.model()) == 2);
}
