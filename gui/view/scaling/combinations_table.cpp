// A study over values of settings as a table with a row for each combination, and the best
// combination.
#include <algorithm>
#include <cmath>
#include <optional>

#include "gui/view/command_cells.h"
#include "gui/view/number_format.h"
#include "gui/view/scaling/combinations.h"
#include "gui/view/scaling/study_metrics.h"
#include "gui/view/table_cells.h"
#include "protocol/base/nearest.h"
#include "protocol/base/shell_word.h"
#include "protocol/base/text.h"

namespace ringside::view {
namespace {

using analysis::RunMeasure;
using analysis::Spread;

std::string text_in_unit(std::string text, const char* unit) {
  return *unit == 0 ? text : std::move(text) + " " + unit;
}

Cell value_cell(const std::string& text) {
  if (const auto whole = whole_number(text)) return {*whole, text};
  const double number = setting_number(text);
  return std::isfinite(number) ? Cell{number, text} : text_cell(text);
}

std::string run_notes(const StudySettingFacts& setting) {
  std::string text;
  for (const StudyRun& run : setting.runs) {
    if (run.finished() && !run.loss_broke) continue;
    const bool why = !run.detail.empty() && !run.live;
    text +=
        (text.empty() ? "" : "; ") + run.label + " " + run.word + (why ? ": " + run.detail : "");
  }
  return text;
}

/// Returns a column for JSON and files only; window and terminal show the value in other cells.
Entry for_files(std::string key, CellValue value) {
  Entry entry = hidden(std::move(key), std::move(value));
  entry.column.width = 0;
  return entry;
}

/// The difference in time between a setting and the first one.
struct Against {
  analysis::Slowdown found;
  bool samples = false;  ///< time per sample, else per step
  std::string repeats;   ///< "3 and 3 repeats", the setting's own first
};

bool tells_samples(const std::vector<RunMeasure>& runs) {
  return std::ranges::all_of(
      runs, [](const RunMeasure& run) { return run.pace && run.pace->samples_per_s > 0; });
}

std::vector<analysis::Pace> paces_of(const std::vector<RunMeasure>& runs, bool samples) {
  std::vector<analysis::Pace> paces;
  for (const RunMeasure& run : runs) {
    if (!run.pace) continue;
    paces.push_back(*run.pace);
    if (samples) paces.back().step_ns = 1e9 / run.pace->samples_per_s;
  }
  return paces;
}

std::string repeats_text(std::size_t own, std::size_t theirs) {
  return std::to_string(own) + " and " + std::to_string(theirs) + " repeats";
}

/// Returns nothing if either setting has fewer than two repeats, since the spread of equal runs is
/// then unknown.
std::optional<Against> against_first(const StudyFacts& facts, std::size_t place) {
  if (place == 0) return std::nullopt;
  const auto& theirs = facts.measured[0].runs;
  const auto& ours = facts.measured[place].runs;
  const bool samples = tells_samples(theirs) && tells_samples(ours);
  const auto base = paces_of(theirs, samples);
  const auto paces = paces_of(ours, samples);
  if (base.size() < 2 || paces.size() < 2) return std::nullopt;
  return Against{analysis::slowdown(paces, base, 0), samples,
                 repeats_text(paces.size(), base.size())};
}

std::string interval_text(const analysis::Interval& slower) {
  return change_text(slower.low) + " to " + change_text(slower.high);
}

/// Adds the columns of the difference. `known`: at least one setting has one.
void add_against(const std::optional<Against>& against, bool known, std::vector<Entry>& entries) {
  TableColumn column = right_column("slower", "Time against first", "", 236);
  column.hint =
      "How much longer a sample takes than with the first setting, without warm-up and "
      "evaluation; a step, where programs do not tell their samples. Mean of the repeats and its "
      "interval of 95 %";
  column.shown = known;
  Cell cell = unknown_cell();
  if (against) {
    const auto& [value, low, high] = against->found.slower;
    cell = {value, change_text(value) + " (" + interval_text(against->found.slower) + ")"};
    cell.tone = low > 0 ? Tone::kWarning : high < 0 ? Tone::kOk : Tone::kDim;
  }
  entries.push_back({std::move(column), std::move(cell)});
  const auto bound = [&](double analysis::Interval::*which) {
    return against ? CellValue(against->found.slower.*which) : CellValue();
  };
  entries.push_back(for_files("slower_low", bound(&analysis::Interval::low)));
  entries.push_back(for_files("slower_high", bound(&analysis::Interval::high)));
}

/// Adds the columns of a metric. `known`: at least one setting has a value.
void add_metric_entries(const analysis::ScalingSetting& setting, const StudyMetric& metric,
                        bool known, std::vector<Entry>& entries) {
  TableColumn column = right_column(metric.key, metric.label, metric.unit(), 112);
  column.hint = metric.hint;
  column.shown = known;
  const Spread spread = spread_over_runs(setting, metric);
  Cell cell = unknown_cell();
  if (spread.count > 0) cell = {spread.mean, mean_text(metric, spread)};
  entries.push_back({std::move(column), std::move(cell)});
  CellValue deviation;
  if (spread.count > 1) deviation = spread.deviation;
  entries.push_back(for_files(std::string(metric.key) + "_deviation", std::move(deviation)));
}

}  // namespace

Result<void> check_best(const std::string& key) {
  std::vector<std::string> keys;
  for (const StudyMetric& metric : study_metrics()) keys.emplace_back(metric.key);
  if (std::ranges::count(keys, key) > 0) return {};
  return bad_request("--best: there is no metric \"" + key + "\"" + suggestion(key, keys));
}

Table build_combinations_table(const StudyFacts& facts) {
  Table table{"settings", "Settings"};
  const StudyMetric* const metric = chosen_metric(facts);
  const auto ranked = metric != nullptr ? ranked_by(facts, *metric) : std::vector<RankedSetting>();
  const auto metrics = study_metrics();
  std::vector<bool> known;
  for (const StudyMetric& one : metrics) known.push_back(!ranked_by(facts, one).empty());
  const std::size_t rows = std::min(facts.settings.size(), facts.measured.size());
  std::vector<std::optional<Against>> against(rows);
  const bool pairs = facts.study.of_pairs() && rows == 2;
  if (pairs) {
    const PairFacts told = pair_facts(facts);
    if (told.pairs > 1)
      against[1] = Against{{told.longer, {}, false, 0}, told.what == "sample", {}};
  } else {
    for (std::size_t i = 0; i < rows; ++i) against[i] = against_first(facts, i);
  }
  const bool compared =
      std::ranges::any_of(against, [](const auto& one) { return one.has_value(); });
  const bool commands = std::ranges::any_of(facts.settings, [&](const StudySettingFacts& one) {
    return one.command != facts.settings[0].command;
  });
  for (std::size_t i = 0; i < rows; ++i) {
    const StudySettingFacts& setting = facts.settings[i];
    std::vector<Entry> entries{for_files("setting", setting.key)};
    for (const auto& [name, value] : facts.study.settings[i].values())
      entries.push_back({left_column("set." + name, name, 110), value_cell(value)});
    TableColumn command = left_column("command", "Command line", 320);
    command.shown = commands;
    entries.push_back({std::move(command), text_cell(shell_words(setting.command))});
    entries.push_back({right_column("devices", facts.on_gpus ? "GPUs" : "Ranks", "", 46),
                       count_cell(setting.devices)});
    entries.push_back(
        for_files("repeats", static_cast<std::int64_t>(facts.measured[i].runs.size())));
    for (std::size_t one = 0; one < known.size(); ++one)
      add_metric_entries(facts.measured[i], metrics[one], known[one], entries);
    add_against(against[i], compared, entries);
    const bool best = ranked.size() > 1 && ranked.front().place == i;
    // The result of a study of pairs is which setting takes longer, which the sentence says.
    if (!pairs)
      entries.push_back({left_column("best", "Best", 60),
                         best ? Cell{true, "best", Tone::kOk, -1, Shape::kTick} : Cell{false, ""}});
    entries.push_back(
        {left_column("note", "Note", 230), text_cell(run_notes(setting), Tone::kDim)});
    add_entries(table, std::move(entries));
    table.rows.back().key = setting.key;
  }
  if (commands) {
    std::vector<CommandCell> lines;
    const std::size_t column = column_index(table, "command");
    for (std::size_t i = 0; i < rows; ++i)
      if (!facts.settings[i].command.empty())
        lines.emplace_back(&facts.settings[i].command, &table.rows[i].cells[column]);
    cut_commands(lines);
  }
  table.notes.emplace_back(
      "Mean ± standard deviation of the repeats; time from the first step to the end, start-up "
      "left out. All on the same number of devices: nothing of it is scaling.");
  if (pairs)
    table.notes.emplace_back(
        "Runs are trained in pairs, every second one in the other order; the time against the "
        "first is the mean of the pairs' ratios.");
  return table;
}

std::string best_words(const StudyFacts& facts) {
  const StudyMetric* const metric = chosen_metric(facts);
  if (metric == nullptr) return {};
  const auto ranked = ranked_by(facts, *metric);
  if (ranked.size() < 2)
    return "Which is best by " + std::string(metric->words) +
           " is not known: fewer than two settings have one.";
  const Spread& first = ranked[0].spread;
  const Spread& next = ranked[1].spread;
  const auto words = [&](const RankedSetting& one) { return facts.settings[one.place].series; };
  const double distance = std::abs(first.mean - next.mean) * metric->scale();
  const int decimals = metric->decimals(first.mean);
  const char* const unit = metric->more_is_better() ? "points" : metric->unit();
  std::string text = progress_of(facts).complete() ? "Best by " : "Best so far by ";
  text += std::string(metric->words) + ": " + words(ranked[0]) + " with " +
          mean_in_unit(*metric, first);
  if (distance <= 0) return text + ", no better than the next, " + words(ranked[1]) + ".";
  text += ", " + text_in_unit(decimal_text(distance, decimals), unit) + " from the next, " +
          words(ranked[1]);
  if (first.count < 2 || next.count < 2)
    return text + "; one run of a setting has no spread, so this may be chance: `ringside sweep " +
           facts.study.head.study + " --repeats 3` measures it.";
  const auto squares = [](const Spread& one) {
    return one.deviation * one.deviation * static_cast<double>(one.count - 1);
  };
  const double half =
      analysis::difference_half(squares(first), first.count, squares(next), next.count) *
      metric->scale();
  if (half <= 0)
    return text + "; the repeats of each are equal, so their spread says nothing about chance.";
  return text + (distance > half ? ", more than chance explains (" : ", which may be chance (") +
         decimal_text(distance - half, decimals) + " to " +
         text_in_unit(decimal_text(distance + half, decimals), unit) + " at 95 %, " +
         repeats_text(first.count, next.count) + ").";
}

std::string time_words(const StudyFacts& facts) {
  if (facts.settings.size() != 2 || facts.measured.size() != 2) return {};
  const auto against = against_first(facts, 1);
  if (!against) return {};
  const auto& [value, low, high] = against->found.slower;
  const std::string first = facts.settings[0].series;
  const std::string second = facts.settings[1].series;
  const std::string what = against->samples ? "sample" : "step";
  const std::string by =
      " (" + interval_text(against->found.slower) + " at 95 %, " + against->repeats + ")";
  if (low > 0 || high < 0)
    return "A " + what + " takes " + decimal_text(std::abs(100 * value), 1) + " % " +
           (value > 0 ? "more" : "less") + " time with " + second + " than with " + first +
           ", more than chance explains" + by + ".";
  std::string text = "Whether a " + what + " takes longer with " + second + " or with " + first +
                     " these repeats do not tell" + by + ".";
  const double times = std::ceil(against->found.times_as_many);
  if (times < 2) return text;
  return text + " A difference of that size would need about " +
         count_text(static_cast<std::int64_t>(times)) + " times as many.";
}

}  // namespace ringside::view
