// Owners in few bits read back as they were written, whatever the number of ranks.
#include "gui/model/owner_map.h"

#include "tests/support/catch.h"

using namespace ringside;
using model::OwnerMap;

TEST_CASE("every rank can own a sample, and neighbouring samples are not changed") {
  const Rank world = GENERATE(1, 2, 3, 4, 15, 16, 64, 255, 256, 65535, 65536);
  constexpr std::size_t kSamples = 131;
  OwnerMap owners(kSamples, world);
  CHECK(owners.size() == kSamples);
  for (std::size_t i = 0; i < kSamples; ++i) REQUIRE(owners.at(i) == kNoRank);
  const auto rank_of = [world](std::size_t i) {
    return static_cast<Rank>((i * 7919 + 65535) % static_cast<std::size_t>(world));
  };
  for (std::size_t i = 0; i < kSamples; i += 2) owners.set(i, rank_of(i));
  owners.set(kSamples - 1, world - 1);
  for (std::size_t i = 1; i < kSamples; i += 2) REQUIRE(owners.at(i) == kNoRank);
  for (std::size_t i = 0; i + 1 < kSamples; i += 2) REQUIRE(owners.at(i) == rank_of(i));
  CHECK(owners.at(kSamples - 1) == world - 1);
  owners.set(4, kNoRank);
  CHECK(owners.at(4) == kNoRank);
}

TEST_CASE("a million samples on eight ranks need half a megabyte") {
  CHECK(OwnerMap(1 << 20, 8).memory_bytes() < (1 << 19) + 64);
}
