#include "trainer/core/shard_sampler.h"

#include <algorithm>
#include <numeric>

#include "sampler_golden.h"
#include "tests/support/catch.h"

using ringside::ErrorKind;
using ringside::Rank;
using ringside::core::evaluation_shard;
using ringside::core::ShardOptions;
using ringside::core::ShardSampler;
using Indices = std::vector<std::uint32_t>;

namespace {

ShardOptions options(std::int64_t n, Rank rank, std::int64_t world) {
  ShardOptions o;
  o.dataset_size = n;
  o.rank = rank;
  o.world_size = world;
  return o;
}

Indices draw(const ShardOptions& o, ringside::Epoch epoch) {
  auto sampler = ShardSampler::create(o);
  REQUIRE(sampler);
  const auto shard = sampler->draw(epoch);
  return {shard.begin(), shard.end()};
}

std::uint64_t fnv1a(const Indices& values) {
  std::uint64_t hash = 0xcbf29ce484222325ULL;
  for (const std::uint32_t value : values) {
    for (unsigned shift = 0; shift < 32; shift += 8) {
      hash = (hash ^ ((value >> shift) & 0xffU)) * 0x100000001b3ULL;
    }
  }
  return hash;
}

}  // namespace

TEST_CASE("permutations of eight are those of torch") {
  Indices order;
  ringside::core::torch_randperm(0, 8, order);
  CHECK(order == Indices{4, 0, 7, 3, 2, 5, 1, 6});
  ringside::core::torch_randperm(1, 8, order);
  CHECK(order == Indices{5, 4, 2, 6, 7, 3, 1, 0});
}

TEST_CASE("eight samples on two GPUs are drawn as published") {
  CHECK(draw(options(8, 0, 2), 0) == Indices{4, 7, 2, 1});
  CHECK(draw(options(8, 1, 2), 0) == Indices{0, 3, 5, 6});
  CHECK(draw(options(8, 0, 2), 1) == Indices{5, 2, 7, 1});
  CHECK(draw(options(8, 1, 2), 1) == Indices{4, 6, 3, 0});
}

TEST_CASE("every index is that of DistributedSampler") {
  for (const SamplerGolden& golden : kSamplerGolden) {
    ShardOptions o = options(golden.n, golden.rank, golden.world);
    o.seed = golden.seed;
    o.repeat_padding = !golden.drop_last;
    const Indices shard = draw(o, golden.epoch);
    INFO("n " << golden.n << " world " << golden.world << " rank " << golden.rank << " epoch "
              << golden.epoch << " seed " << golden.seed << " drop " << golden.drop_last);
    REQUIRE(shard.size() == golden.count);
    CHECK(shard.front() == golden.first);
    CHECK(shard.back() == golden.last);
    CHECK(fnv1a(shard) == golden.fnv1a);
  }
}

TEST_CASE("without set_epoch every epoch repeats the first order") {
  ShardOptions o = options(100, 1, 3);
  o.set_epoch = false;
  CHECK(draw(o, 0) == draw(o, 5));
  CHECK(ShardSampler::create(o)->seed_of(5) == 0);
  o.set_epoch = true;
  CHECK(draw(o, 0) != draw(o, 5));
  CHECK(ShardSampler::create(o)->seed_of(5) == 5);
}

TEST_CASE("without shuffle the samples are drawn in order") {
  ShardOptions o = options(7, 1, 3);
  o.shuffle = false;
  CHECK(draw(o, 0) == Indices{1, 4, 0});
  CHECK(draw(o, 3) == Indices{1, 4, 0});
  o.repeat_padding = false;
  CHECK(draw(o, 0) == Indices{1, 4});
}

TEST_CASE("three ranks pad 50,000 samples by one on the last rank") {
  std::int64_t padded = 0;
  Indices all;
  for (Rank rank = 0; rank < 3; ++rank) {
    auto sampler = ShardSampler::create(options(50'000, rank, 3));
    REQUIRE(sampler);
    CHECK(sampler->shard_size() == 16'667);
    CHECK(sampler->padded() == (rank == 2 ? 1 : 0));
    padded += sampler->padded();
    const auto shard = sampler->draw(4);
    const auto own = shard.first(shard.size() - static_cast<std::size_t>(sampler->padded()));
    all.insert(all.end(), own.begin(), own.end());
  }
  CHECK(padded == 1);
  std::sort(all.begin(), all.end());
  Indices every(50'000);
  std::iota(every.begin(), every.end(), 0U);
  CHECK(all == every);
}

TEST_CASE("with more ranks than samples the repeats wrap around") {
  std::int64_t padded = 0;
  for (Rank rank = 0; rank < 8; ++rank) {
    auto sampler = ShardSampler::create(options(3, rank, 8));
    REQUIRE(sampler);
    CHECK(sampler->shard_size() == 1);
    padded += sampler->padded();
  }
  CHECK(padded == 5);
}

TEST_CASE("drop_last leaves out the remainder") {
  ShardOptions o = options(100, 2, 3);
  o.repeat_padding = false;
  auto sampler = ShardSampler::create(o);
  REQUIRE(sampler);
  CHECK(sampler->shard_size() == 33);
  CHECK(sampler->padded() == 0);
}

TEST_CASE("an invalid sampler is refused") {
  const auto refused = [](const ShardOptions& o) {
    const auto sampler = ShardSampler::create(o);
    return !sampler && sampler.error().kind == ErrorKind::kRequest;
  };
  CHECK(refused(options(0, 0, 1)));
  CHECK(refused(options(10, 2, 2)));
  CHECK(refused(options(10, -1, 2)));
  CHECK(refused(options(10, 0, 0)));
  CHECK(refused(options(ringside::core::kMaxDatasetSize, 0, 1)));
  ShardOptions o = options(2, 0, 3);
  o.repeat_padding = false;
  CHECK(refused(o));
  CHECK_FALSE(refused(options(2, 0, 3)));
}

TEST_CASE("the spec determines the options") {
  ringside::messages::RunSpec spec;
  spec.devices.world_size = 4;
  spec.train.seed = 9;
  spec.sampler.shuffle = false;
  spec.sampler.set_epoch = false;
  spec.sampler.padding = "none";
  const ShardOptions o = ringside::core::shard_options(spec, 10, 3);
  CHECK(o.dataset_size == 10);
  CHECK(o.rank == 3);
  CHECK(o.world_size == 4);
  CHECK(o.seed == 9);
  CHECK_FALSE(o.shuffle);
  CHECK_FALSE(o.set_epoch);
  CHECK_FALSE(o.repeat_padding);
}

TEST_CASE("exact evaluation counts every sample once") {
  CHECK(evaluation_shard("exact", 10'000, 0, 3).indices.size() == 3334);
  CHECK(evaluation_shard("exact", 10'000, 1, 3).indices.size() == 3333);
  CHECK(evaluation_shard("exact", 10'000, 2, 3).indices.size() == 3333);
  CHECK(evaluation_shard("exact", 10'000, 2, 3).repeats == 0);
  CHECK(evaluation_shard("exact", 7, 1, 3).indices == Indices{1, 4});
  CHECK(evaluation_shard("exact", 2, 2, 3).indices.empty());
}

TEST_CASE("padded evaluation on three ranks reads samples 0 and 1 twice, on ranks 1 and 2") {
  for (Rank rank = 0; rank < 3; ++rank) {
    const auto shard = evaluation_shard("padded", 10'000, rank, 3);
    CHECK(shard.indices.size() == 3334);
    CHECK(shard.repeats == (rank == 0 ? 0 : 1));
    const auto last = rank == 0 ? 9999U : static_cast<std::uint32_t>(rank - 1);
    CHECK(shard.indices.back() == last);
  }
  // With more ranks than samples the order is repeated several times.
  CHECK(evaluation_shard("padded", 2, 4, 5).indices == Indices{0});
  CHECK(evaluation_shard("padded", 2, 4, 5).repeats == 1);
}

TEST_CASE("with rank0 evaluation rank 0 reads everything and the others nothing") {
  CHECK(evaluation_shard("rank0", 5, 0, 3).indices == Indices{0, 1, 2, 3, 4});
  CHECK(evaluation_shard("rank0", 5, 1, 3).indices.empty());
}

TEST_CASE("the rest of an epoch is the end of the shard if the number of ranks is the same") {
  for (const bool repeat : {true, false}) {
    ShardOptions o = options(103, 1, 3);
    o.repeat_padding = repeat;
    auto sampler = ShardSampler::create(o);
    REQUIRE(sampler);
    const auto whole = draw(o, 2);
    const auto rest = sampler->draw_rest(2, std::int64_t{3} * 20);
    CHECK(Indices(rest.indices.begin(), rest.indices.end()) ==
          Indices(whole.begin() + 20, whole.end()));
    CHECK(rest.padded == sampler->padded());
  }
}

TEST_CASE("a different number of ranks reads the rest of an epoch, each sample once") {
  Indices read;
  for (Rank rank = 0; rank < 4; ++rank) {
    const auto shard = draw(options(50, rank, 4), 1);
    read.insert(read.end(), shard.begin(), shard.begin() + 6);
  }
  std::int64_t repeats = 0;
  for (Rank rank = 0; rank < 3; ++rank) {
    const ShardOptions o = options(50, rank, 3);
    auto sampler = ShardSampler::create(o);
    const auto rest = sampler->draw_rest(1, 24);
    CHECK(rest.indices.size() == 9);
    repeats += rest.padded;
    read.insert(read.end(), rest.indices.begin(), rest.indices.end() - rest.padded);
  }
  CHECK(repeats == 1);
  std::sort(read.begin(), read.end());
  Indices all(50);
  std::iota(all.begin(), all.end(), 0U);
  CHECK(read == all);
}

TEST_CASE("nothing is left of an epoch that was read completely, padding included") {
  auto sampler = ShardSampler::create(options(10, 0, 2));
  CHECK(sampler->draw_rest(0, 10).indices.empty());
  CHECK(sampler->draw_rest(0, 12).indices.empty());
}
