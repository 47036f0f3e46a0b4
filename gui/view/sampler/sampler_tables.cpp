// The tables of the Sampler page: shards, padded and exact accuracy, first samples.
#include <algorithm>
#include <cmath>

#include "gui/analysis/evaluation.h"
#include "gui/analysis/sampling.h"
#include "gui/model/run_model.h"
#include "gui/view/sampler/sampler_view.h"
#include "gui/view/table_cells.h"

namespace ringside::view {
namespace {

Cell rank_chip_cell(Rank rank) {
  Cell cell{std::int64_t{rank}, rank_label(rank)};
  cell.rank = rank;
  return cell;
}

/// A share as a percentage with four decimals: 70.1260.
std::string percent4(double share) { return decimal_text(100 * share, 4); }

/// The difference of two shares in percentage points, with its sign.
std::string points_with_sign(double difference) {
  const std::string text = percent4(difference);
  return difference > 0 && text != percent4(0) ? "+" + text : text;
}

/// "2,365/3,334", with the share as its value.
Cell ratio_cell(std::int64_t part, std::int64_t whole, double share) {
  if (whole < 1) return unknown_cell();
  return {share, count_text(part) + "/" + count_text(whole)};
}

std::string repeats_text(const analysis::EvaluationShare& share) {
  if (!share.repeats_known) return "not known";
  if (share.padded < 1) return {};
  return plural(share.padded, "repeat", "repeats") + ", " + count_text(share.padded_correct) +
         " right";
}

TableRow validation_row(const analysis::EvaluationShare& share, Cell who) {
  const double reported = share.reported();
  const double exact = share.exact();
  Cell padded_percent = number_cell(reported, percent4);
  Cell exact_percent = number_cell(exact, percent4);
  if (share.rank == kNoRank && share.repeats_known && reported != exact) {
    padded_percent.tone = Tone::kWarning;
    exact_percent.tone = Tone::kOk;
  }
  TableRow row;
  row.key = who.text;
  row.cells = {std::move(who),
               ratio_cell(share.correct, share.counted, reported),
               std::move(padded_percent),
               share.repeats_known ? ratio_cell(share.correct - share.padded_correct,
                                                share.counted - share.padded, exact)
                                   : unknown_cell(),
               std::move(exact_percent),
               number_cell(reported - exact, points_with_sign),
               text_cell(repeats_text(share), Tone::kDim),
               {share.correct},
               {share.counted},
               share.repeats_known ? Cell{share.padded} : unknown_cell(),
               share.repeats_known ? Cell{share.padded_correct} : unknown_cell()};
  return row;
}

Table validation_table(const analysis::Evaluation& evaluation) {
  Table table{"validation", label::kValidation};
  table.columns = {left_column("rank", "Rank", 44),
                   right_column("padded", "Padded", "", 92),
                   right_column("padded_percent", "%", "", 70),
                   right_column("exact", "Exact", "", 92),
                   right_column("exact_percent", "%", "", 70),
                   right_column("difference", "Difference", "", 82, 1),
                   left_column("repeats", "Repeats", 110, 2),
                   {"correct"},
                   {"counted"},
                   {"padded_samples"},
                   {"padded_correct"}};
  for (std::size_t i = 7; i < table.columns.size(); ++i) table.columns[i].width = 0;
  for (const auto& share : evaluation.ranks)
    table.rows.push_back(validation_row(share, rank_chip_cell(share.rank)));
  table.totals.push_back(validation_row(evaluation.total, text_cell("All")));
  table.totals.back().cells[6] = text_cell("pp", Tone::kDim);
  return table;
}

/// Sets the positions of the ranks on an axis that is a little wider than their range.
void place_marks(const analysis::Evaluation& evaluation, ValidationView& view) {
  double low = 1;
  double high = 0;
  for (const auto& share : evaluation.ranks) {
    if (!std::isfinite(share.exact())) continue;
    low = std::min(low, share.exact());
    high = std::max(high, share.exact());
  }
  const double all = evaluation.total.exact();
  if (!std::isfinite(all) || low > high) return;
  const double margin = std::max((high - low) * 0.15, 0.0005);
  low = 100 * (std::min(low, all) - margin);
  high = 100 * (std::max(high, all) + margin);
  const auto place = [&](double percent) { return (percent - low) / (high - low); };
  for (const auto& share : evaluation.ranks) {
    if (std::isfinite(share.exact()))
      view.marks.push_back({share.rank, place(100 * share.exact())});
  }
  view.marks.push_back({kNoRank, place(100 * all)});
  for (Tick tick : linear_ticks(low, high, 5)) {
    tick.at = place(tick.at);
    view.ticks.push_back(std::move(tick));
  }
}

Table checks_table(const model::RunModel& run) {
  Table table{"sampling", "Checks of the sampler"};
  table.columns = {{"check", "Check"}, {"result", "Result"}, {"detail", "Detail"}};
  for (const auto& check : sample_checks(run)) {
    const char* const word = check.tone == Tone::kOk        ? "passed"
                             : check.tone == Tone::kWarning ? "note"
                             : check.tone == Tone::kError   ? "failed"
                                                            : "unknown";
    add_row(table, {text_cell(check.title), text_cell(word, check.tone), text_cell(check.detail)});
  }
  if (const auto alarm = sampler_alarm(run))
    table.notes.push_back(plain(alarm->main) + (alarm->why.empty() ? "" : " " + alarm->why));
  return table;
}

Table first_table(const model::RunModel& run) {
  const auto view = first_samples(run, shown_pass(run, -1));
  Table table{"first_samples", label::kFirstSamples};
  table.columns = {left_column("rank", "Rank", 44), {"before", view.before}, {"after", view.after}};
  for (const auto& row : view.rows)
    add_row(table, {rank_chip_cell(row.rank), word_cell(row.before), word_cell(row.after)});
  if (!table.rows.empty())
    table.rows.push_back(
        {"order", {text_cell("order"), word_cell(view.before_print), word_cell(view.after_print)}});
  if (!view.note.empty()) table.notes.push_back(view.note);
  return table;
}

}  // namespace

ValidationView validation_view(const model::RunModel& run) {
  ValidationView view;
  view.table.empty = {{"No validation has been reported."}};
  const auto evaluation = analysis::newest_evaluation(run);
  if (!evaluation || evaluation->total.counted < 1) return view;
  view.table = validation_table(*evaluation);
  const auto images = evaluation->total.counted - evaluation->total.padded;
  const auto ranks = static_cast<std::int64_t>(evaluation->ranks.size());
  view.subtitle = plural(images, "sample", "samples") + " on " + plural(ranks, "rank", "ranks") +
                  ", epoch " + std::to_string(evaluation->epoch + 1);
  view.table.notes = {evaluation->total.repeats_known
                          ? "Exact counts every sample once. The gate and all other screens use it."
                          : label::kRepeatsUnknown};
  place_marks(*evaluation, view);
  return view;
}

Table shard_table(const model::RunModel& run, std::int64_t pass) {
  Table table{"rank_shards", label::kShards};
  table.columns = {left_column("rank", "Rank", 44),
                   right_column("samples", "Samples", "", 64),
                   right_column("unique", "Unique", "", 64),
                   right_column("twice", "Twice", "", 48),
                   right_column("steps", "Steps", "", 48),
                   right_column("last_batch", "Last batch", "", 70, 1)};
  table.empty = {{no_shards(run)}};
  if (pass < 0) return table;
  const auto rows = analysis::shard_rows(run, static_cast<std::size_t>(pass));
  if (rows.empty()) table.empty = {{"The shards of this epoch are not kept any more."}};
  analysis::ShardRow all;
  const auto cells = [](Cell who, const analysis::ShardRow& row) {
    Cell twice = count_cell(row.twice);
    if (row.twice > 0) twice.tone = Tone::kWarning;
    return std::vector<Cell>{
        std::move(who),   count_cell(row.drawn),       count_cell(row.distinct),
        std::move(twice), known_count_cell(row.steps), known_count_cell(row.last_batch)};
  };
  for (const auto& row : rows) {
    add_row(table, cells(rank_chip_cell(row.rank), row));
    if (row.same_as != kNoRank) {
      table.notes = {"Ranks that draw the same samples, as those that share a model, count once."};
      continue;
    }
    all.drawn += row.drawn;
    all.distinct += row.distinct;
    all.twice += row.twice;
    all.steps = std::max(all.steps, row.steps);
    all.last_batch += row.last_batch;
  }
  if (!rows.empty()) table.totals.push_back({"all", cells(text_cell("All"), all)});
  return table;
}

std::vector<Table> sampler_tables(const model::RunModel& run) {
  const std::int64_t newest = shown_pass(run, -1);
  std::vector<Table> tables{checks_table(run), shard_table(run, newest), first_table(run),
                            validation_view(run).table};
  if (newest >= 0) tables[1].title += " of epoch " + pass_label(run, newest);
  std::erase_if(tables, [](const Table& table) { return table.rows.empty(); });
  return tables;
}

}  // namespace ringside::view
