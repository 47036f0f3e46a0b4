// The figures that a recipe's authors published, beside those of a run, with what matches.
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "gui/analysis/evaluation.h"
#include "gui/analysis/gate.h"
#include "gui/analysis/ownership.h"
#include "gui/analysis/work.h"
#include "gui/model/rank_model.h"
#include "gui/model/run_model.h"
#include "gui/view/published.h"
#include "gui/view/report/report_parts.h"

namespace ringside::view {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

/// How a figure of ours is to be held against a published one.
enum class Kind : std::uint8_t { kArithmetic, kRecorded, kDirection, kShare, kLoss, kTime };

Kind kind_of(const std::string& what) {
  static const std::map<std::string, Kind> kKinds = {{"per_rank_batch", Kind::kArithmetic},
                                                     {"global_batch", Kind::kArithmetic},
                                                     {"steps_per_epoch", Kind::kArithmetic},
                                                     {"last_batch", Kind::kArithmetic},
                                                     {"padded_samples", Kind::kArithmetic},
                                                     {"parameters", Kind::kRecorded},
                                                     {"migration", Kind::kRecorded},
                                                     {"order_repeated", Kind::kRecorded},
                                                     {"accuracy_delta", Kind::kDirection},
                                                     {"time_cut", Kind::kDirection},
                                                     {"speedup", Kind::kDirection},
                                                     {"efficiency", Kind::kShare},
                                                     {"train_loss", Kind::kLoss},
                                                     {"val_loss", Kind::kLoss},
                                                     {"epoch_seconds", Kind::kTime},
                                                     {"samples_per_s", Kind::kTime},
                                                     {"total_seconds", Kind::kTime}};
  const auto found = kKinds.find(what);
  return found == kKinds.end() ? Kind::kShare : found->second;
}

// Settings that make the work: where and how it is launched, named and saved is free.
std::vector<messages::FieldDifference> changed_settings(const ReportRun& run) {
  auto changed = messages::differences(run.preset->file.spec.full, run.model->spec());
  const auto& meant = run.preset->file.about.world_sizes;
  const bool meant_ranks =
      std::find(meant.begin(), meant.end(), run.model->spec().devices.world_size) != meant.end();
  std::erase_if(changed, [&](const messages::FieldDifference& one) {
    if (one.key == "devices.world_size") return meant_ranks;
    return one.key == "name" || one.key == "devices.ids" || one.key == "devices.threads" ||
           one.key == "devices.when_busy" || one.key == "data.root" ||
           one.key.starts_with("baseline.") || one.key.starts_with("limits.") ||
           one.key.starts_with("checkpoint.");
  });
  return changed;
}

// Batches and steps that the recipe itself has on so many devices.
double arithmetic(const ReportRun& run, const launch::PublishedFigure& figure) {
  messages::RunSpec spec = run.preset->file.spec.full;
  if (figure.ranks) spec.devices.world_size = *figure.ranks;
  const model::RunModel of_recipe(spec);
  const auto facts = analysis::work_of(of_recipe);
  if (!facts) return kNan;
  const std::map<std::string, std::int64_t> values = {{"per_rank_batch", facts->per_rank_batch},
                                                      {"global_batch", facts->global_batch},
                                                      {"steps_per_epoch", facts->steps_per_epoch},
                                                      {"last_batch", facts->last_batch},
                                                      {"padded_samples", facts->padded_samples}};
  const auto found = values.find(figure.what);
  return found == values.end() ? kNan : static_cast<double>(found->second);
}

double recorded(const ReportRun& run, const std::string& what) {
  const auto epochs = run.model->shards().epochs();
  if (what == "parameters") {
    const auto& ranks = run.model->ranks();
    const bool told = !ranks.empty() && run.model->rank(ranks.front())->hello;
    return told ? static_cast<double>(run.model->rank(ranks.front())->hello->parameters) : kNan;
  }
  if (what == "migration") return epochs.empty() ? kNan : analysis::migration(epochs.back());
  if (epochs.size() < 2) return kNan;
  const bool same = std::adjacent_find(epochs.begin(), epochs.end(), [](auto& a, auto& b) {
                      return a.order_hash != b.order_hash;
                    }) == epochs.end();
  return same ? 1 : 0;
}

bool is_comparison(const std::string& what) {
  return what == "speedup" || what == "efficiency" || what == "time_cut" ||
         what == "accuracy_delta";
}

/// By a clock, over the epochs that both runs have.
double compared(const ReportRun& run, const launch::PublishedFigure& figure,
                analysis::Clock clock) {
  const auto found = speedup_of(run);
  if (found.missing != analysis::NoSpeedup::kNone || !is_against(figure, found)) return kNan;
  if (figure.what == "accuracy_delta") return found.accuracy ? found.accuracy->delta() : kNan;
  const double speedup =
      clock == analysis::Clock::kTraining
          ? found.speedup
          : analysis::speedup_by(clock, *run.model, *run.baseline).value_or(kNan);
  if (figure.what == "time_cut") return 1 - 1 / speedup;
  // Keeps what our own says of different precisions.
  return figure.what == "efficiency" ? speedup / found.speedup * found.efficiency : speedup;
}

/// Over the epochs that the run has completed.
double timed(const ReportRun& run, const launch::PublishedFigure& figure, analysis::Clock clock) {
  if (is_comparison(figure.what)) return compared(run, figure, clock);
  const Epoch epochs = analysis::complete_epochs(*run.model);
  const double seconds = analysis::seconds_by(clock, *run.model, epochs).value_or(kNan);
  if (figure.what == "epoch_seconds") return seconds / epochs;
  if (figure.what == "total_seconds") return seconds;
  double samples = 0;
  for (const auto& pass : analysis::passes(*run.model, messages::Phase::kTrain))
    samples += pass.epoch < epochs ? static_cast<double>(pass.counted) : 0;
  return samples / seconds;
}

double measured(const ReportRun& run, const launch::PublishedFigure& figure) {
  const std::string& what = figure.what;
  if (is_comparison(what) || launch::is_timed(what)) return timed(run, figure, clock_of(figure));
  const auto& model = *run.model;
  const auto trained = analysis::passes(model, messages::Phase::kTrain);
  const auto validation = analysis::newest_validation(model);
  const auto evaluation = analysis::newest_evaluation(model);
  if (what == "train_accuracy") return trained.empty() ? kNan : trained.back().accuracy();
  if (what == "train_loss") return trained.empty() ? kNan : trained.back().loss;
  if (what == "val_accuracy") return validation ? validation->accuracy() : kNan;
  if (what == "val_loss") return validation ? validation->loss : kNan;
  if (what == "padded_accuracy") return evaluation ? evaluation->total.reported() : kNan;
  if (what == "exact_accuracy") return evaluation ? evaluation->total.exact() : kNan;
  return kNan;
}

std::string our_text(const std::string& what, double value) {
  switch (kind_of(what)) {
    case Kind::kArithmetic:
      return count_text(static_cast<std::int64_t>(value));
    case Kind::kRecorded:
      if (what == "migration") return percent1_text(value);
      if (what == "order_repeated") return value > 0 ? "every epoch repeats" : "a new order each";
      return count_text(static_cast<std::int64_t>(value));
    case Kind::kDirection:
      if (what == "speedup") return speedup_text(value);
      return what == "time_cut" ? percent1_text(value) : points_text(value);
    case Kind::kLoss:
      return loss_long_text(value);
    case Kind::kTime:
      return what == "samples_per_s" ? count_text(static_cast<std::int64_t>(value))
                                     : seconds_text(value);
    case Kind::kShare:
      break;
  }
  const bool four = what == "padded_accuracy" || what == "exact_accuracy";
  return four ? decimal_text(100 * value, 4) + " %" : accuracy_text(value);
}

std::string direction_text(const launch::PublishedFigure& figure, double ours) {
  const double nothing = figure.what == "speedup" ? 1 : 0;
  if (ours == nothing) return "no difference";
  const bool same = (*figure.value > nothing) == (ours > nothing);
  return same ? "the same direction" : "the other direction";
}

/// Why a comparison of the source says nothing about this run's.
std::string another_baseline(const ReportRun& run, const launch::PublishedFigure& figure) {
  const auto found = speedup_of(run);
  if (!is_comparison(figure.what) || found.missing != analysis::NoSpeedup::kNone ||
      is_against(figure, found))
    return {};
  return std::string("against ") +
         (figure.against == "same_devices" ? "as many devices" : "one device") +
         "; this run's baseline has " + count_text(found.baseline_devices);
}

// What matches, in a few words. `as_published`: the run has the settings of the recipe.
std::string verdict(const ReportRun& run, const launch::PublishedFigure& figure, double ours,
                    bool as_published) {
  if (!figure.value) return "a statement of the source";
  if (std::string why = another_baseline(run, figure); !why.empty()) return why;
  if (std::isnan(ours)) return "this run does not tell";
  const Kind kind = kind_of(figure.what);
  const bool equal =
      std::abs(ours - *figure.value) <= 5e-7 * std::max(1.0, std::abs(*figure.value));
  if (kind == Kind::kArithmetic) return equal ? "equal, computed for the recipe" : "differs";
  if (kind == Kind::kRecorded) return equal ? "equal, recorded" : "differs";
  const std::string other = as_published ? "" : ", at other settings";
  if (kind == Kind::kDirection) return direction_text(figure, ours) + other;
  if (kind == Kind::kTime) return "another machine: no target";
  if (!as_published) return "other settings: not comparable";
  const double difference = ours - *figure.value;
  if (kind == Kind::kLoss)
    return std::abs(difference) <= 0.05 ? "within 0.05" : "differs by " + loss_text(difference);
  return std::abs(difference) <= 0.01 ? "within one point"
                                      : "differs by " + points_text(difference);
}

Table figures_table(const ReportRun& run, bool as_published) {
  const auto& published = run.preset->file.published;
  Table table = table_about(run, "published", "Published beside ours: " + published.source);
  table.columns = {{"what", "figure"},
                   number_column("ranks", "devices"),
                   {"published", "published"},
                   number_column("published_value", ""),
                   {"derived", "derived"},
                   {"clock", "its clock"},
                   number_column("ours", "ours"),
                   number_column("by_our_clock", "by our clock"),
                   {"matches", "what matches"}};
  const std::int64_t ranks = run.model->spec().devices.world_size;
  for (const auto& figure : published.figures) {
    const bool arithmetic_one = kind_of(figure.what) == Kind::kArithmetic && figure.value;
    // Figures of other numbers of devices are for their own runs; arithmetic holds for all.
    const std::int64_t recipe_ranks = run.preset->file.spec.full.devices.world_size;
    const bool here =
        !figure.ranks || *figure.ranks == ranks || (!as_published && *figure.ranks == recipe_ranks);
    if (!arithmetic_one && !here) continue;
    const double ours = !figure.value                             ? kNan
                        : arithmetic_one                          ? arithmetic(run, figure)
                        : kind_of(figure.what) == Kind::kRecorded ? recorded(run, figure.what)
                                                                  : measured(run, figure);
    const bool by_clock = launch::is_timed(figure.what) && figure.value;
    const double by_ours = by_clock ? timed(run, figure, analysis::Clock::kTraining) : kNan;
    const auto text = [&](double value) { return our_text(figure.what, value); };
    add_row(table,
            {word_cell(figure.what), figure.ranks ? count_cell(*figure.ranks) : unknown_cell(),
             word_cell(figure.printed), figure.value ? Cell{*figure.value} : Cell{},
             yes_no_cell(figure.derived), word_cell(by_clock ? clock_words(figure) : ""),
             number_cell(ours, text), number_cell(by_ours, text),
             word_cell(verdict(run, figure, ours, as_published && here))});
  }
  table.notes = published.notes;
  table.notes.insert(
      table.notes.begin(),
      {"Published on: " + published.hardware + ".",
       "Ours is by the clock of the source; beside it by our own, first step to the end of the "
       "last epoch, evaluation and checkpoints inside."});
  return table;
}

Table changes_table(const ReportRun& run, const std::vector<messages::FieldDifference>& changed) {
  Table table = table_about(run, "changed_settings",
                            "Settings that differ from the recipe of " + run.preset->name);
  table.columns = {{"setting", "setting"}, {"recipe", "recipe"}, {"run", "this run"}};
  for (const auto& one : changed)
    add_row(table, {word_cell(one.key), word_cell(one.left), word_cell(one.right)});
  const auto& unstated = run.preset->file.about.unstated;
  std::string ours;
  for (const auto& one : unstated) ours += (ours.empty() ? "" : ", ") + one;
  if (!ours.empty())
    table.notes.push_back("Not stated in the source, so our choice: " + ours + ".");
  return table;
}

Table gate_table(const ReportRun& run, bool as_published) {
  Table table = table_about(run, "goal_gate", "Goal gate");
  const auto& limits = run.preset->file.published.gate;
  if (!limits) return table;
  const auto gate =
      analysis::gate(*run.model, speedup_of(run),
                     {limits->ranks, limits->least_time_cut, limits->val_accuracy_above});
  table.columns = {{"goal", "goal"},
                   {"wanted", "wanted"},
                   number_column("found", "found"),
                   {"passed", "passed"}};
  if (!gate.decided) {
    add_row(table, {word_cell("decided"), word_cell(gate.why), unknown_cell(), unknown_cell()});
    return table;
  }
  add_row(table,
          {word_cell("time cut"), word_cell("at least " + percent_text(limits->least_time_cut)),
           number_cell(gate.time_cut, percent1_text), yes_no_cell(gate.fast_enough)});
  add_row(table, {word_cell("validation accuracy"),
                  word_cell("above " + percent_text(limits->val_accuracy_above)),
                  share_cell(gate.val_accuracy), yes_no_cell(gate.accurate_enough)});
  add_row(table, {word_cell("both"), word_cell(""), unknown_cell(), yes_no_cell(gate.passed())});
  if (!as_published)
    table.notes.push_back(
        "The goal is set for the recipe; this run has other settings, so its verdict is an "
        "example.");
  return table;
}

}  // namespace

std::vector<Table> published_tables(const ReportRun& run) {
  if (run.preset == nullptr) return {};
  const auto changed = changed_settings(run);
  std::vector<Table> tables{gate_table(run, changed.empty()), figures_table(run, changed.empty()),
                            changes_table(run, changed)};
  int count = 0;
  for (const auto& source : run.preset->file.published.tables) {
    Table table =
        table_about(run, "source_" + std::to_string(++count), "As published: " + source.title);
    for (std::size_t i = 0; i < source.columns.size(); ++i)
      table.columns.push_back({"column_" + std::to_string(i), source.columns[i], "",
                               i > 0 ? Align::kRight : Align::kLeft});
    for (const auto& row : source.rows) {
      std::vector<Cell> cells;
      for (const auto& cell : row) cells.push_back(word_cell(cell));
      add_row(table, std::move(cells));
    }
    tables.push_back(std::move(table));
  }
  return tables;
}

}  // namespace ringside::view
