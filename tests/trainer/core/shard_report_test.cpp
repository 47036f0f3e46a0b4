#include "trainer/core/shard_report.h"

#include "tests/support/catch.h"

using namespace ringside;
using messages::ShardReport;

namespace {

core::ShardSampler sampler_of(std::int64_t n, Rank rank, std::int64_t world) {
  core::ShardOptions o;
  o.dataset_size = n;
  o.rank = rank;
  o.world_size = world;
  o.seed = 40;
  auto sampler = core::ShardSampler::create(o);
  REQUIRE(sampler);
  return *sampler;
}

}  // namespace

TEST_CASE("a shard is reported completely in pieces") {
  auto sampler = sampler_of(100'001, 2, 3);
  const auto drawn = sampler.draw_rest(2, 0);
  const auto& shard = drawn.indices;
  const auto pieces = core::shard_reports(sampler, 2, drawn);
  REQUIRE(pieces.size() == 3);
  std::vector<std::uint32_t> joined;
  for (const ShardReport& piece : pieces) {
    CHECK(piece.epoch == 2);
    CHECK(piece.sampler_seed == 42);
    CHECK(piece.dataset_size == 100'001);
    CHECK(piece.shard_size == 33'334);
    CHECK(piece.padded == 1);
    CHECK(piece.stride == 1);
    CHECK(piece.offset == static_cast<std::int64_t>(joined.size()));
    CHECK(piece.indices.size() <= ShardReport::kMaxIndices);
    joined.insert(joined.end(), piece.indices.begin(), piece.indices.end());
  }
  CHECK(joined == std::vector<std::uint32_t>(shard.begin(), shard.end()));
}

TEST_CASE("beyond a million samples every n-th is reported with its position") {
  auto sampler = sampler_of(core::kCompleteShard * 2 + 5, 0, 1);
  const auto drawn = sampler.draw_rest(0, 0);
  const auto& shard = drawn.indices;
  const auto pieces = core::shard_reports(sampler, 0, drawn);
  std::size_t sent = 0;
  bool in_place = true;
  for (const ShardReport& piece : pieces) {
    CHECK(piece.stride == 3);
    CHECK(piece.indices.size() <= ShardReport::kMaxIndices);
    sent += piece.indices.size();
    for (std::size_t i = 0; i < piece.indices.size(); ++i) {
      in_place =
          in_place && piece.indices[i] == shard[static_cast<std::size_t>(piece.offset) + 3 * i];
    }
  }
  CHECK(in_place);
  CHECK(sent == (shard.size() + 2) / 3);
}

TEST_CASE("a shard of a million samples is complete") {
  auto sampler = sampler_of(core::kCompleteShard, 0, 1);
  const auto pieces = core::shard_reports(sampler, 0, sampler.draw_rest(0, 0));
  CHECK(pieces.size() == 64);
  CHECK(pieces.back().stride == 1);
}
