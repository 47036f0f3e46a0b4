#include "gui/view/scaling/study_experiment.h"

#include <algorithm>
#include <set>

#include "gui/view/experiment/experiment_parts.h"
#include "gui/view/scaling/scaling_view.h"
#include "gui/view/table_cells.h"
#include "protocol/base/text.h"

namespace ringside::view {
namespace {

using analysis::ScalingPoint;
using Presets = std::vector<const launch::NamedPreset*>;

/// Presets with a published source, without duplicates, starting with the preset of the study.
Presets presets_of(const StudyFacts& facts) {
  Presets presets;
  std::set<std::string> names;
  for (const bool own : {true, false}) {
    for (const StudySettingFacts& setting : facts.settings) {
      const launch::NamedPreset* const preset = setting.preset.get();
      if (!has_source(preset) || (preset->name == facts.study.head.recipe) != own) continue;
      if (names.insert(preset->name).second) presets.push_back(preset);
    }
  }
  return presets;
}

const StudySettingFacts* setting_of(const StudyFacts& facts, const std::string& key) {
  const auto found =
      std::ranges::find_if(facts.settings, [&](const auto& one) { return one.key == key; });
  return found == facts.settings.end() ? nullptr : &*found;
}

Table published_table(const StudyFacts& facts, const std::vector<PublishedPoint>& points,
                      const Presets& presets, std::vector<ComparedFigure>& judged) {
  Table table{"published", "Published beside ours, by the clock of the source"};
  table.columns = {
      {"setting", "setting"},        {"figure", "figure"}, number_column("published", "published"),
      number_column("ours", "ours"), {"clock", "clock"},   {"matches", "what matches"}};
  for (const PublishedPoint& one : points) {
    const std::string& what = one.figure->what;
    const StudySettingFacts* const setting = setting_of(facts, one.key);
    const FigureMatch match =
        match_of(*one.figure, one.ours, setting != nullptr && setting->changed.empty());
    const std::string derived = one.figure->derived ? " (derived)" : "";
    table.rows.push_back(
        {one.key + " " + what,
         {text_cell(one.key),
          text_cell(what),
          {one.figure->value.value_or(analysis::RunMeasure::kNone), one.figure->printed + derived},
          number_cell(one.ours, [&](double value) { return figure_text(what, value); }),
          text_cell(launch::is_timed(what) ? clock_words(*one.figure) : "", Tone::kDim),
          text_cell(match.words)}});
    judged.push_back({what + " of " + one.key, match});
  }
  if (!table.rows.empty())
    table.notes.emplace_back("Published times are those of the authors' machines, never a target.");
  for (const launch::NamedPreset* preset : presets) {
    for (const std::string& note : preset->file.published.notes) {
      if (std::ranges::find(table.notes, note) == table.notes.end()) table.notes.push_back(note);
    }
  }
  return table;
}

/// The source's published figure for a setting's number of devices.
Cell printed_cell(const StudySettingFacts& setting, const char* what) {
  for (const launch::PublishedFigure& figure : setting.preset->file.published.figures) {
    if (figure.ranks != setting.devices || figure.what != what) continue;
    return {figure.value.value_or(analysis::RunMeasure::kNone), figure.printed};
  }
  return unknown_cell();
}

/// The source's batch division compared with ours, point by point, for a study on several nodes.
Table division_table(const StudyFacts& facts) {
  Table table{"division", "Division of the batch, the source's beside ours"};
  table.columns = {{"setting", "setting"},
                   {"nodes", "nodes × devices"},
                   number_column("published_per_rank", "per rank, published"),
                   number_column("per_rank_batch", "ours"),
                   number_column("published_global", "global, published"),
                   number_column("global_batch", "ours"),
                   number_column("published_steps", "steps per epoch, published"),
                   number_column("steps_per_epoch", "ours"),
                   number_column("published_seconds", "time s, published")};
  const bool several =
      std::ranges::any_of(facts.settings, [](const auto& one) { return one.nodes > 1; });
  for (const StudySettingFacts& setting : facts.settings) {
    if (!several || !has_source(setting.preset.get())) continue;
    table.rows.push_back(
        {setting.key,
         {text_cell(setting.key), text_cell((setting.nodes > 1 ? "" : "1 × ") + size_text(setting)),
          printed_cell(setting, "per_rank_batch"), known_count_cell(setting.per_rank_batch),
          printed_cell(setting, "global_batch"), known_count_cell(setting.global_batch),
          printed_cell(setting, "steps_per_epoch"), known_count_cell(setting.steps_per_epoch),
          printed_cell(setting, "total_seconds")}});
  }
  return table;
}

/// Why the goal gate does not apply to this setting; empty if it does.
std::string not_of_goal(const ScalingPoint& point, const launch::PublishedGate& goal) {
  if (point.devices != goal.ranks)
    return "The goal is set for exactly " + count_text(goal.ranks) + " devices.";
  if (!point.measured) return "A finished run is missing, of this setting or of the baseline.";
  return point.judged() ? "" : "No validation is complete.";
}

Cell passed_cell(const ScalingPoint& point, bool judged) {
  if (!judged) return {{}, "Not judged", Tone::kDim};
  const ExperimentVerdict verdict = gate_verdict(*point.fast_enough, *point.accurate_enough, {});
  return {point.passed(), verdict.word, verdict.tone, -1, verdict.shape};
}

Table gate_table(const analysis::Scaling& scaling, const launch::PublishedGate& goal) {
  Table table{"goal_gate", "Goal gate"};
  table.columns = {{"setting", "setting"},
                   number_column("devices", "devices"),
                   number_column("time_cut", "time saved"),
                   number_column("val_accuracy", "val acc"),
                   {"passed", "gate"},
                   {"why", "why"}};
  for (const ScalingPoint& point : scaling.points) {
    if (point.series == runs::kBaselineSeries) continue;
    const std::string why = not_of_goal(point, goal);
    add_row(table, {text_cell(point.key), count_cell(point.devices),
                    number_cell(point.time_cut, percent1_text),
                    number_cell(point.accuracy.mean, accuracy_text),
                    passed_cell(point, why.empty()), text_cell(why, Tone::kDim)});
  }
  return table;
}

ExperimentVerdict goal_verdict(const analysis::Scaling& scaling,
                               const launch::PublishedGate& goal) {
  std::string why = "The goal is set for exactly " + count_text(goal.ranks) +
                    " devices; the study has no such setting.";
  for (const ScalingPoint& point : scaling.points) {
    if (point.series == runs::kBaselineSeries || point.devices != goal.ranks) continue;
    why = not_of_goal(point, goal);
    if (why.empty())
      return gate_verdict(
          *point.fast_enough, *point.accurate_enough,
          point.key + ": " + gate_words(point.time_cut, point.accuracy.mean, goal) + ".");
    why.insert(0, point.key + ": ");
  }
  return not_judged("gate", std::move(why));
}

/// How the settings that have a published figure differ from their presets.
Table changes_table(const StudyFacts& facts, const std::vector<PublishedPoint>& points) {
  Table table{"changed_settings", "Settings that differ from the published recipes"};
  table.columns = {{"study_setting", "study setting"},
                   {"preset", "preset"},
                   {"setting", "setting"},
                   {"recipe", "recipe"},
                   {"run", "this study"}};
  for (const StudySettingFacts& setting : facts.settings) {
    const bool held =
        std::ranges::any_of(points, [&](const auto& one) { return one.key == setting.key; });
    if (!held) continue;
    for (const messages::FieldDifference& one : setting.changed) {
      table.rows.push_back({setting.key + " " + one.key,
                            {text_cell(setting.key), text_cell(setting.preset->name),
                             text_cell(one.key), word_cell(one.left), word_cell(one.right)}});
    }
  }
  return table;
}

ExperimentVerdict settings_verdict(const Table& changes) {
  if (changes.rows.empty())
    return {"settings", "As published", Tone::kOk, Shape::kTick,
            "No setting with a published figure differs from its preset."};
  std::set<std::string> of;
  for (const TableRow& row : changes.rows) of.insert(row.cells.front().text);
  std::string names;
  for (const std::string& name : of) add_listed(names, name);
  return {"settings", "Other settings", Tone::kInfo, Shape::kHollowDiamond,
          "These differ from their presets: " + names + ". Compare trends, not values."};
}

std::string joined_names(const Presets& presets) {
  std::string names;
  for (const launch::NamedPreset* preset : presets) add_listed(names, preset->name);
  return names;
}

}  // namespace

bool has_source(const StudyFacts& facts) { return !presets_of(facts).empty(); }

ExperimentView build_experiment_view(const StudyFacts& facts, const analysis::Scaling& scaling) {
  ExperimentView view;
  const Presets presets = presets_of(facts);
  if (presets.empty()) {
    view.empty = {
        {"There are no published figures for this study. ", Style::kStrong},
        {"Its preset names no source, or none of its runs is left to say which preset it was.",
         Style::kDim}};
    return view;
  }
  view.title = presets.front()->file.published.source;
  view.subtitle = "study " + facts.study.head.study + ", " + joined_names(presets);
  if (facts.goal) {
    view.verdicts.push_back(goal_verdict(scaling, *facts.goal));
    view.tables.push_back(gate_table(scaling, *facts.goal));
  }
  const auto points = published_points(facts, scaling);
  std::vector<ComparedFigure> judged;
  view.tables.push_back(published_table(facts, points, presets, judged));
  if (Table division = division_table(facts); !division.rows.empty())
    view.tables.push_back(std::move(division));
  Table changes = changes_table(facts, points);
  view.verdicts.push_back(figures_verdict(judged));
  if (!points.empty()) view.verdicts.push_back(settings_verdict(changes));
  view.tables.push_back(std::move(changes));
  for (const launch::NamedPreset* preset : presets)
    add_source_tables(preset->file.published, {}, view.tables);
  finish(view);
  return view;
}

}  // namespace ringside::view
