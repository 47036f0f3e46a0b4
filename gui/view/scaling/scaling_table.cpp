// The settings of a study as a table, and further tables.
#include <algorithm>
#include <cmath>

#include "gui/view/number_format.h"
#include "gui/view/scaling/combinations.h"
#include "gui/view/scaling/study_experiment.h"
#include "gui/view/table_cells.h"

namespace ringside::view {
namespace {

using analysis::ScalingPoint;
using analysis::Spread;

/// The deviation of a mean, only for text and files: the window shows it in the cell of the mean.
Entry deviation(const char* key, const Spread& spread, int decimals) {
  TableColumn about = right_column(key, "±", "", 0);
  if (spread.count < 2) return {about, unknown_cell()};
  return {about, {spread.deviation, decimal_text(spread.deviation, decimals)}};
}

/// An entry that the window does not show.
Entry for_scripts(std::string key, CellValue value) {
  Entry entry = hidden(std::move(key), std::move(value));
  entry.column.width = 0;
  return entry;
}

template <class Format>
Cell spread_cell(const Spread& spread, int decimals, Format&& format, double scale = 1) {
  Cell cell = number_cell(spread.mean, format);
  if (spread.count > 1) cell.suffix = " ± " + decimal_text(spread.deviation * scale, decimals);
  return cell;
}

Cell efficiency_cell(const ScalingPoint& point, bool precision_differs) {
  if (precision_differs && point.measured) return {{}, "precision differs", Tone::kDim};
  Cell cell = number_cell(point.efficiency, percent_text);
  if (std::isfinite(point.efficiency)) cell.bar = std::min(1.0, point.efficiency);
  return cell;
}

Cell delta_cell(const ScalingPoint& point) {
  if (!std::isfinite(point.accuracy_delta)) return unknown_cell();
  std::string text = decimal_text(point.accuracy_delta * 100, 2);
  if (point.accuracy_delta > 0 && text.find_first_of("123456789") != text.npos) text.insert(0, "+");
  const bool cost = point.accurate_enough.has_value() && !*point.accurate_enough;
  return {point.accuracy_delta, std::move(text), cost ? Tone::kError : Tone::kText};
}

Cell cut_cell(const ScalingPoint& point) {
  if (!std::isfinite(point.time_cut)) return unknown_cell();
  const bool slow = point.fast_enough.has_value() && !*point.fast_enough;
  return {point.time_cut, decimal_text(point.time_cut * 100, 1), slow ? Tone::kError : Tone::kText};
}

Cell gate_cell(const ScalingPoint& point, const StudyFacts& facts) {
  if (point.series == runs::kBaselineSeries) return {{}, "baseline", Tone::kDim};
  if (!facts.goal || !point.measured) return unknown_cell();
  if (!point.judged()) return {{}, "no validation", Tone::kDim};
  if (point.passed()) return {true, "Pass", Tone::kOk, -1, Shape::kTick};
  const char* why = *point.fast_enough       ? "Fail: accuracy"
                    : *point.accurate_enough ? "Fail: time"
                                             : "Fail: both";
  return {false, why, Tone::kError, -1, Shape::kCross};
}

std::string states_text(const StudySettingFacts& setting) {
  std::string text;
  for (const StudyRun& run : setting.runs) {
    if (run.finished()) continue;
    text += (text.empty() ? "" : "; ") + run.label + " " + run.word +
            (run.detail.empty() || run.live ? "" : ": " + run.detail);
  }
  return text;
}

/// The run with the median time of an odd number of repeats.
std::string median_text(const StudySettingFacts& setting) {
  std::vector<const StudyRun*> finished;
  for (const StudyRun& run : setting.runs) {
    if (run.finished() && std::isfinite(run.seconds)) finished.push_back(&run);
  }
  if (finished.size() < 3 || finished.size() % 2 == 0) return {};
  const std::string first = finished.front()->label;
  const std::string last = finished.back()->label;
  std::ranges::sort(finished, [](const auto* a, const auto* b) { return a->seconds < b->seconds; });
  return finished[finished.size() / 2]->label + " is the median of " + first + " to " + last;
}

std::string of_work(const StudySettingFacts& setting) {
  std::string text;
  if (setting.global_batch > 0 && setting.global_batch != setting.global_batch_nominal)
    text = "global " + count_text(setting.global_batch) + ", asked for " +
           count_text(setting.global_batch_nominal);
  if (setting.virtual_nodes)
    text += (text.empty() ? "" : "; ") + count_text(setting.nodes) + " nodes on this host";
  return text;
}

std::string note_of(const StudySettingFacts& setting, const ScalingPoint& point,
                    const analysis::Scaling& scaling) {
  if (std::string states = states_text(setting); !states.empty()) return states;
  if (setting.series == runs::kBaselineSeries) return median_text(setting);
  if (setting.series == "dp" && setting.devices == 1)
    return "one device: the same work as the baseline";
  if (setting.series == "dp") return "one process; scatter and gather";
  if (std::string work = of_work(setting); !work.empty()) return work;
  for (const ScalingPoint& one : scaling.points) {
    if (one.series == point.series && one.devices == 1 && point.devices > 1 && one.measured &&
        point.measured)
      return speedup_text(one.seconds.mean / point.seconds.mean) + " against one device with " +
             point.series;
  }
  if (point.fast_enough && !*point.fast_enough) return "time cut too small";
  if (point.accurate_enough && !*point.accurate_enough && setting.global_batch > 0)
    return "global batch " + count_text(setting.global_batch) + " costs accuracy";
  return {};
}

Cell name_cell(const StudySettingFacts& setting, const StudyFacts& facts) {
  std::string words = series_words(setting.series, facts);
  return {setting.key, std::move(words), Tone::kHigh};
}

Entry nodes_entry(const StudySettingFacts& setting) {
  TableColumn nodes = right_column("nodes", "Nodes", "", 46, 3);
  nodes.hint = "Nodes × devices of each";
  Cell cell{setting.nodes, size_text(setting)};
  if (setting.nodes == 1) cell.text = "1 × " + cell.text;
  return {std::move(nodes), std::move(cell)};
}

Entry ceiling_entry(const StudySettingFacts& setting, bool holds) {
  TableColumn ceiling = right_column("ceiling", "Ceiling", "", 66, 7);
  ceiling.hint = "What so many copies reach at once that exchange nothing, by the newest probe";
  Cell cell = number_cell(holds ? setting.ceiling : analysis::RunMeasure::kNone, speedup_text);
  if (holds) cell.hint = setting.ceiling_hint;
  return {std::move(ceiling), std::move(cell)};
}

std::vector<Entry> entries_of(const StudyFacts& facts, const StudySettingFacts& setting,
                              const ScalingPoint& point, const analysis::Scaling& scaling,
                              bool precision_differs) {
  const auto seconds = [](double value) { return decimal_text(value, study_decimals(value)); };
  const auto whole = [](double value) { return count_text(std::llround(value)); };
  const auto iso = [&](double value) { return speedup_text(value); };
  Cell same = number_cell(point.iso_speedup, iso);
  if (point.never_reached) same = {{}, "never reached", Tone::kDim};
  TableColumn again = right_column("same_accuracy", "To same acc", "", 90, 9);
  again.shown = false;
  TableColumn steady = right_column("steady_per_s", "Steady", "/s", 70, 9);
  steady.shown = false;
  steady.hint = "Images per second over all steps but the first ones, which warm up";
  Cell speedup = spread_cell(point.speedup, 2, speedup_text);
  if (setting.series == runs::kBaselineSeries) speedup.suffix.clear();
  const std::string note = note_of(setting, point, scaling);
  std::vector<Entry> entries{
      {left_column("setting", "Setting", 140), name_cell(setting, facts)},
      for_scripts("series", setting.series),
      {right_column("devices", facts.on_gpus ? "GPUs" : "Ranks", "", 40),
       count_cell(setting.devices)},
      {right_column("per_rank_batch", facts.on_gpus ? "Batch/GPU" : "Batch/rank", "", 64, 6),
       known_count_cell(setting.per_rank_batch)},
      {right_column("global_batch", "Global", "", 48), known_count_cell(setting.global_batch)},
      {right_column("steps_per_epoch", "Steps/epoch", "", 72, 5),
       known_count_cell(setting.steps_per_epoch)},
      for_scripts("repeats", static_cast<std::int64_t>(point.seconds.count)),
      {right_column("seconds", "Time", "s", 118),
       spread_cell(point.seconds, study_decimals(point.seconds.mean), seconds)},
      deviation("seconds_deviation", point.seconds, 2),
      for_scripts("seconds_low", point.seconds.low),
      for_scripts("seconds_high", point.seconds.high),
      {right_column("speedup", "Speedup", "", 100), speedup},
      deviation("speedup_deviation", point.speedup, 2),
      {right_column("efficiency", "Efficiency", "", 100),
       efficiency_cell(point, precision_differs)},
      {right_column("images_per_s", "Images/s", "", 56, 7),
       number_cell(point.samples_per_s.mean, whole)},
      {steady, number_cell(point.steady_per_s.mean, whole)},
      {right_column("val_accuracy", "Val acc", "%", 104),
       spread_cell(point.accuracy, 2, accuracy_number, 100)},
      deviation("val_accuracy_deviation",
                {point.accuracy.count, 0, point.accuracy.deviation * 100, 0, 0}, 2),
      {right_column("accuracy_delta", "Δ acc", "pp", 58), delta_cell(point)},
      {right_column("time_cut", "Time cut", "%", 66), cut_cell(point)},
      {again, same},
      for_scripts("same_accuracy_seconds", point.iso_seconds),
      for_scripts("never_reached", point.never_reached),
      {left_column("gate", "Gate", 100, 4), gate_cell(point, facts)},
      {left_column("note", "Note", 230, 8), text_cell(note, Tone::kDim)}};
  const bool probed = std::ranges::any_of(
      facts.settings, [&](const StudySettingFacts& one) { return has_ceiling(one, scaling); });
  if (probed)
    entries.insert(entries.end() - 1, ceiling_entry(setting, has_ceiling(setting, scaling)));
  const bool several =
      std::ranges::any_of(facts.settings, [](const auto& one) { return one.nodes > 1; });
  if (several) entries.insert(entries.begin() + 3, nodes_entry(setting));
  return entries;
}

std::string interval_text(const analysis::Interval& interval, double scale, int decimals,
                          const char* unit) {
  return decimal_text(interval.value * scale, decimals) + unit + " (" +
         decimal_text(interval.low * scale, decimals) + " to " +
         decimal_text(interval.high * scale, decimals) + ")";
}

Table fit_table(const StudyFacts& facts, const analysis::Scaling& scaling) {
  Table table{"fit", "Fit by least squares, with intervals of 95 %"};
  table.columns = {{"series", "series"},
                   {"law", "law"},
                   number_column("serial", "serial part"),
                   number_column("exchange", "exchange"),
                   number_column("worst", "farthest point"),
                   number_column("next_devices", "next"),
                   number_column("next_seconds", "time s"),
                   number_column("next_speedup", "speedup")};
  for (const SeriesFit& one : series_fits(scaling)) {
    const auto& fit = one.fit;
    const bool exchange = fit.law == analysis::Law::kExchange;
    table.rows.push_back(
        {one.series + (exchange ? " exchange" : " amdahl"),
         {{one.series, series_words(one.series, facts)},
          text_cell(exchange ? "Amdahl and exchange" : "Amdahl"),
          {fit.serial_share.value, interval_text(fit.serial_share, 100, 1, " %")},
          exchange ? Cell{fit.exchange_share.value, interval_text(fit.exchange_share, 100, 2, " %")}
                   : unknown_cell(),
          {fit.worst, percent1_text(fit.worst)},
          {fit.next_devices, decimal_text(fit.next_devices, 0)},
          {fit.next_seconds.value, interval_text(fit.next_seconds, 1, 1, "")},
          {fit.next_speedup.value, interval_text(fit.next_speedup, 1, 2, "×")}}});
  }
  const bool any = !table.rows.empty();
  if (any)
    table.notes.emplace_back(
        "T(N) = serial + work / N; exchange adds N − 1 latencies where the global batch is kept, "
        "(N − 1) / N transfers of 1 / N of the steps where it grows. Shares are of the time on one "
        "device.");
  return table;
}

Table runs_table(const StudyFacts& facts) {
  Table table{"runs", "Runs"};
  table.columns = {
      {"setting", "setting"}, number_column("repeat", "repeat"),  {"run", "run"},      {"id", "id"},
      {"state", "state"},     number_column("seconds", "time s"), {"detail", "detail"}};
  for (const StudySettingFacts& setting : facts.settings) {
    const runs::StudySetting* known = facts.study.find(setting.key);
    for (const StudyRun& run : setting.runs) {
      const bool adopted =
          known != nullptr && std::ranges::find(known->adopted, run.id) != known->adopted.end();
      std::string detail = run.detail;
      if (adopted) detail = detail.empty() ? "was there before the study" : detail;
      table.rows.push_back({run.id,
                            {text_cell(setting.key), count_cell(run.repeat), text_cell(run.label),
                             text_cell(run.id), text_cell(run.word),
                             number_cell(run.seconds, [](double v) { return decimal_text(v, 2); }),
                             text_cell(detail, Tone::kDim)}});
    }
  }
  return table;
}

}  // namespace

Table build_settings_table(const StudyFacts& facts, const analysis::Scaling& scaling) {
  if (facts.study.of_settings()) return build_combinations_table(facts);
  Table table{"settings", "Settings"};
  for (std::size_t i = 0; i < facts.settings.size() && i < scaling.points.size(); ++i) {
    add_entries(table, entries_of(facts, facts.settings[i], scaling.points[i], scaling,
                                  facts.measured[i].precision_differs));
    table.rows.back().key = facts.settings[i].key;
  }
  Step warm_up = 0;
  for (const auto& setting : facts.measured) {
    for (const auto& run : setting.runs) warm_up = std::max(warm_up, run.warm_up_steps);
  }
  table.notes.push_back(
      "Mean ± standard deviation of the repeats, of a speedup those of the baseline too; time from "
      "the first step to the end, start-up left out" +
      (warm_up > 0 ? "; Steady leaves out up to " + plural(warm_up, "step", "steps") + " of warm-up"
                   : std::string()) +
      ".");
  if (std::isfinite(scaling.target_accuracy)) {
    table.notes.push_back(
        "To same acc: ratio of the times to a validation accuracy of " +
        accuracy_text(scaling.target_accuracy) +
        (scaling.target_of_goal ? ", that of the gate." : ", the baseline's own at its end."));
  }
  return table;
}

std::vector<Table> build_study_tables(const StudyFacts& facts, const analysis::Scaling& scaling) {
  std::vector<Table> tables;
  if (!facts.study.of_settings()) {
    tables = experiment_tables(build_experiment_view(facts, scaling));
    tables.push_back(fit_table(facts, scaling));
  }
  tables.push_back(runs_table(facts));
  std::erase_if(tables, [](const Table& table) { return table.rows.empty(); });
  return tables;
}

}  // namespace ringside::view
