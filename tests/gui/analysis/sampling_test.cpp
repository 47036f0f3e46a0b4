// Judgements about the samples that ranks drew: orders, moves, repeats, samples never drawn, and
// the batch.
#include "gui/analysis/sampling.h"

#include "gui/analysis/accuracy.h"
#include "gui/analysis/findings/detectors.h"
#include "gui/analysis/metric_figures.h"
#include "gui/analysis/ownership.h"
#include "gui/analysis/progress.h"
#include "tests/gui/analysis/made_shards.h"
#include "tests/support/catch.h"

using namespace ringside;
using analysis::SampleCheck;
using analysis::SampleVerdict;
using support::dealt_out;
using support::draw_epoch;
using support::MadeRun;

namespace {

messages::RunSpec sampling_spec_of(Rank ranks, std::int64_t samples = 8) {
  messages::RunSpec spec;
  spec.devices.world_size = ranks;
  spec.data.name = "integers";
  spec.data.train_samples = samples;
  spec.batch.size = 4;
  spec.batch.meaning = "per_rank";
  return spec;
}

/// Epochs of 50 samples on 3 ranks, each with its own order until `fixed_from`.
MadeRun epochs_of_50(Epoch epochs, Epoch fixed_from,
                     messages::RunSpec spec = sampling_spec_of(3, 50)) {
  MadeRun run(spec);
  for (Epoch epoch = 0; epoch < epochs; ++epoch)
    draw_epoch(run, epoch, 50, epoch < fixed_from ? static_cast<std::uint64_t>(epoch) : 0);
  return run;
}

}  // namespace

TEST_CASE("E1: the orders of seeds 0 and 1 are the published ones, and a quarter moves") {
  const auto first = dealt_out(2, 0, 8, 0);
  CHECK(first[0].indices == std::vector<std::uint32_t>{4, 7, 2, 1});
  CHECK(first[1].indices == std::vector<std::uint32_t>{0, 3, 5, 6});
  MadeRun run(sampling_spec_of(2));
  draw_epoch(run, 0, 8, 0);
  draw_epoch(run, 1, 8, 1);
  const auto passes = run.model().shards().passes();
  REQUIRE(passes.size() == 2);
  CHECK(std::isnan(analysis::migration(passes[0])));
  CHECK(analysis::migration(passes[1]) == 0.25);
  CHECK(analysis::expected_migration(2) == 0.5);
  const auto facts = analysis::sampling_of(run.model());
  for (const auto check : {SampleCheck::kOrder, SampleCheck::kMoves, SampleCheck::kTwice,
                           SampleCheck::kUnvisited, SampleCheck::kOverlap}) {
    INFO(static_cast<int>(check));
    CHECK(facts.of(check) == SampleVerdict::kPassed);
  }
  CHECK(facts.of(SampleCheck::kBatch) == SampleVerdict::kUnknown);  // nothing was trained
  CHECK(facts.batch.asked == 8);
}

TEST_CASE("a repeated order is traced to the epoch that had it first") {
  const MadeRun run = epochs_of_50(8, 5);
  const auto order = analysis::order_repeats(run.model());
  CHECK(order.source == std::vector<std::int32_t>{-1, -1, -1, -1, -1, 0, 0, 0});
  CHECK(order.first == 5);
  CHECK(order.last == 7);
  const auto facts = analysis::sampling_of(run.model());
  CHECK(facts.of(SampleCheck::kOrder) == SampleVerdict::kFailed);
  // The first of these passes still differs from the epoch before it.
  CHECK(facts.still == 2);
  CHECK(facts.still_from == 6);
  CHECK(facts.compared == 7);
  CHECK(facts.of(SampleCheck::kMoves) == SampleVerdict::kFailed);
}

TEST_CASE("without shuffling the same order is as requested") {
  messages::RunSpec spec = sampling_spec_of(3, 50);
  spec.sampler.shuffle = false;
  const auto facts = analysis::sampling_of(epochs_of_50(3, 0, spec).model());
  CHECK(facts.order.any());
  CHECK(facts.of(SampleCheck::kOrder) == SampleVerdict::kNote);
  CHECK(facts.of(SampleCheck::kMoves) == SampleVerdict::kNote);
}

TEST_CASE("an epoch that a restart repeats does not count as a repeat") {
  MadeRun run(sampling_spec_of(3, 50));
  draw_epoch(run, 0, 50, 0);
  draw_epoch(run, 1, 50, 1);
  support::restart_run(run, 1, 5, 3);
  draw_epoch(run, 1, 50, 1);
  draw_epoch(run, 2, 50, 2);
  const auto passes = run.model().shards().passes();
  REQUIRE(passes.size() == 4);
  CHECK(passes[2].epoch == 1);
  CHECK(passes[2].attempt == 1);
  CHECK_FALSE(passes[2].rest);
  CHECK(passes[2].moved == passes[1].moved);
  CHECK(run.model().shards().epochs().size() == 3);
  CHECK_FALSE(analysis::order_repeats(run.model()).any());
  CHECK_FALSE(analysis::order_repeated(run.model()));
}

TEST_CASE("the rest of an epoch on fewer ranks counts as complete") {
  MadeRun run(sampling_spec_of(4, 48));
  draw_epoch(run, 0, 48, 0);
  support::restart_run(run, 1, 2, 2);
  const auto order = support::torch_order(0, 48);
  for (Rank rank = 0; rank < 2; ++rank) {
    std::vector<std::uint32_t> shard;
    for (std::size_t at = 32 + static_cast<std::size_t>(rank); at < 48; at += 2)
      shard.push_back(order[at]);
    run.shard(rank, 0, shard, 48);
  }
  const auto passes = run.model().shards().passes();
  REQUIRE(passes.size() == 2);
  CHECK(passes[1].rest);
  CHECK(passes[1].world_size == 2);
  CHECK(analysis::left_out(run.model()).newest == 0);
  CHECK_FALSE(analysis::unread_samples(run.model()));
  CHECK(analysis::sampling_of(run.model()).of(SampleCheck::kUnvisited) == SampleVerdict::kPassed);
}

TEST_CASE("padding is reported with the sample that it repeats most often") {
  MadeRun run(sampling_spec_of(3, 50));
  for (const Epoch epoch : {0, 1, 2}) draw_epoch(run, epoch, 50, epoch == 1 ? 1 : 0);
  const auto facts = analysis::sampling_of(run.model());
  CHECK(facts.twice.fewest == 1);
  CHECK(facts.twice.most == 1);
  CHECK(facts.twice.shared == 0);
  CHECK(facts.twice.sample == support::torch_order(0, 50).front());
  CHECK(facts.twice.passes == 2);
  CHECK(facts.twice.known == 3);
  CHECK(facts.of(SampleCheck::kTwice) == SampleVerdict::kNote);
  CHECK(facts.of(SampleCheck::kOverlap) == SampleVerdict::kPassed);
  const auto rows = analysis::shard_rows(run.model(), 2);
  REQUIRE(rows.size() == 3);
  CHECK(rows[0].drawn == 17);
  CHECK(rows[0].twice == 0);
  CHECK(rows[2].drawn == 17);
  CHECK(rows[2].distinct == 16);
  CHECK(rows[2].twice == 1);
  CHECK(rows[2].steps == 0);  // no pass was reported
}

TEST_CASE("a program in which every rank draws all samples is found") {
  messages::RunSpec spec = sampling_spec_of(2);
  spec.program.argv = {"train.py"};
  MadeRun run(spec);
  for (Rank rank = 0; rank < 2; ++rank) run.shard(rank, 0, {0, 1, 2, 3, 4, 5, 6, 7}, 8);
  const auto facts = analysis::sampling_of(run.model());
  CHECK(facts.twice.shared == 8);
  CHECK(facts.of(SampleCheck::kOverlap) == SampleVerdict::kFailed);
  CHECK(facts.of(SampleCheck::kOrder) == SampleVerdict::kUnknown);
  CHECK(facts.own_program);
}

TEST_CASE("ranks that share a part of the data draw it once and train it once") {
  messages::RunSpec spec = sampling_spec_of(4);
  spec.program.argv = {"train.py"};
  MadeRun run(spec);
  for (Rank rank = 0; rank < 4; ++rank) {
    for (Epoch epoch = 0; epoch < 2; ++epoch) {
      messages::ShardReport body = dealt_out(2, epoch, 8, static_cast<std::uint64_t>(epoch))
                                       .at(static_cast<std::size_t>(rank / 2));
      body.replica = rank / 2;
      body.replicas = 2;
      run.say(rank, 0, body);
    }
    for (Step step = 0; step < 20; ++step)
      run.step(rank, step, 25.0 * static_cast<double>(step + 1), {.step = 25}, 4);
    run.pass(rank, messages::Phase::kTrain, 0, 500, -1, 80, 40);
  }
  const auto& model = run.model();
  const auto facts = analysis::sampling_of(model);
  CHECK(facts.parts == 2);
  CHECK(facts.twice.shared == 0);
  CHECK(facts.of(SampleCheck::kOverlap) == SampleVerdict::kPassed);
  CHECK(facts.of(SampleCheck::kOrder) == SampleVerdict::kPassed);
  CHECK(analysis::migration(model.shards().passes()[1]) == 0.25);
  CHECK(facts.batch.seen == 8);
  CHECK(analysis::throughput(model, {0, 20}).total_per_s == Approx(320));
  CHECK(analysis::samples_trained(model) == 160);
  CHECK(analysis::pass_of(model, messages::Phase::kTrain, 0)->counted == 160);
  CHECK(analysis::pass_of(model, messages::Phase::kTrain, 0)->loss == 0.5);
  const std::vector<std::optional<double>> batches(4, 4.0);
  CHECK(analysis::metric_of_all(model, model::info_of(model::Metric::kSamples), {}, batches) == 8);
  const auto rows = analysis::shard_rows(model, 0);
  CHECK(rows[1].same_as == 0);
  CHECK(rows[1].distinct == 4);
  CHECK(rows[3].same_as == 2);
}

TEST_CASE("ranks that share the work on a batch train it once") {
  messages::RunSpec spec = sampling_spec_of(4);
  spec.program.argv = {"train.py"};
  MadeRun run(spec);
  const auto member_of = [&](Rank rank, std::int32_t group, const std::string& dimension,
                             std::vector<Rank> ranks, bool sharing) {
    run.say(rank, 0,
            messages::GroupReport{group, dimension + std::to_string(ranks.front()), dimension, "",
                                  "gloo", std::move(ranks), static_cast<std::uint8_t>(sharing)});
  };
  for (Rank rank = 0; rank < 4; ++rank) {
    const Rank first = rank / 2 * 2;
    const Rank alike = rank % 2;
    member_of(rank, 0, "tp", {first, first + 1}, true);
    member_of(rank, 1, "dp", {alike, alike + 2}, false);
    for (Step step = 0; step < 20; ++step)
      run.step(rank, step, 25.0 * static_cast<double>(step + 1), {.step = 25}, 4);
  }
  const auto& model = run.model();
  CHECK(analysis::counts_samples(model, 2));
  CHECK_FALSE(analysis::counts_samples(model, 3));
  CHECK(analysis::sampling_of(model).batch.seen == 8);
  CHECK(analysis::throughput(model, {0, 20}).total_per_s == Approx(320));
  CHECK(analysis::samples_trained(model) == 160);
}

TEST_CASE("parts reported by samplers take precedence over those inferred from groups") {
  messages::RunSpec spec = sampling_spec_of(4);
  spec.program.argv = {"train.py"};
  MadeRun run(spec);
  for (Rank rank = 0; rank < 4; ++rank) {
    run.say(rank, 0, messages::GroupReport{0, "all", "tp", "", "gloo", {0, 1, 2, 3}, 1});
    messages::ShardReport body = dealt_out(2, 0, 8, 0).at(static_cast<std::size_t>(rank / 2));
    body.replica = rank / 2;
    body.replicas = 2;
    run.say(rank, 0, body);
  }
  CHECK(analysis::counts_samples(run.model(), 2));
  CHECK_FALSE(analysis::counts_samples(run.model(), 3));
}

TEST_CASE("separate parts that all ranks draw are a mistake") {
  messages::RunSpec spec = sampling_spec_of(2);
  spec.program.argv = {"train.py"};
  MadeRun run(spec);
  for (Rank rank = 0; rank < 2; ++rank) {
    messages::ShardReport body = dealt_out(2, 0, 8, 0)[0];
    body.replica = 0;
    body.replicas = 2;
    run.say(rank, 0, body);
  }
  CHECK(analysis::sampling_of(run.model()).of(SampleCheck::kOverlap) == SampleVerdict::kFailed);
}

TEST_CASE("samples that nobody draws fail the check if they exceed what the settings leave out") {
  const std::uint32_t drawn = GENERATE(39U, 30U);
  MadeRun run(sampling_spec_of(1, 40));
  std::vector<std::uint32_t> some(drawn);
  std::iota(some.begin(), some.end(), 0U);
  run.shard(0, 0, some, 40);
  const auto facts = analysis::sampling_of(run.model());
  CHECK(facts.unvisited.most == 40 - drawn);
  CHECK(facts.unvisited.never == 40 - drawn);
  CHECK(facts.of(SampleCheck::kUnvisited) == SampleVerdict::kFailed);
  MadeRun of_two(sampling_spec_of(2, 41));
  for (Rank rank = 0; rank < 2; ++rank) {
    std::vector<std::uint32_t> shard(20);
    std::iota(shard.begin(), shard.end(), 20U * static_cast<std::uint32_t>(rank));
    of_two.shard(rank, 0, shard, 41);
  }
  CHECK(analysis::sampling_of(of_two.model()).of(SampleCheck::kUnvisited) == SampleVerdict::kNote);
}

TEST_CASE("the real batch is what the steps contained, and the last one is the rest of the epoch") {
  messages::RunSpec spec = sampling_spec_of(3, 50);
  spec.batch.size = 8;
  spec.batch.meaning = "global";
  MadeRun run(spec, 9, 1);
  draw_epoch(run, 0, 50, 0);
  for (Rank rank = 0; rank < 3; ++rank) {
    for (Step step = 0; step < 9; ++step) run.step(rank, step, 10, {}, step < 8 ? 2 : 1);
    messages::EpochReport body;
    body.phase = messages::Phase::kTrain;
    body.steps = 9;
    body.last_step = 8;
    run.say(rank, 100, body);
  }
  const auto facts = analysis::sampling_of(run.model());
  CHECK(facts.batch.asked == 8);
  CHECK(facts.batch.seen == 6);
  CHECK(facts.batch.last == 3);
  CHECK(facts.of(SampleCheck::kBatch) == SampleVerdict::kNote);
  const auto rows = analysis::shard_rows(run.model(), 0);
  CHECK(rows[1].steps == 9);
  CHECK(rows[1].last_batch == 1);
}

TEST_CASE("nothing is judged before there are reports") {
  const auto facts = analysis::sampling_of(MadeRun(2).model());
  for (const SampleVerdict judged : facts.judged) CHECK(judged == SampleVerdict::kUnknown);
  CHECK_FALSE(facts.order.any());
  CHECK(analysis::shard_rows(MadeRun(2).model(), 0).empty());
}
