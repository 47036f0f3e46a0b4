// The samples that each rank drew: counted by epoch, with bounded memory, in any order of the
// ranks' reports.
#include "gui/model/shard_store.h"

#include <numeric>

#include "protocol/messages/epoch_records.h"
#include "tests/support/catch.h"

using namespace ringside;
using model::ShardStore;

namespace {

messages::ShardReport report(Epoch epoch, std::vector<std::uint32_t> indices, std::int64_t dataset,
                             std::int64_t padded = 0) {
  messages::ShardReport body;
  body.epoch = epoch;
  body.dataset_size = dataset;
  body.shard_size = static_cast<std::int64_t>(indices.size());
  body.padded = padded;
  body.indices = std::move(indices);
  return body;
}

}  // namespace

TEST_CASE("in the published grid, 8 samples on 2 ranks, a quarter of them changes its rank") {
  ShardStore store;
  store.accept(0, report(0, {4, 7, 2, 1}, 8), 2);
  CHECK(store.epochs().empty());
  store.accept(1, report(0, {0, 3, 5, 6}, 8), 2);
  store.accept(1, report(1, {4, 6, 3, 0}, 8), 2);
  store.accept(0, report(1, {5, 2, 7, 1}, 8), 2);
  REQUIRE(store.epochs().size() == 2);
  CHECK(store.epochs()[0].moved == -1);
  CHECK(store.epochs()[1].moved == 2);
  CHECK(store.epochs()[1].compared == 8);
  CHECK(store.epochs()[1].distinct == 8);
  CHECK(store.epochs()[0].order_hash != store.epochs()[1].order_hash);
  CHECK(store.never_drawn() == 0);
  const auto drawn = store.drawn(1, 0);
  CHECK(std::vector<std::uint32_t>(drawn.begin(), drawn.end()) ==
        std::vector<std::uint32_t>{5, 2, 7, 1});
  CHECK(store.drawn(1, 2).empty());
  CHECK(store.drawn(2, 0).empty());
}

TEST_CASE(
    "equal orders have equal hashes, and other orders or ranks with the same samples do not") {
  ShardStore store;
  const std::vector<std::vector<std::uint32_t>> first = {{0, 1, 0, 2}, {1, 0, 1, 0}};
  const std::vector<std::vector<std::uint32_t>> second = {{2, 3, 2, 3}, {3, 2, 3, 1}};
  const Epoch epochs[] = {0, 1, 2, 3};
  for (const Epoch epoch : epochs) {
    const auto e = static_cast<std::size_t>(epoch);
    store.accept(0, report(epoch, {first[0][e], first[1][e]}, 4), 2);
    store.accept(1, report(epoch, {second[0][e], second[1][e]}, 4), 2);
  }
  REQUIRE(store.epochs().size() == 4);
  CHECK(store.epochs()[0].order_hash == store.epochs()[2].order_hash);
  CHECK(store.epochs()[0].order_hash != store.epochs()[1].order_hash);
  CHECK(store.epochs()[0].order_hash != store.epochs()[3].order_hash);
}

TEST_CASE("repeats at the end do not change the owner, and samples that nobody reads are counted") {
  ShardStore store;
  store.accept(0, report(0, {0, 2, 4}, 6), 2);
  store.accept(1, report(0, {1, 3, 0}, 6, 1), 2);
  REQUIRE(store.epochs().size() == 1);
  CHECK(store.epochs()[0].drawn == 6);
  CHECK(store.epochs()[0].padded == 1);
  CHECK(store.epochs()[0].distinct == 5);
  CHECK(store.never_drawn() == 1);
  store.accept(0, report(1, {5, 2, 4}, 6), 2);
  store.accept(1, report(1, {1, 3, 0}, 6), 2);
  CHECK(store.epochs()[1].moved == 1);  // sample 0 moved from rank 0 to rank 1
  CHECK(store.epochs()[1].compared == 5);
  CHECK(store.never_drawn() == 0);
}

TEST_CASE("parts are joined in order, and a repeated report by a new attempt replaces its shard") {
  ShardStore store;
  auto piece = report(0, {3, 1}, 4);
  piece.shard_size = 4;
  store.accept(0, piece, 1);
  CHECK(store.epochs().empty());
  auto rest = report(0, {0, 2}, 4);
  rest.shard_size = 4;
  rest.offset = 2;
  store.accept(0, rest, 1);
  REQUIRE(store.epochs().size() == 1);
  store.accept(0, report(0, {2, 0, 1, 3}, 4), 1);
  REQUIRE(store.epochs().size() == 1);
  CHECK(store.drawn(0, 0).front() == 2);
  CHECK(store.epochs()[0].drawn == 4);
}

TEST_CASE("invalid shards and those reported with gaps change nothing") {
  ShardStore store;
  store.accept(5, report(0, {0}, 4), 2);
  store.accept(-1, report(0, {0}, 4), 2);
  store.accept(0, report(-1, {0}, 4), 2);
  store.accept(0, report(0, {0}, model::kTrackedSamples + 1), 2);
  auto gap = report(0, {0}, 4);
  gap.offset = 3;
  store.accept(0, gap, 1);
  auto outside = report(0, {4'000'000'000U, 0}, 4);
  store.accept(0, outside, 1);
  REQUIRE(store.epochs().size() == 1);
  CHECK(store.epochs()[0].distinct == 1);
  auto strided = report(1, {0}, 4);
  strided.stride = 7;
  store.accept(0, strided, 1);
  CHECK(store.epochs().size() == 1);
  CHECK(store.sampled());
  REQUIRE(store.passes().size() == 2);
  CHECK(store.passes()[1].stride == 7);
  CHECK(store.passes()[1].drawn == 1);
}

TEST_CASE("memory stays bounded over any number of epochs") {
  ShardStore store;
  constexpr std::int64_t kSamples = 1 << 20;
  std::vector<std::uint32_t> all(kSamples);
  std::iota(all.begin(), all.end(), 0U);
  for (Epoch epoch = 0; epoch < 12; ++epoch) store.accept(0, report(epoch, all, kSamples), 1);
  CHECK(store.epochs().size() == 12);
  CHECK(store.epochs()[11].moved == 0);
  CHECK(store.drawn(0, 0).empty());
  CHECK(store.drawn(11, 0).size() == all.size());
  CHECK(store.memory_bytes() < (model::kKeptIndices + 2 * all.size()) * sizeof(std::uint32_t));
}

TEST_CASE("each attempt has passes of its own, and the newest is that of the epoch") {
  ShardStore store;
  for (const std::int32_t attempt : {0, 1}) {
    store.accept(0, report(0, {0, 1}, 4), 2, attempt);
    store.accept(1, report(0, {2, 3}, 4), 2, attempt);
  }
  store.accept(0, report(1, {1, 3, 0, 2}, 4), 1, 2);
  REQUIRE(store.passes().size() == 3);
  CHECK(store.passes()[0].attempt == 0);
  CHECK(store.passes()[1].attempt == 1);
  CHECK(store.passes()[2].world_size == 1);
  CHECK(store.passes()[2].moved == 2);  // those that rank 1 had
  REQUIRE(store.epochs().size() == 2);
  CHECK(store.epochs()[0].attempt == 1);
}

TEST_CASE("a pass is stored sample by sample, with the first draws and the repeats") {
  ShardStore store;
  store.accept(0, report(0, {5, 2, 4, 0, 1}, 9), 2);
  CHECK(store.detail(0) == nullptr);
  store.accept(1, report(0, {3, 8, 6, 7, 5}, 9, 1), 2);
  const auto* detail = store.detail(0);
  REQUIRE(detail != nullptr);
  CHECK(detail->owners.at(8) == 1);
  CHECK(detail->ranks[0].firsts == 4);
  CHECK(detail->ranks[0].first[0] == 5);
  CHECK(detail->ranks[1].distinct == 4);
  REQUIRE(detail->repeats.size() == 1);
  CHECK(detail->repeats[0].sample == 5);
  CHECK(detail->repeats[0].owner == 0);
  CHECK(detail->repeats[0].again == 1);
  CHECK(detail->repeats[0].padding);
  CHECK(store.detail(1) == nullptr);
}

TEST_CASE("owners are stored for the newest passes within their limit") {
  ShardStore store;
  constexpr std::int64_t kSamples = std::int64_t{1} << 24;
  for (Epoch epoch = 0; epoch < 5; ++epoch) {
    auto body = report(epoch, {0, 1, 2}, kSamples);
    for (Rank rank = 0; rank < 16; ++rank) store.accept(rank, body, 16);
  }
  CHECK(store.passes().size() == 5);
  CHECK(store.detail(0) == nullptr);
  CHECK(store.detail(4) != nullptr);
  CHECK(store.passes()[4].compared == 3);
  CHECK(store.memory_bytes() < model::kKeptOwnerBytes + (std::size_t{1} << 22));
}
