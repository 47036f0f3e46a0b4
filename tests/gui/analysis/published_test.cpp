// Figures of the published experiments, computed from runs written by hand: the ownership grid, the
// padded test set, the batch that integer division reduces, the goal gate.
#include <cmath>

#include "gui/analysis/evaluation.h"
#include "gui/analysis/findings/detectors.h"
#include "gui/analysis/scaling/gate.h"
#include "gui/analysis/work.h"
#include "tests/gui/analysis/made_run.h"
#include "tests/support/catch.h"

using namespace ringside;
using messages::Phase;
using messages::RunSpec;
using support::MadeRun;

namespace {

RunSpec published_spec_of(std::int64_t ranks, std::int64_t batch, const std::string& meaning) {
  RunSpec spec;
  spec.devices.world_size = ranks;
  spec.batch.size = batch;
  spec.batch.meaning = meaning;
  spec.data.name = "cifar10";
  spec.model.name = "resnet18";
  return spec;
}

void evaluated(MadeRun& run, Rank rank, std::int64_t correct, std::int64_t counted,
               std::int64_t padded = 0, std::int64_t padded_correct = 0) {
  messages::EpochReport body;
  body.phase = Phase::kValidate;
  body.correct = correct;
  body.counted = counted;
  body.padded = padded;
  body.padded_correct = padded_correct;
  run.say(rank, 10, body);
}

std::string text_of(const std::optional<analysis::Finding>& found) {
  return found ? found->text : "";
}

bool published_says(const std::optional<analysis::Finding>& found, const std::string& words) {
  return text_of(found).find(words) != std::string::npos;
}

// Ten epochs of `epoch_s` seconds, the last one with a validation of `correct` out of 10,000.
MadeRun e0_run(Rank ranks, double epoch_s, std::int64_t correct) {
  RunSpec spec = published_spec_of(ranks, 32, "per_rank");
  spec.train.epochs = 10;
  spec.evaluate.mode = "rank0";
  MadeRun run(spec, 1, 10);
  for (Epoch epoch = 0; epoch < 10; ++epoch) {
    const double end_ms = 1000 * epoch_s * (epoch + 1);
    for (Rank rank = 0; rank < ranks; ++rank) {
      run.step(rank, epoch, end_ms - 1, {.step = 1000 * epoch_s - 1}, 32);
      run.pass(rank, Phase::kTrain, epoch, end_ms, 1, 50000 / ranks, 0, epoch_s);
    }
    run.pass(0, Phase::kValidate, epoch, end_ms, correct, 10000);
  }
  messages::RankState ended;
  ended.state = messages::State::kFinished;
  run.say(kNoRank, 10000 * epoch_s, ended);
  return run;
}

}  // namespace

TEST_CASE("E1: three ranks on a padded test set report 70.1260 %, and 70.1200 % is right") {
  RunSpec spec = published_spec_of(3, 128, "per_rank");
  spec.evaluate.mode = "padded";
  MadeRun run(spec);
  evaluated(run, 0, 2365, 3334);
  evaluated(run, 1, 2317, 3334, 1, 1);
  evaluated(run, 2, 2332, 3334, 1, 1);
  const auto evaluation = analysis::newest_evaluation(run.model());
  REQUIRE(evaluation);
  CHECK(evaluation->total.correct == 7014);
  CHECK(evaluation->total.counted == 10002);
  CHECK(100 * evaluation->total.reported() == Approx(70.1260).margin(0.00005));
  CHECK(100 * evaluation->total.exact() == Approx(70.1200).margin(0.00005));
  CHECK(100 * evaluation->ranks[1].reported() == Approx(69.4961).margin(0.00005));
  CHECK(100 * evaluation->ranks[1].exact() == Approx(69.4869).margin(0.00005));
  CHECK(100 * evaluation->ranks[2].exact() == Approx(69.9370).margin(0.00005));
  const auto found = analysis::repeats_counted(run.model());
  CHECK(published_says(found, "counts 2 of 10,002 samples twice"));
  CHECK(published_says(found, "70.1260 % (7,014/10,002)"));
  CHECK(published_says(found, "70.1200 % (7,012/10,000)"));
  CHECK(!analysis::shard_claimed(run.model()));
}

TEST_CASE("the same test set divided exactly has no repeats, and nothing is reported") {
  MadeRun run(published_spec_of(3, 128, "per_rank"));
  evaluated(run, 0, 2365, 3334);
  evaluated(run, 1, 2316, 3333);
  evaluated(run, 2, 2331, 3333);
  const auto evaluation = analysis::newest_evaluation(run.model());
  REQUIRE(evaluation);
  CHECK(evaluation->total.reported() == evaluation->total.exact());
  CHECK(100 * evaluation->total.exact() == Approx(70.1200).margin(0.00005));
  CHECK(!analysis::repeats_counted(run.model()));
}

TEST_CASE(
    "E1: the grid of 8 samples: 2 of 8 change their rank, without set_epoch the order repeats") {
  RunSpec spec = published_spec_of(2, 4, "per_rank");
  spec.data.name = "integers";
  spec.data.train_samples = 8;
  MadeRun run(spec);
  run.shard(0, 0, {4, 7, 2, 1}, 8);
  run.shard(1, 0, {0, 3, 5, 6}, 8);
  run.shard(0, 1, {5, 2, 7, 1}, 8);
  run.shard(1, 1, {4, 6, 3, 0}, 8);
  const auto epochs = run.model().shards().epochs();
  REQUIRE(epochs.size() == 2);
  CHECK(static_cast<double>(epochs[1].moved) / static_cast<double>(epochs[1].compared) == 0.25);
  CHECK(!analysis::order_repeated(run.model()));
  CHECK(!analysis::unread_samples(run.model()));
  spec.sampler.set_epoch = false;
  MadeRun same(spec);
  for (const Epoch epoch : {0, 1, 2}) {
    same.shard(0, epoch, {4, 7, 2, 1}, 8);
    same.shard(1, epoch, {0, 3, 5, 6}, 8);
  }
  const auto found = analysis::order_repeated(same.model());
  CHECK(published_says(found, "3 of 3 epochs"));
  CHECK(published_says(found, "same order each epoch"));
  CHECK(published_says(found, "set_epoch is off"));
}

TEST_CASE("E4: 128 over 3 ranks is 126, and an even division is not reported") {
  const MadeRun three(published_spec_of(3, 128, "global"));
  CHECK(published_says(analysis::batch_cut(three.model()), "global batch is 126, not 128"));
  CHECK(analysis::work_of(three.model())->steps_per_epoch == 397);
  const MadeRun four(published_spec_of(4, 128, "global"));
  CHECK(!analysis::batch_cut(four.model()));
}

TEST_CASE("E0: 55 % of the time at 71 % passes the goal gate, too slow or not above 70 % fails") {
  const MadeRun baseline = e0_run(1, 10, 7200);
  const auto judged = [&](const MadeRun& run) {
    const auto speedup = analysis::speedup(run.model(), &baseline.model(), true);
    return analysis::gate(run.model(), speedup, {});
  };
  const auto good = judged(e0_run(2, 5.5, 7100));
  CHECK(good.passed());
  CHECK(good.time_cut == Approx(0.45).margin(0.001));
  CHECK(good.val_accuracy == 0.71);
  const auto slow = judged(e0_run(2, 6.1, 7100));
  CHECK(slow.decided);
  CHECK(!slow.fast_enough);
  CHECK(!slow.passed());
  const auto at_70 = judged(e0_run(2, 5.5, 7000));
  CHECK(at_70.fast_enough);
  CHECK(!at_70.accurate_enough);
  const auto four = judged(e0_run(4, 3, 7100));
  CHECK(!four.decided);
  CHECK(four.why.find("exactly 2") != std::string::npos);
  const auto run = e0_run(2, 5.5, 7100);
  CHECK(!analysis::gate(run.model(), analysis::speedup(run.model(), nullptr, true), {}).decided);
}

TEST_CASE(
    "E0: speedup 1.82, efficiency 90.9 %, one point of accuracy less, and the batch doubled") {
  MadeRun baseline = e0_run(1, 10, 7200);
  MadeRun run = e0_run(2, 5.5, 7100);
  const auto speedup = analysis::speedup(run.model(), &baseline.model(), true);
  CHECK(speedup.speedup == Approx(1.82).margin(0.005));
  CHECK(speedup.efficiency == Approx(0.909).margin(0.0005));
  REQUIRE(speedup.accuracy);
  CHECK(speedup.accuracy->delta() == Approx(-0.01));
}

TEST_CASE("the loss of each rank by epoch is listed, with the gap between highest and lowest") {
  MadeRun run(2);
  run.pass(0, Phase::kTrain, 0, 1, 0, 10, 9.888);
  run.pass(1, Phase::kTrain, 0, 1, 0, 10, 10.0);
  run.pass(0, Phase::kTrain, 1, 2, 0, 10, 7.484);
  const auto losses = analysis::losses_by_epoch(run.model());
  REQUIRE(losses.size() == 2);
  CHECK(losses[0].ranks[0].loss == Approx(0.9888));
  CHECK(losses[0].gap == Approx(0.0112));
  CHECK(losses[1].ranks.size() == 1);
  CHECK(std::isnan(losses[1].gap));
}
