// Tables of the samples that each rank drew, by epoch.
#include <algorithm>
#include <span>
#include <string>

#include "gui/analysis/ownership.h"
#include "gui/model/run_model.h"
#include "gui/view/report/report_parts.h"
#include "gui/view/sampler/sampler_view.h"
#include "gui/view/words.h"

namespace ringside::view {
namespace {

constexpr std::int64_t kGridSamples = 64;
constexpr std::size_t kGridEpochs = 32;
constexpr std::size_t kGridRanks = 16;

/// The order of an epoch compared with all epochs before, as in the checks of the sampler.
std::string order_word(std::span<const model::EpochShards> epochs, std::size_t place) {
  for (std::size_t before = place; before-- > 0;) {
    if (epochs[before].order_hash != epochs[place].order_hash) continue;
    return before + 1 == place ? "same as before"
                               : "same as in epoch " + count_text(epochs[before].epoch + 1);
  }
  return place == 0 ? "first" : "new";
}

Table shards_table(const ReportRun& run) {
  Table table = table_about(run, "shards", "Samples by epoch, and how many changed their rank");
  table.columns = {number_column("epoch", "epoch"),
                   number_column("sampler_seed", "seed"),
                   number_column("drawn", "drawn"),
                   number_column("distinct", "distinct"),
                   number_column("padded", "repeats"),
                   number_column("unread", "unread"),
                   number_column("moved", "moved"),
                   number_column("migration", "migration"),
                   {"order", "order"}};
  const auto epochs = run.model->shards().epochs();
  for (std::size_t i = 0; i < epochs.size(); ++i) {
    const auto& one = epochs[i];
    add_row(
        table,
        {count_cell(one.epoch + 1), count_cell(static_cast<std::int64_t>(one.sampler_seed)),
         count_cell(one.drawn), count_cell(one.distinct), count_cell(one.padded),
         one.rest ? unknown_cell() : count_cell(one.dataset_size - one.distinct),
         one.moved < 0 ? unknown_cell() : count_cell(one.moved),
         number_cell(analysis::migration(one), percent1_text), word_cell(order_word(epochs, i))});
  }
  if (!table.rows.empty()) {
    table.notes.push_back(count_text(run.model->shards().never_drawn()) + " of " +
                          count_text(run.model->shards().dataset_size()) +
                          " samples were drawn in no epoch.");
  }
  return table;
}

/// The table for a run that trained without any records of its samples.
Table unseen_table(const ReportRun& run) {
  Table table = table_about(run, "sampling", "Checks of the sampler");
  table.columns = {{"check", "Check"}, {"result", "Result"}, {"detail", "Detail"}};
  if (run.model->newest_common_step() >= 0)
    add_row(table, {text_cell("Which rank drew which sample"), text_cell("unknown"),
                    text_cell(plain(why_no_shards(*run.model)))});
  return table;
}

Table grid_table(const ReportRun& run) {
  const auto& shards = run.model->shards();
  Table table = table_about(run, "ownership", "Samples that each rank drew, in order");
  table.columns = {number_column("epoch", "epoch")};
  if (shards.dataset_size() < 1 || shards.dataset_size() > kGridSamples) return table;
  const auto ranks = run.model->ranks().first(std::min(run.model->ranks().size(), kGridRanks));
  for (const Rank rank : ranks)
    table.columns.push_back({"rank_" + std::to_string(rank), rank_label(rank)});
  const auto epochs = shards.epochs();
  for (const auto& one : epochs.first(std::min(epochs.size(), kGridEpochs))) {
    std::vector<Cell> row{count_cell(one.epoch + 1)};
    for (const Rank rank : ranks) {
      std::string text;
      for (const auto index : shards.drawn(one.epoch, rank))
        text += (text.empty() ? "" : " ") + std::to_string(index);
      row.push_back(word_cell(text));
    }
    add_row(table, std::move(row));
  }
  return table;
}

}  // namespace

std::vector<Table> sample_tables(const ReportRun& run) {
  std::vector<Table> tables = sampler_tables(*run.model);
  // Exact and padded accuracy have a table of their own among the run's tables.
  std::erase_if(tables, [](const Table& table) { return table.key == "validation"; });
  for (Table& table : tables) table.run = run.id;
  if (run.model->shards().passes().empty()) tables = {unseen_table(run)};
  tables.push_back(shards_table(run));
  tables.push_back(grid_table(run));
  return tables;
}

}  // namespace ringside::view
