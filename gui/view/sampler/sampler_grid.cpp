// The grid of owners: only the visible rows and cells are computed.
#include <algorithm>
#include <bitset>

#include "gui/analysis/sampling.h"
#include "gui/model/rank_model.h"
#include "gui/model/run_model.h"
#include "gui/view/number_format.h"
#include "gui/view/sampler/sampler_view.h"

namespace ringside::view {
namespace {

/// Number of positions of the strip above the grid that can be marked.
constexpr std::size_t kPlaces = 2048;
/// Cells between two labels if cells are narrow.
constexpr std::int64_t kLabelEvery = 10;
constexpr std::int64_t kFewColumns = 20;

/// A row of the page before its cells are computed.
struct Line {
  std::int64_t pass = -1;
  std::string words{};
};

std::string attempt_words(const model::RunModel& run, const model::EpochShards& before,
                          const model::EpochShards& after) {
  const auto attempts = run.attempts();
  const auto place = static_cast<std::size_t>(after.attempt);
  const bool resumed = place < attempts.size() && attempts[place].first_step > 0;
  std::string words = resumed ? "resumed from a checkpoint" : "started again";
  if (before.world_size != after.world_size)
    words += " with " + plural(after.world_size, "rank", "ranks") + " instead of " +
             std::to_string(before.world_size);
  return words;
}

std::vector<Line> lines_of(const model::RunModel& run) {
  std::vector<Line> lines;
  const auto passes = run.shards().passes();
  for (std::size_t i = 0; i < passes.size(); ++i) {
    if (i > 0 && passes[i].attempt != passes[i - 1].attempt)
      lines.push_back({-1, attempt_words(run, passes[i - 1], passes[i])});
    lines.push_back({static_cast<std::int64_t>(i)});
  }
  return lines;
}

std::int64_t count_rows(std::span<const model::EpochShards> passes) {
  auto rows = static_cast<std::int64_t>(passes.size());
  for (std::size_t i = 1; i < passes.size(); ++i)
    rows += passes[i].attempt != passes[i - 1].attempt ? 1 : 0;
  return rows;
}

SamplerRow row_of(const model::RunModel& run, const Line& line, const analysis::OrderRepeats& order,
                  const SamplerGridView& grid) {
  SamplerRow row;
  row.pass = line.pass;
  row.epoch = line.words;
  if (line.pass < 0) return row;
  const auto place = static_cast<std::size_t>(line.pass);
  const auto& pass = run.shards().passes()[place];
  row.epoch = std::to_string(pass.epoch + 1);
  if (pass.parts > 1) row.moved = decimal_text(100 * analysis::migration(pass), 1);
  row.repeated = order.source[place] >= 0;
  row.still = pass.parts > 1 && pass.compared > 0 && pass.moved == 0;
  if (const auto* detail = run.shards().detail(place)) {
    row.cells = analysis::owned_cells(*detail, grid.first_sample, grid.per_cell,
                                      static_cast<std::size_t>(grid.columns));
  }
  return row;
}

/// Gives all ranks of a node one colour if there are many ranks on several nodes.
void choose_colors(const model::RunModel& run, SamplerGridView& grid) {
  Rank world = run.world_size();
  for (const auto& pass : run.shards().passes()) world = std::max(world, pass.world_size);
  const auto node_of = [&run](Rank rank) {
    const auto* known = run.rank(rank);
    return known == nullptr ? Node{0} : known->node;
  };
  bool several = false;
  for (Rank rank = 0; rank < world; ++rank) several = several || node_of(rank) > 0;
  grid.by_node = several && world > kRankColors;
  for (Rank rank = 0; rank < world; ++rank)
    grid.colors.push_back(grid.by_node ? static_cast<Rank>(node_of(rank)) : rank);
}

void place_ticks(SamplerGridView& grid) {
  const std::int64_t every = grid.columns <= kFewColumns ? 1 : kLabelEvery;
  for (std::int64_t column = 0; column < grid.columns; ++column) {
    const std::int64_t sample = grid.first_sample + column * grid.per_cell;
    if (sample >= grid.dataset_size) break;
    if ((sample / grid.per_cell) % every == 0)
      grid.below.push_back({static_cast<double>(column), count_text(sample)});
  }
  const auto size = static_cast<double>(grid.dataset_size);
  for (Tick tick : linear_ticks(0, size, 10)) {
    tick.at /= size;
    grid.overall.push_back(std::move(tick));
  }
  grid.seen_begin = static_cast<double>(grid.first_sample) / size;
  grid.seen_end =
      std::min(1.0, static_cast<double>(grid.first_sample + grid.columns * grid.per_cell) / size);
}

void mark_twice(const model::ShardStore& shards, SamplerGridView& grid) {
  std::bitset<kPlaces> marked;
  const auto size = static_cast<std::size_t>(grid.dataset_size);
  for (std::size_t pass = 0; pass < shards.passes().size() && !marked.all(); ++pass) {
    const auto* detail = shards.detail(pass);
    if (detail == nullptr) continue;
    for (const auto& repeat : detail->repeats) marked.set(repeat.sample * kPlaces / size);
  }
  for (std::size_t i = 0; i < kPlaces; ++i) {
    if (marked[i]) grid.twice.push_back((static_cast<double>(i) + 0.5) / kPlaces);
  }
}

std::int64_t cells_of(std::int64_t samples, std::int64_t per_cell) {
  return (samples + per_cell - 1) / per_cell;
}

/// Sets the visible part of the grid; it never begins so late that the grid would not be filled.
void place_window(const SamplerChoice& choice, std::int64_t columns, std::int64_t rows,
                  SamplerGridView& grid) {
  grid.per_cell = std::max<std::int64_t>(1, choice.per_cell);
  const std::int64_t cells = cells_of(grid.dataset_size, grid.per_cell);
  grid.columns = std::clamp<std::int64_t>(columns, 1, std::max<std::int64_t>(cells, 1));
  const std::int64_t first =
      std::clamp<std::int64_t>(choice.first_sample / grid.per_cell, 0, cells - grid.columns);
  grid.first_sample = first * grid.per_cell;
  const std::int64_t last =
      std::max<std::int64_t>(0, grid.all_rows - std::max<std::int64_t>(rows, 1));
  grid.first_row = choice.first_row < 0 ? last : std::min(choice.first_row, last);
}

std::string subtitle_of(const SamplerGridView& grid) {
  const char* const whose = grid.by_node ? "node" : "rank";
  if (grid.per_cell == 1) return std::string("one cell is one sample, colour is its ") + whose;
  return "one cell is " + std::to_string(grid.per_cell) + " samples, colour is the " + whose +
         " of most";
}

}  // namespace

GridSize grid_size(const model::RunModel& run, std::int64_t per_cell) {
  return {cells_of(run.shards().dataset_size(), std::max<std::int64_t>(1, per_cell)),
          count_rows(run.shards().passes())};
}

SamplerGridView build_sampler_grid(const model::RunModel& run, const SamplerChoice& choice,
                                   std::int64_t columns, std::int64_t rows) {
  SamplerGridView grid;
  const auto& shards = run.shards();
  if (shards.passes().empty()) {
    grid.empty = why_no_shards(run);
    return grid;
  }
  const std::vector<Line> lines = lines_of(run);
  const auto order = analysis::order_repeats(run);
  grid.dataset_size = shards.dataset_size();
  grid.all_rows = static_cast<std::int64_t>(lines.size());
  place_window(choice, columns, rows, grid);
  choose_colors(run, grid);
  grid.found = repeat_tone(run);
  grid.subtitle = subtitle_of(grid);
  if (shards.sampled()) grid.subtitle += "; sampled: not every index was reported";
  const std::int64_t end =
      std::min(grid.first_row + std::max<std::int64_t>(rows, 1), grid.all_rows);
  grid.pass = shown_pass(run, choice.pass);
  for (std::int64_t i = grid.first_row; i < end; ++i) {
    grid.rows.push_back(row_of(run, lines[static_cast<std::size_t>(i)], order, grid));
    grid.rows.back().picked = grid.rows.back().pass == grid.pass;
  }
  if (end - grid.first_row < grid.all_rows)
    grid.subtitle += "; rows " + std::to_string(grid.first_row + 1) + "–" + std::to_string(end) +
                     " of " + std::to_string(grid.all_rows);
  place_ticks(grid);
  mark_twice(shards, grid);
  return grid;
}

std::string cell_hint(const SamplerGridView& grid, std::size_t row, std::size_t column) {
  if (row >= grid.rows.size() || column >= grid.rows[row].cells.size()) return {};
  const auto& cell = grid.rows[row].cells[column];
  const std::int64_t first = grid.first_sample + static_cast<std::int64_t>(column) * grid.per_cell;
  const std::string where = " in epoch " + grid.rows[row].epoch + ": ";
  const std::string owner = cell.owner == kNoRank ? "drawn by no rank" : rank_label(cell.owner);
  const std::string again = cell.other == kNoRank ? "" : ", again " + rank_label(cell.other);
  if (cell.samples == 1) return "Sample " + count_text(first) + where + owner + again;
  std::string text =
      "Samples " + count_text(first) + "–" + count_text(first + cell.samples - 1) + where + owner;
  if (cell.owner != kNoRank)
    text += " has " + std::to_string(cell.owned) + " of " + std::to_string(cell.samples);
  if (cell.unvisited > 0) text += ", " + std::to_string(cell.unvisited) + " unvisited";
  if (cell.twice > 0) text += ", " + std::to_string(cell.twice) + " drawn twice";
  return text;
}

}  // namespace ringside::view
