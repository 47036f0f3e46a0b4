#include "gui/view/runs_view.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <compare>

#include "gui/view/compare_view.h"
#include "gui/view/number_format.h"
#include "protocol/base/printable.h"

namespace ringside::view {
namespace {

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

bool contains(const std::string& text, const std::string& part) {
  return lower(text).find(part) != std::string::npos;
}

bool any_contains(const std::vector<std::string>& texts, const std::string& part) {
  return std::any_of(texts.begin(), texts.end(),
                     [&](const std::string& text) { return contains(text, part); });
}

/// One word of the filter: key:value, or text that stands anywhere.
bool fits_word(const RunSummary& run, const std::string& word) {
  const std::size_t colon = word.find(':');
  const std::string key = colon == std::string::npos ? "" : word.substr(0, colon);
  const std::string value = colon == std::string::npos ? word : word.substr(colon + 1);
  if (value.empty() || value == "any") return true;
  if (key == "model") return contains(run.model, value);
  if (key == "data") return contains(run.data, value);
  if (key == "state") return contains(outcome_view(run.outcome).word, value);
  if (key == "gpus" || key == "ranks") return std::to_string(run.ranks) == value;
  if (key == "tag") return any_contains(run.tags, value);
  const std::string& text = word;
  return contains(run.title, text) || contains(run.note, text) || contains(run.id, text) ||
         contains("#" + std::to_string(run.number), text) || any_contains(run.tags, text);
}

bool fits(const RunSummary& run, const std::string& filter) {
  const std::string words = lower(filter);
  for (std::size_t begin = 0; begin < words.size();) {
    const std::size_t space = std::min(words.find(' ', begin), words.size());
    if (space > begin && !fits_word(run, words.substr(begin, space - begin))) return false;
    begin = space + 1;
  }
  return true;
}

double number_of(const std::optional<double>& value) { return value.value_or(std::nan("")); }

/// What a column is sorted by; NaN (not known) always comes last.
double sort_number(const RunSummary& run, RunColumn column) {
  switch (column) {
    case RunColumn::kRun:
      return run.number;
    case RunColumn::kState:
      return static_cast<double>(run.outcome);
    case RunColumn::kRanks:
      return static_cast<double>(run.ranks);
    case RunColumn::kGlobal:
      return run.global_batch > 0 ? static_cast<double>(run.global_batch) : std::nan("");
    case RunColumn::kAccuracy:
      return number_of(run.best_accuracy);
    case RunColumn::kTime:
      return number_of(run.seconds);
    case RunColumn::kSpeedup:
      return number_of(run.speedup);
    case RunColumn::kStarted:
      return static_cast<double>(run.started_wall_ns);
    case RunColumn::kWhat:
      break;
  }
  return 0;
}

bool before(const RunSummary& a, const RunSummary& b, const RunsChoice& choice) {
  if (choice.sort == RunColumn::kWhat && a.title != b.title)
    return choice.descending ? a.title > b.title : a.title < b.title;
  const double left = sort_number(a, choice.sort);
  const double right = sort_number(b, choice.sort);
  if (std::isnan(left) || std::isnan(right)) {
    if (std::isnan(left) != std::isnan(right)) return std::isnan(right);
  } else if (left != right) {
    return choice.descending ? left > right : left < right;
  }
  return a.id > b.id;  // Ids begin with the time: newest first among equals.
}

RunRow row_of(const RunSummary& run, const RunsChoice& choice, std::int64_t now_wall_ns) {
  RunRow row;
  row.id = run.id;
  row.number = run_label(run.number, run.id);
  row.state = outcome_view(run.outcome);
  row.title = printable_line(run.title);
  row.ranks = count_text(run.ranks);
  row.global = run.global_batch > 0 ? count_text(run.global_batch) : std::string(kDash);
  row.accuracy = accuracy_number(number_of(run.best_accuracy));
  row.time = clock_text(number_of(run.seconds));
  row.speedup = speedup_text(number_of(run.speedup));
  row.started = day_text(run.started_wall_ns, now_wall_ns);
  row.loss = run.loss;
  row.loss_broke = run.loss_broke;
  row.tags = run.tags;
  if (run.is_baseline) row.tags.emplace_back("baseline");
  row.marked = choice.marked.contains(run.id);
  row.selected = choice.selected == run.id;
  return row;
}

}  // namespace

RunsView build_runs_view(std::span<const RunSummary> runs, const RunsChoice& choice,
                         std::int64_t now_wall_ns) {
  RunsView view;
  std::vector<const RunSummary*> shown;
  for (const RunSummary& run : runs) {
    if (fits(run, choice.filter)) shown.push_back(&run);
  }
  std::stable_sort(shown.begin(), shown.end(),
                   [&](const auto* a, const auto* b) { return before(*a, *b, choice); });
  const bool all_gpus =
      !runs.empty() &&
      std::all_of(runs.begin(), runs.end(), [](const RunSummary& run) { return run.gpus; });
  view.device_header = all_gpus ? "GPUs" : "Ranks";
  std::size_t marked = 0;
  for (const RunSummary* run : shown) view.rows.push_back(row_of(*run, choice, now_wall_ns));
  for (const RunSummary& run : runs) marked += choice.marked.contains(run.id) ? 1U : 0U;
  view.marked = marked;
  view.can_compare = marked >= 2 && marked <= kMostCompared;
  const auto total = static_cast<std::int64_t>(runs.size());
  view.count = {{count_text(static_cast<std::int64_t>(shown.size())), Style::kNumber},
                {" of ", Style::kDim},
                {plural(total, "run", "runs"), Style::kWords}};
  if (marked > 0)
    view.count.push_back(
        {", " + count_text(static_cast<std::int64_t>(marked)) + " marked", Style::kWords});
  if (runs.empty()) {
    view.empty = {{"No runs yet. ", Style::kStrong},
                  {"Launch one, or drop a run folder here.", Style::kDim}};
  } else if (shown.empty()) {
    view.empty = {{"No run fits the filter.", Style::kDim}};
  }
  return view;
}

RunDetailsView build_run_details(std::span<const RunSummary> runs, const RunsChoice& choice,
                                 std::int64_t now_wall_ns) {
  RunDetailsView view;
  const auto found = std::find_if(runs.begin(), runs.end(),
                                  [&](const RunSummary& run) { return run.id == choice.selected; });
  if (found == runs.end()) return view;
  const RunRow row = row_of(*found, choice, now_wall_ns);
  view.shown = true;
  view.id = found->id;
  view.heading = "Run " + row.number;
  view.state = row.state;
  view.name = found->name;
  view.name_hint = found->title;
  view.note = found->note;
  view.folder = found->folder;
  for (const std::string& tag : found->own_tags) view.tags += (view.tags.empty() ? "" : ", ") + tag;
  const auto fact = [&view](const char* label, std::string value) {
    view.facts.push_back({label, {{std::move(value), Style::kNumber}}, Tone::kText});
  };
  if (!found->model.empty()) fact("What", found->model + " · " + found->data);
  fact(found->gpus ? "GPUs" : "Ranks", row.ranks);
  fact("Global batch", row.global);
  fact("Started", row.started);
  fact("Time", row.time);
  fact("Best val %", row.accuracy);
  fact("Speedup", row.speedup);
  fact("Id", found->id);
  const bool over =
      found->outcome == RunOutcome::kFinished || found->outcome == RunOutcome::kFailed ||
      found->outcome == RunOutcome::kStopped || found->outcome == RunOutcome::kDidNotDie ||
      found->outcome == RunOutcome::kInterrupted || found->outcome == RunOutcome::kUnknown;
  view.can_delete = over;
  return view;
}

}  // namespace ringside::view
