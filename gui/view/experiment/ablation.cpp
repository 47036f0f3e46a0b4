// The gain of one setting: runs compared with baselines that differ only in that setting.
#include <algorithm>
#include <cmath>

#include "gui/analysis/accuracy.h"
#include "gui/model/run_model.h"
#include "gui/view/experiment/experiment_parts.h"
#include "gui/view/report_run.h"
#include "protocol/base/text.h"

namespace ringside::view {
namespace {

constexpr double kErrors = 2;  // a gain of up to this many counting errors counts as none

struct Pair {
  const ReportRun* run = nullptr;
  std::string why;  ///< why the pair proves nothing; empty: it is valid
  analysis::SharedValidation both;
  double gain = 0;
  double error = 0;  ///< see counting_error()
};

const launch::PublishedFigure* gain_of(const launch::NamedPreset* preset) {
  if (!has_source(preset)) return nullptr;
  const auto& figures = preset->file.published.figures;
  const auto found = std::find_if(figures.begin(), figures.end(), is_ablation);
  return found == figures.end() ? nullptr : &*found;
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) add_listed(text, word);
  return text;
}

/// Why these two runs are not such a pair; empty: they are one.
std::string no_pair(const ReportRun& run, const analysis::Speedup& speedup) {
  const auto& set = run.preset->file.spec.full.baseline.set;
  const auto meant = [&set](const std::string& key) {
    return std::any_of(set.begin(), set.end(),
                       [&](const std::string& one) { return one.starts_with(key + "="); });
  };
  if (run.baseline == nullptr) return "There is no baseline to make a pair with.";
  std::vector<std::string> more;
  bool apart = false;
  for (const auto& one : messages::differences(run.baseline->spec(), run.model->spec())) {
    if (meant(one.key)) {
      apart = true;
    } else if (!is_free_setting(one.key)) {
      more.push_back(one.key);
    }
  }
  if (!more.empty())
    return "The two runs differ in more than " + joined(set) + ": " + joined(more) + ".";
  if (!apart) return "The two runs do not differ in " + joined(set) + ".";
  if (speedup.missing != analysis::NoSpeedup::kNone) return speedup.why;
  return speedup.accuracy ? "" : "No validation of the same epoch is complete in both runs.";
}

double variance(const analysis::PassResult& pass) {
  const double share = pass.accuracy();
  return pass.counted > 0 ? share * (1 - share) / static_cast<double>(pass.counted) : 0;
}

Pair pair_of(const ReportRun& run) {
  const analysis::Speedup speedup = speedup_of(run);
  Pair pair{&run, no_pair(run, speedup), {}, 0, 0};
  if (!pair.why.empty()) return pair;
  pair.both = *speedup.accuracy;
  pair.gain = pair.both.delta();
  pair.error = counting_error(pair.both);
  return pair;
}

/// Judges the gain; the settings of `run` decide whether it counts as published.
FigureMatch judged(const ReportRun& run, const launch::PublishedFigure& figure, double gain,
                   double error) {
  const bool as_published = changed_settings(run.preset->file, run.model->spec()).empty();
  return gain_match(figure, gain, error, as_published);
}

std::string signed_points(double difference) {
  return (difference > 0 ? "+" : "") + points_text(difference);
}

Cell points_cell(double value) { return {value, signed_points(value)}; }

void add_pair(const Pair& pair, const launch::PublishedFigure& figure, Table& table) {
  const std::string name =
      pair.run->label +
      (pair.run->baseline_label.empty() ? "" : " against " + pair.run->baseline_label);
  const Cell devices = count_cell(pair.run->model->spec().devices.world_size);
  if (!pair.why.empty()) {
    add_row(table, {text_cell(name), devices, unknown_cell(), unknown_cell(), unknown_cell(),
                    unknown_cell(), unknown_cell(), unknown_cell(), text_cell(pair.why)});
    return;
  }
  const auto& [run, baseline] = pair.both;
  add_row(table,
          {text_cell(name), devices, share_cell(baseline.accuracy()), share_cell(run.accuracy()),
           points_cell(pair.gain), number_cell(pair.error, points_text),
           number_cell(baseline.loss, loss_long_text), number_cell(run.loss, loss_long_text),
           text_cell(judged(*pair.run, figure, pair.gain, pair.error).words)});
}

/// Adds a line below the pairs with a gain and its description.
void add_gain(const std::string& name, Cell gain, Cell error, const std::string& words,
              Table& table) {
  add_row(table, {text_cell(name), unknown_cell(), unknown_cell(), unknown_cell(), std::move(gain),
                  std::move(error), unknown_cell(), unknown_cell(), text_cell(words)});
}

Table table_of(const std::vector<Pair>& pairs, const launch::PublishedFigure& figure) {
  const ReportRun& asked = *pairs.back().run;
  const std::string set = joined(asked.preset->file.spec.full.baseline.set);
  Table table = table_about(asked, "ablation", "Ablation: against " + set);
  table.columns = {{"pair", "pair"},
                   number_column("devices", "devices"),
                   number_column("baseline_accuracy", "val acc, baseline"),
                   number_column("accuracy", "val acc"),
                   number_column("gain", "gain"),
                   number_column("counting_error", "counting error"),
                   number_column("baseline_loss", "val loss, baseline"),
                   number_column("loss", "val loss"),
                   {"direction", "direction"}};
  for (const Pair& pair : pairs) add_pair(pair, figure, table);
  table.notes.push_back(
      "A gain within twice its counting error, which follows from the number of "
      "samples counted, has no direction.");
  return table;
}

/// The mean gain of all valid pairs; nothing if there are none.
std::optional<Pair> mean_of(const std::vector<Pair>& pairs) {
  Pair mean;
  double variances = 0;
  double count = 0;
  for (const Pair& pair : pairs) {
    if (!pair.why.empty()) continue;
    mean.gain += pair.gain;
    variances += pair.error * pair.error;
    count += 1;
  }
  if (count == 0) return std::nullopt;
  mean.gain /= count;
  mean.error = std::sqrt(variances) / count;
  return mean;
}

ExperimentVerdict verdict_of(const std::optional<Pair>& mean, const std::vector<Pair>& pairs,
                             const launch::PublishedFigure& figure) {
  if (!mean) return not_judged("ablation", pairs.back().why);
  const auto count =
      std::count_if(pairs.begin(), pairs.end(), [](const Pair& pair) { return pair.why.empty(); });
  const std::string beside = signed_points(mean->gain) + ", counting error " +
                             points_text(mean->error) + ", of " + plural(count, "pair", "pairs") +
                             "; published " + figure.printed;
  const FigureMatch match = judged(*pairs.back().run, figure, mean->gain, mean->error);
  if (match.matched == Matched::kNotJudged)
    return not_judged("ablation", "Gain " + beside + ": too small for the samples counted.");
  const bool same = match.matched == Matched::kYes;
  return {"ablation", same ? "Same direction" : "Other direction",
          same ? Tone::kOk : Tone::kWarning, same ? Shape::kTick : Shape::kWarningTriangle,
          "Gain " + beside + "."};
}

}  // namespace

double counting_error(const analysis::SharedValidation& both) {
  return std::sqrt(variance(both.run) + variance(both.baseline));
}

FigureMatch gain_match(const launch::PublishedFigure& figure, double gain, double error,
                       bool as_published) {
  const std::string other = as_published ? "" : ", at other settings";
  if (gain == 0) return {Matched::kNotJudged, "no difference" + other};
  if (std::abs(gain) <= kErrors * error)
    return {Matched::kNotJudged, "within the counting error" + other};
  return match_of(figure, gain, as_published);
}

std::optional<Ablation> build_ablation(std::span<const ReportRun> runs) {
  if (runs.empty()) return std::nullopt;
  const launch::PublishedFigure* const figure = gain_of(runs.back().preset);
  if (figure == nullptr) return std::nullopt;
  std::vector<Pair> pairs;
  for (const ReportRun& run : runs) {
    const bool asked = &run == &runs.back();
    if (run.preset == nullptr || run.preset->name != runs.back().preset->name) continue;
    Pair pair = pair_of(run);
    if (asked || pair.why.empty()) pairs.push_back(std::move(pair));
  }
  Ablation ablation{table_of(pairs, *figure), {}};
  const std::optional<Pair> mean = mean_of(pairs);
  if (mean && pairs.size() > 1)
    add_gain("mean of the pairs", points_cell(mean->gain), number_cell(mean->error, points_text),
             judged(runs.back(), *figure, mean->gain, mean->error).words, ablation.table);
  add_gain("published", {*figure->value, signed_points(*figure->value)}, unknown_cell(),
           figure->printed, ablation.table);
  ablation.verdict = verdict_of(mean, pairs, *figure);
  return ablation;
}

}  // namespace ringside::view
