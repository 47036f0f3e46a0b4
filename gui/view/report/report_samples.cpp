// Which rank drew which sample, by epoch.
#include <algorithm>
#include <limits>

#include "gui/model/run_model.h"
#include "gui/view/report/report_parts.h"
#include "gui/view/words.h"

namespace ringside::view {
namespace {

constexpr std::int64_t kGridSamples = 64;
constexpr std::size_t kGridEpochs = 32;
constexpr std::size_t kGridRanks = 16;

ReportTable shards_table(const ReportRun& run) {
  ReportTable table{
      "shards", "Samples by epoch, and how many changed their rank", run.id, {}, {}, false, {}};
  table.columns = {
      {"epoch", "epoch", true},       {"sampler_seed", "seed", true},   {"drawn", "drawn", true},
      {"distinct", "distinct", true}, {"padded", "repeats", true},      {"unread", "unread", true},
      {"moved", "moved", true},       {"migration", "migration", true}, {"order", "order", false}};
  const auto epochs = run.model->shards().epochs();
  for (std::size_t i = 0; i < epochs.size(); ++i) {
    const auto& one = epochs[i];
    const bool repeated = i > 0 && epochs[i - 1].order_hash == one.order_hash;
    const double moved = one.compared > 0
                             ? static_cast<double>(one.moved) / static_cast<double>(one.compared)
                             : std::numeric_limits<double>::quiet_NaN();
    table.rows.push_back(
        {whole(one.epoch + 1), whole(static_cast<std::int64_t>(one.sampler_seed)), whole(one.drawn),
         whole(one.distinct), whole(one.padded), whole(one.dataset_size - one.distinct),
         one.moved < 0 ? unknown_cell() : whole(one.moved), number(moved, percent1_text),
         words(i == 0     ? "first"
               : repeated ? "same as before"
                          : "new")});
  }
  if (!table.rows.empty()) {
    table.notes.push_back(count_text(run.model->shards().never_drawn()) + " of " +
                          count_text(run.model->shards().dataset_size()) +
                          " samples were drawn in no epoch.");
  }
  return table;
}

ReportTable grid_table(const ReportRun& run) {
  const auto& shards = run.model->shards();
  ReportTable table{"ownership", "Samples that each rank drew, in order",
                    run.id,      {{"epoch", "epoch", true}},
                    {},          false,
                    {}};
  if (shards.dataset_size() < 1 || shards.dataset_size() > kGridSamples) return table;
  const auto ranks = run.model->ranks().first(std::min(run.model->ranks().size(), kGridRanks));
  for (const Rank rank : ranks)
    table.columns.push_back({"rank_" + std::to_string(rank), rank_label(rank), false});
  const auto epochs = shards.epochs();
  for (const auto& one : epochs.first(std::min(epochs.size(), kGridEpochs))) {
    std::vector<ReportCell> row{whole(one.epoch + 1)};
    for (const Rank rank : ranks) {
      std::string text;
      for (const auto index : shards.drawn(one.epoch, rank))
        text += (text.empty() ? "" : " ") + std::to_string(index);
      row.push_back(words(text));
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

}  // namespace

std::vector<ReportTable> sample_tables(const ReportRun& run) {
  return {shards_table(run), grid_table(run)};
}

}  // namespace ringside::view
