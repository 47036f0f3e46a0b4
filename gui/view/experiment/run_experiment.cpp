// Compares a run with the source of its preset.
#include <algorithm>
#include <map>

#include "gui/analysis/evaluation.h"
#include "gui/analysis/findings/detectors.h"
#include "gui/analysis/ownership.h"
#include "gui/analysis/scaling/gate.h"
#include "gui/analysis/work.h"
#include "gui/model/rank_model.h"
#include "gui/model/run_model.h"
#include "gui/view/experiment/experiment_parts.h"
#include "gui/view/report_run.h"
#include "protocol/base/text.h"

namespace ringside::view {
namespace {

// The preset's own value of a batch or step figure on the figure's number of devices.
double arithmetic(const ReportRun& run, const launch::PublishedFigure& figure) {
  messages::RunSpec spec = run.preset->file.spec.full;
  if (figure.ranks) spec.devices.world_size = *figure.ranks;
  const model::RunModel of_recipe(spec);
  const auto facts = analysis::work_of(of_recipe);
  if (!facts) return kUnknownNumber;
  const std::map<std::string, std::int64_t> values = {{"per_rank_batch", facts->per_rank_batch},
                                                      {"global_batch", facts->global_batch},
                                                      {"steps_per_epoch", facts->steps_per_epoch},
                                                      {"last_batch", facts->last_batch},
                                                      {"padded_samples", facts->padded_samples}};
  const auto found = values.find(figure.what);
  return found == values.end() ? kUnknownNumber : static_cast<double>(found->second);
}

double recorded(const ReportRun& run, const std::string& what) {
  const auto epochs = run.model->shards().epochs();
  if (what == "parameters") {
    const auto& ranks = run.model->ranks();
    const bool told = !ranks.empty() && run.model->rank(ranks.front())->hello;
    const auto parameters = told ? run.model->rank(ranks.front())->hello->parameters : 0;
    return parameters > 0 ? static_cast<double>(parameters) : kUnknownNumber;
  }
  if (what == "migration")
    return epochs.empty() ? kUnknownNumber : analysis::migration(epochs.back());
  if (epochs.size() < 2) return kUnknownNumber;
  const bool same = std::adjacent_find(epochs.begin(), epochs.end(), [](auto& a, auto& b) {
                      return a.order_hash != b.order_hash;
                    }) == epochs.end();
  return same ? 1 : 0;
}

/// The run's value of a comparison by a clock, over the epochs that both runs have.
double compared(const ReportRun& run, const launch::PublishedFigure& figure,
                analysis::Clock clock) {
  const auto found = speedup_of(run);
  if (found.missing != analysis::NoSpeedup::kNone || !is_against(figure, found))
    return kUnknownNumber;
  if (figure.what == "accuracy_delta")
    return found.accuracy ? found.accuracy->delta() : kUnknownNumber;
  const double speedup =
      clock == analysis::Clock::kTraining
          ? found.speedup
          : analysis::speedup_by(clock, *run.model, *run.baseline).value_or(kUnknownNumber);
  if (figure.what == "time_cut") return 1 - 1 / speedup;
  // Our efficiency takes the precision of the two runs into account; this keeps that factor.
  return figure.what == "efficiency" ? speedup / found.speedup * found.efficiency : speedup;
}

/// The run's value of a figure by a clock, over the epochs that the run has completed.
double timed(const ReportRun& run, const launch::PublishedFigure& figure, analysis::Clock clock) {
  if (is_comparison(figure.what)) return compared(run, figure, clock);
  const Epoch epochs = analysis::complete_epochs(*run.model);
  const double seconds = analysis::seconds_by(clock, *run.model, epochs).value_or(kUnknownNumber);
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
  if (what == "train_accuracy") return trained.empty() ? kUnknownNumber : trained.back().accuracy();
  if (what == "train_loss") return trained.empty() ? kUnknownNumber : trained.back().loss;
  if (what == "val_accuracy") return validation ? validation->accuracy() : kUnknownNumber;
  if (what == "val_loss") return validation ? validation->loss : kUnknownNumber;
  if (what == "padded_accuracy") return evaluation ? evaluation->total.reported() : kUnknownNumber;
  if (what == "exact_accuracy") return evaluation ? evaluation->total.exact() : kUnknownNumber;
  return kUnknownNumber;
}

/// Why a comparison of the source does not apply to this run's baseline; empty: it does.
std::string another_baseline(const ReportRun& run, const launch::PublishedFigure& figure) {
  const auto found = speedup_of(run);
  if (!is_comparison(figure.what) || found.missing != analysis::NoSpeedup::kNone ||
      is_against(figure, found))
    return {};
  return std::string("against ") +
         (figure.against == "same_devices" ? "as many devices" : "one device") +
         "; this run's baseline has " + count_text(found.baseline_devices);
}

double ours_of(const ReportRun& run, const launch::PublishedFigure& figure) {
  if (!figure.value) return kUnknownNumber;
  switch (kind_of(figure.what)) {
    case FigureKind::kArithmetic:
      return arithmetic(run, figure);
    case FigureKind::kRecorded:
      return recorded(run, figure.what);
    default:
      return measured(run, figure);
  }
}

FigureMatch matched(const ReportRun& run, const launch::PublishedFigure& figure, double ours,
                    bool as_published) {
  std::string why = figure.value ? another_baseline(run, figure) : std::string();
  if (!why.empty()) return {Matched::kNotJudged, std::move(why)};
  FigureMatch match = match_of(figure, ours, as_published);
  if (!figure.value || !is_comparison(figure.what)) return match;
  const analysis::Speedup found = speedup_of(run);
  if (found.missing != analysis::NoSpeedup::kNone) {
    match.words += ": " + found.why;
  } else if (is_ablation(figure) && found.accuracy) {
    return gain_match(figure, ours, counting_error(*found.accuracy), as_published);
  }
  return match;
}

/// Whether a figure applies to this run: figures for other numbers of devices apply to other runs;
/// arithmetic applies to all.
bool is_for(const ReportRun& run, const launch::PublishedFigure& figure, bool as_published) {
  const std::int64_t ranks = run.model->spec().devices.world_size;
  const std::int64_t recipe_ranks = run.preset->file.spec.full.devices.world_size;
  return !figure.ranks || *figure.ranks == ranks ||
         (!as_published && *figure.ranks == recipe_ranks);
}

Table figures_table(const ReportRun& run, bool as_published, std::vector<ComparedFigure>& judged) {
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
  for (const auto& figure : published.figures) {
    const bool computed = kind_of(figure.what) == FigureKind::kArithmetic && figure.value;
    const bool here = is_for(run, figure, as_published);
    if (!computed && !here) continue;
    const double ours = ours_of(run, figure);
    const bool by_clock = launch::is_timed(figure.what) && figure.value;
    const double by_ours =
        by_clock ? timed(run, figure, analysis::Clock::kTraining) : kUnknownNumber;
    const auto text = [&](double value) { return figure_text(figure.what, value); };
    const FigureMatch match = matched(run, figure, ours, as_published && here);
    add_row(table,
            {word_cell(figure.what), figure.ranks ? count_cell(*figure.ranks) : unknown_cell(),
             word_cell(figure.printed), figure.value ? Cell{*figure.value} : Cell{},
             yes_no_cell(figure.derived), word_cell(by_clock ? clock_words(figure) : ""),
             number_cell(ours, text), number_cell(by_ours, text), word_cell(match.words)});
    const std::string on = figure.ranks ? " on " + count_text(*figure.ranks) : std::string();
    if (figure.value) judged.push_back({figure.what + on, match});
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
  for (const auto& one : unstated) add_listed(ours, one);
  if (!ours.empty())
    table.notes.push_back("Not stated in the source, so our choice: " + ours + ".");
  return table;
}

constexpr const char* kAnExample =
    "The goal is set for the recipe; this run has other settings, so its verdict is an example.";

Table gate_table(const ReportRun& run, const analysis::Gate& gate,
                 const launch::PublishedGate& goal, bool as_published) {
  Table table = table_about(run, "goal_gate", "Goal gate");
  table.columns = {{"goal", "goal"},
                   {"wanted", "wanted"},
                   number_column("found", "found"),
                   {"passed", "passed"}};
  if (!gate.decided) {
    add_row(table, {word_cell("decided"), word_cell(gate.why), unknown_cell(), unknown_cell()});
    return table;
  }
  add_row(table, {word_cell("time cut"), word_cell("at least " + percent_text(goal.least_time_cut)),
                  number_cell(gate.time_cut, percent1_text), yes_no_cell(gate.fast_enough)});
  add_row(table, {word_cell("validation accuracy"),
                  word_cell("above " + percent_text(goal.val_accuracy_above)),
                  share_cell(gate.val_accuracy), yes_no_cell(gate.accurate_enough)});
  add_row(table, {word_cell("both"), word_cell(""), unknown_cell(), yes_no_cell(gate.passed())});
  if (!as_published) table.notes.emplace_back(kAnExample);
  return table;
}

void add_gate(const ReportRun& run, bool as_published, ExperimentView& view) {
  const auto& goal = run.preset->file.published.gate;
  if (!goal) return;
  const auto gate = analysis::gate(*run.model, speedup_of(run),
                                   {goal->ranks, goal->least_time_cut, goal->val_accuracy_above});
  view.tables.push_back(gate_table(run, gate, *goal, as_published));
  if (!gate.decided) {
    view.verdicts.push_back(not_judged("gate", gate.why));
    return;
  }
  std::string text = "On " + plural(goal->ranks, "device", "devices") + ": " +
                     gate_words(gate.time_cut, gate.val_accuracy, *goal) + ".";
  if (!as_published) text += std::string(" ") + kAnExample;
  view.verdicts.push_back(gate_verdict(gate.fast_enough, gate.accurate_enough, std::move(text)));
}

ExperimentVerdict settings_verdict(const ReportRun& run,
                                   const std::vector<messages::FieldDifference>& changed) {
  const auto unstated = static_cast<std::int64_t>(run.preset->file.about.unstated.size());
  const std::string choice = unstated == 0 ? ""
                                           : " The source does not state " +
                                                 plural(unstated, "setting", "settings") +
                                                 ", which are our choice.";
  if (changed.empty())
    return {"settings", "As published", Tone::kOk, Shape::kTick,
            "The run has the settings of " + run.preset->name + "." + choice};
  const auto count = static_cast<std::int64_t>(changed.size());
  return {"settings", "Other settings", Tone::kInfo, Shape::kHollowDiamond,
          plural(count, "setting differs", "settings differ") + " from " + run.preset->name +
              ": compare trends, not values." + choice};
}

std::vector<ExperimentVerdict> finding_verdicts(const ReportRun& run) {
  std::vector<ExperimentVerdict> verdicts;
  for (const auto& found : analysis::findings(*run.model, run.baseline)) {
    const bool error = found.severity == messages::Severity::kError;
    const bool warning = found.severity == messages::Severity::kWarning;
    verdicts.push_back({found.code, std::string(messages::name_of(found.severity)),
                        error     ? Tone::kError
                        : warning ? Tone::kWarning
                                  : Tone::kInfo,
                        error     ? Shape::kCross
                        : warning ? Shape::kWarningTriangle
                                  : Shape::kRing,
                        found.text});
  }
  return verdicts;
}

Sentence nothing_published(const ReportRun& run) {
  Sentence words{{"There are no published figures for this run. ", Style::kStrong}};
  words.push_back({run.preset == nullptr
                       ? "It does not come from a preset of a published experiment: `ringside "
                         "presets` lists them."
                       : "Its preset " + run.preset->name + " names no source.",
                   Style::kDim});
  return words;
}

}  // namespace

ExperimentView build_experiment_view(std::span<const ReportRun> runs) {
  ExperimentView view;
  if (runs.empty()) {
    view.empty = {{"No run is open.", Style::kDim}};
    return view;
  }
  const ReportRun& run = runs.back();
  if (!has_source(run.preset)) view.empty = nothing_published(run);
  if (run.preset == nullptr) return view;
  const auto changed = changed_settings(run.preset->file, run.model->spec());
  if (!has_source(run.preset)) {
    view.tables.push_back(changes_table(run, changed));
    finish(view);
    return view;
  }
  view.title = run.preset->file.published.source;
  view.subtitle = run.preset->name + ", run " + run.label + (has_ended(run) ? "" : ", so far");
  view.run = run.id;
  add_gate(run, changed.empty(), view);
  if (auto ablation = build_ablation(runs)) {
    view.tables.push_back(std::move(ablation->table));
    view.verdicts.push_back(std::move(ablation->verdict));
  }
  std::vector<ComparedFigure> judged;
  view.tables.push_back(figures_table(run, changed.empty(), judged));
  view.verdicts.push_back(figures_verdict(judged));
  view.verdicts.push_back(settings_verdict(run, changed));
  view.findings = finding_verdicts(run);
  view.tables.push_back(changes_table(run, changed));
  add_source_tables(run.preset->file.published, run.id, view.tables);
  finish(view);
  return view;
}

std::vector<Table> published_tables(const ReportRun& run) {
  return experiment_tables(build_experiment_view(std::span(&run, 1)));
}

}  // namespace ringside::view
