// Cells of the grid of owners: the main owner, samples drawn twice and samples never drawn.
#include "gui/analysis/ownership.h"

#include "tests/gui/analysis/made_shards.h"
#include "tests/support/catch.h"

using namespace ringside;
using analysis::owned_cells;
using support::MadeRun;

TEST_CASE("with one sample per cell: its owner, who drew it again, and samples without an owner") {
  MadeRun run(2);
  run.shard(0, 0, {0, 3, 1}, 6);
  run.shard(1, 0, {2, 5, 0}, 6, 1);
  const auto* pass = run.model().shards().detail(0);
  REQUIRE(pass != nullptr);
  const auto cells = owned_cells(*pass, 0, 1, 100);
  REQUIRE(cells.size() == 6);
  const std::vector<Rank> owners{0, 0, 1, 0, kNoRank, 1};
  for (std::size_t i = 0; i < 6; ++i) CHECK(cells[i].owner == owners[i]);
  CHECK(cells[0].other == 1);
  CHECK(cells[0].twice == 1);
  CHECK(cells[1].other == kNoRank);
  CHECK(cells[4].unvisited == 1);
  const auto later = owned_cells(*pass, 4, 1, 1);
  REQUIRE(later.size() == 1);
  CHECK(later[0].owner == kNoRank);
  CHECK(owned_cells(*pass, 6, 1, 4).empty());
  CHECK(owned_cells(*pass, -1, 1, 4).empty());
}

TEST_CASE("with many samples per cell: the main owner, and a shorter last cell") {
  MadeRun run(3);
  support::draw_epoch(run, 0, 50, 0);
  const auto* pass = run.model().shards().detail(0);
  const auto cells = owned_cells(*pass, 0, 16, 10);
  REQUIRE(cells.size() == 4);
  CHECK(cells[3].samples == 2);
  std::int32_t twice = 0;
  for (std::size_t cell = 0; cell < cells.size(); ++cell) {
    std::array<std::int32_t, 3> counts{};
    const auto end = std::min<std::size_t>(50, (cell + 1) * 16);
    for (std::size_t i = cell * 16; i < end; ++i)
      ++counts[static_cast<std::size_t>(pass->owners.at(i))];
    const auto most = std::max_element(counts.begin(), counts.end());
    CHECK(cells[cell].owned == *most);
    CHECK(cells[cell].owner == most - counts.begin());
    twice += cells[cell].twice;
  }
  CHECK(twice == 1);
}
