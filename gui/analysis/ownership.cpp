#include "gui/analysis/ownership.h"

#include <algorithm>
#include <limits>

namespace ringside::analysis {
namespace {

/// Finds the rank that owns most samples of a cell; `counts`, by rank, is all zero before and
/// after.
void count_owners(const model::ShardDetail& pass, std::int64_t begin, std::int64_t end,
                  std::vector<std::int32_t>& counts, OwnedCell& cell) {
  for (std::int64_t sample = begin; sample < end; ++sample) {
    const Rank rank = pass.owners.at(static_cast<std::size_t>(sample));
    if (rank == kNoRank || static_cast<std::size_t>(rank) >= counts.size()) {
      ++cell.unvisited;
      continue;
    }
    const std::int32_t count = ++counts[static_cast<std::size_t>(rank)];
    if (count > cell.owned || (count == cell.owned && rank < cell.owner)) {
      cell.owned = count;
      cell.owner = rank;
    }
  }
  for (std::int64_t sample = begin; sample < end; ++sample) {
    const Rank rank = pass.owners.at(static_cast<std::size_t>(sample));
    if (rank != kNoRank && static_cast<std::size_t>(rank) < counts.size())
      counts[static_cast<std::size_t>(rank)] = 0;
  }
}

}  // namespace

std::vector<OwnedCell> owned_cells(const model::ShardDetail& pass, std::int64_t first,
                                   std::int64_t per_cell, std::size_t cells) {
  std::vector<OwnedCell> owned;
  const auto size = static_cast<std::int64_t>(pass.owners.size());
  if (first < 0 || per_cell < 1) return owned;
  owned.reserve(cells);
  std::vector<std::int32_t> counts(pass.ranks.size());
  auto again = std::lower_bound(pass.repeats.begin(), pass.repeats.end(), first,
                                [](const model::RepeatedSample& one, std::int64_t sample) {
                                  return static_cast<std::int64_t>(one.sample) < sample;
                                });
  for (std::int64_t begin = first; begin < size && owned.size() < cells; begin += per_cell) {
    const std::int64_t end = std::min(begin + per_cell, size);
    OwnedCell& cell = owned.emplace_back();
    cell.samples = static_cast<std::int32_t>(end - begin);
    count_owners(pass, begin, end, counts, cell);
    for (; again != pass.repeats.end() && static_cast<std::int64_t>(again->sample) < end; ++again) {
      ++cell.twice;
      cell.other = again->again;
    }
  }
  return owned;
}

double migration(const model::EpochShards& pass) {
  return pass.moved >= 0 && pass.compared > 0
             ? static_cast<double>(pass.moved) / static_cast<double>(pass.compared)
             : std::numeric_limits<double>::quiet_NaN();
}

double expected_migration(Rank ranks) {
  return ranks > 0 ? 1.0 - 1.0 / static_cast<double>(ranks) : 0;
}

}  // namespace ringside::analysis
