// Tests batch facts against the tables of five published experiments: steps, last batches and
// padding that follow from their settings.
#include "protocol/messages/spec/batch_facts.h"

#include "tests/support/catch.h"

namespace ringside::messages {
namespace {

constexpr std::int64_t kCifar = 50'000;
constexpr std::int64_t kMnist = 60'000;

RunSpec spec_of(std::int64_t ranks, std::int64_t batch, const char* meaning) {
  RunSpec spec;
  spec.devices.world_size = ranks;
  spec.batch.size = batch;
  spec.batch.meaning = meaning;
  return spec;
}

struct Row {
  std::int64_t ranks;
  std::int64_t per_rank;
  std::int64_t global;
  std::int64_t steps;
  std::int64_t last;
  std::int64_t padding;
};

void check_rows(const std::vector<Row>& rows, std::int64_t dataset, std::int64_t batch,
                const char* meaning) {
  for (const Row& row : rows) {
    INFO(row.ranks << " ranks");
    const auto facts = batch_facts(spec_of(row.ranks, batch, meaning), dataset);
    REQUIRE(facts);
    CHECK(facts->per_rank_batch == row.per_rank);
    CHECK(facts->global_batch == row.global);
    CHECK(facts->steps_per_epoch == row.steps);
    CHECK(facts->last_batch == row.last);
    CHECK(facts->padded_samples == row.padding);
    CHECK(facts->samples_per_rank * row.ranks == dataset + row.padding);
    CHECK(facts->samples_per_rank == (row.steps - 1) * row.per_rank + row.last);
    CHECK(facts->unread_samples == 0);
  }
}

TEST_CASE("strong scaling keeps a global batch of 128 on CIFAR-10 over 1 to 8 ranks") {
  check_rows({{1, 128, 128, 391, 80, 0},
              {2, 64, 128, 391, 40, 0},
              {3, 42, 126, 397, 35, 1},
              {4, 32, 128, 391, 20, 0},
              {6, 21, 126, 397, 18, 4},
              {8, 16, 128, 391, 10, 0}},
             kCifar, 128, "global");
  const auto facts = batch_facts(spec_of(3, 128, "global"), kCifar);
  REQUIRE(facts);
  CHECK(facts->global_batch_nominal == 128);
  CHECK(facts->global_batch == 126);
}

TEST_CASE("weak scaling has 32 samples per rank on CIFAR-10 and on MNIST") {
  check_rows({{1, 32, 32, 1563, 16, 0}, {2, 32, 64, 782, 8, 0}, {4, 32, 128, 391, 20, 0}}, kCifar,
             32, "per_rank");
  check_rows({{1, 32, 32, 1875, 32, 0}, {2, 32, 64, 938, 16, 0}, {4, 32, 128, 469, 24, 0}}, kMnist,
             32, "per_rank");
}

TEST_CASE("weak scaling has 128 and 256 samples per rank on CIFAR-10") {
  check_rows({{1, 128, 128, 391, 80, 0},
              {2, 128, 256, 196, 40, 0},
              {3, 128, 384, 131, 27, 1},
              {4, 128, 512, 98, 84, 0}},
             kCifar, 128, "per_rank");
  check_rows({{1, 256, 256, 196, 80, 0}, {2, 256, 512, 98, 168, 0}, {4, 256, 1024, 49, 212, 0}},
             kCifar, 256, "per_rank");
}

TEST_CASE("without padding the remaining samples are left out") {
  RunSpec spec = spec_of(3, 128, "per_rank");
  spec.sampler.padding = "none";
  const auto facts = batch_facts(spec, kCifar);
  REQUIRE(facts);
  CHECK(facts->samples_per_rank == 16'666);
  CHECK(facts->padded_samples == 0);
  CHECK(facts->unread_samples == 2);
}

TEST_CASE("the total number of steps covers all epochs, limited by train.max_steps") {
  RunSpec spec = spec_of(2, 64, "global");
  spec.train.epochs = 3;
  CHECK(batch_facts(spec, 6000)->total_steps == 3 * 94);
  spec.train.max_steps = 100;
  CHECK(batch_facts(spec, 6000)->total_steps == 100);
  spec.train.max_steps = 1'000'000;
  CHECK(batch_facts(spec, 6000)->total_steps == 3 * 94);
}

TEST_CASE("settings that leave a rank without samples are refused with the numbers") {
  const auto batch = batch_facts(spec_of(8, 4, "global"), kCifar);
  REQUIRE_FALSE(batch);
  CHECK(batch.error().kind == ErrorKind::kRequest);
  CHECK(batch.error().message.find("batch.size = 4 over 8 ranks") != std::string::npos);
  RunSpec spec = spec_of(8, 64, "global");
  spec.sampler.padding = "none";
  CHECK_FALSE(batch_facts(spec, 7));
  CHECK_FALSE(batch_facts(spec_of(0, 64, "per_rank"), kCifar));
  CHECK_FALSE(batch_facts(spec_of(1, 64, "per_rank"), 0));
}

TEST_CASE("with more ranks than samples every rank gets a repeated sample") {
  const auto facts = batch_facts(spec_of(8, 1, "per_rank"), 3);
  REQUIRE(facts);
  CHECK(facts->samples_per_rank == 1);
  CHECK(facts->padded_samples == 5);
  CHECK(facts->steps_per_epoch == 1);
}

TEST_CASE("dropping the last batch also drops the repeats in it") {
  RunSpec spec = spec_of(3, 128, "per_rank");
  spec.batch.drop_last = true;
  // 16,667 each: 130 steps of 128 and 27 remaining samples.
  const auto facts = batch_facts(spec, kCifar);
  REQUIRE(facts);
  CHECK(facts->steps_per_epoch == 130);
  CHECK(facts->last_batch == 128);
  CHECK(facts->padded_samples == 0);
  CHECK(facts->unread_samples == kCifar - 130 * 128 * 3);
  spec.batch.size = 20'000;
  const auto none = batch_facts(spec, kCifar);
  REQUIRE_FALSE(none);
  CHECK(none.error().message.find("batch.drop_last leaves no step") != std::string::npos);
}

TEST_CASE("gradient accumulation divides a rank's batch and changes neither steps nor batches") {
  RunSpec spec = spec_of(2, 50, "per_rank");
  spec.batch.accumulate = 4;
  const auto facts = batch_facts(spec, kMnist);
  REQUIRE(facts);
  CHECK(facts->per_rank_batch == 50);
  CHECK(facts->part_batch == 13);
  CHECK(facts->steps_per_epoch == 600);
  spec.batch.accumulate = 51;
  CHECK_FALSE(batch_facts(spec, kMnist));
}

TEST_CASE("the learning rate is scaled by the actual global batch and the chosen rule") {
  const auto scale_of = [](std::int64_t ranks, std::int64_t batch, const char* meaning,
                           const char* rule, std::int64_t lr_batch) {
    RunSpec spec = spec_of(ranks, batch, meaning);
    spec.optimizer.lr_rule = rule;
    spec.optimizer.lr_batch = lr_batch;
    const auto facts = batch_facts(spec, kCifar);
    REQUIRE(facts);
    return facts->lr_scale;
  };
  CHECK(scale_of(4, 32, "per_rank", "none", 0) == 1.0);
  CHECK(scale_of(4, 32, "per_rank", "linear", 0) == 4.0);
  CHECK(scale_of(4, 32, "per_rank", "sqrt", 0) == 2.0);
  CHECK(scale_of(4, 32, "per_rank", "linear", 256) == 0.5);
  CHECK(scale_of(3, 128, "global", "linear", 0) == Approx(126.0 / 128.0));
}

TEST_CASE("a single process for all devices takes the batches of all of them") {
  RunSpec spec = spec_of(4, 256, "per_rank");
  spec.devices.parallel = "dp";
  const auto facts = batch_facts(spec, kCifar);
  REQUIRE(facts);
  CHECK(facts->per_rank_batch == 1024);
  CHECK(facts->global_batch == 1024);
  CHECK(facts->steps_per_epoch == 49);
  CHECK(facts->last_batch == 848);
  CHECK(facts->samples_per_rank == kCifar);
}

}  // namespace
}  // namespace ringside::messages
