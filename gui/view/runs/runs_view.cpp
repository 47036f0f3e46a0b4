#include "gui/view/runs/runs_view.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <compare>
#include <limits>
#include <map>
#include <set>

#include "gui/model/run_model.h"
#include "gui/view/number_format.h"
#include "gui/view/runs/compare_view.h"
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
  if (key == "state") return contains(outcome_view(run.outcome, run.loss_broke).word, value);
  if (key == "gpus" || key == "ranks") return std::to_string(run.ranks) == value;
  if (key == "tag") return any_contains(run.tags, value);
  if (key == "is" && value == "tagged") return !run.own_tags.empty();
  const std::string& text = word;
  return contains(run.title, text) || contains(run.note, text) || contains(run.id, text) ||
         contains("#" + std::to_string(run.number), text) || any_contains(run.tags, text);
}

std::vector<std::string> words_of(const std::string& filter) {
  std::vector<std::string> words;
  for (std::size_t begin = 0; begin < filter.size();) {
    const std::size_t space = std::min(filter.find(' ', begin), filter.size());
    if (space > begin) words.push_back(filter.substr(begin, space - begin));
    begin = space + 1;
  }
  return words;
}

bool fits(const RunSummary& run, const std::vector<std::string>& words) {
  return std::all_of(words.begin(), words.end(),
                     [&run](const std::string& word) { return fits_word(run, word); });
}

/// The value that most runs have; empty when there is none.
template <class Of>
std::string most_frequent(std::span<const RunSummary> runs, const Of& of) {
  std::map<std::string, std::size_t> counts;
  for (const RunSummary& run : runs) {
    const std::string value = of(run);
    if (!value.empty()) ++counts[value];
  }
  const auto most =
      std::max_element(counts.begin(), counts.end(),
                       [](const auto& a, const auto& b) { return a.second < b.second; });
  return most == counts.end() ? std::string() : most->first;
}

/// What most people narrow a list by; a chip that would change nothing is not offered.
std::vector<FilterChip> chips_of(std::span<const RunSummary> runs, const RunsChoice& choice,
                                 bool gpus) {
  std::vector<FilterChip> chips;
  const auto words = words_of(lower(choice.filter));
  const auto add = [&](std::string word, std::string filter) {
    const bool on = std::find(words.begin(), words.end(), lower(filter)) != words.end();
    const auto fit = static_cast<std::size_t>(std::count_if(
        runs.begin(), runs.end(), [&](const RunSummary& run) { return fits_word(run, filter); }));
    if (on || (fit > 0 && fit < runs.size()))
      chips.push_back({std::move(word), std::move(filter), on});
  };
  const std::string data = most_frequent(runs, [](const RunSummary& run) { return run.data; });
  if (data.find(' ') == std::string::npos && !data.empty()) add(data, "data:" + lower(data));
  const std::string ranks = most_frequent(runs, [](const RunSummary& run) {
    return run.ranks > 0 ? std::to_string(run.ranks) : std::string();
  });
  if (!ranks.empty())
    add(ranks + (gpus ? " GPU" : " rank") + (ranks == "1" ? "" : "s"), "gpus:" + ranks);
  add("Failed", "state:failed");
  add("Tagged", "is:tagged");
  return chips;
}

Sentence device_time_of(const std::vector<const RunSummary*>& shown) {
  double seconds = 0;
  for (const RunSummary* run : shown) {
    if (run->gpus && run->seconds) seconds += *run->seconds * static_cast<double>(run->ranks);
  }
  if (seconds <= 0) return {};
  return {{"GPU time ", Style::kDim}, {rough_duration_text(seconds), Style::kNumber}};
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
      return run.ranks > 0 ? static_cast<double>(run.ranks) : std::nan("");
    case RunColumn::kGlobal:
      return run.global_batch > 0 ? static_cast<double>(run.global_batch) : std::nan("");
    case RunColumn::kAccuracy:
      return number_of(run.best_accuracy);
    case RunColumn::kTime:
      return number_of(run.seconds);
    case RunColumn::kSpeedup:
      return number_of(run.speedup);
    case RunColumn::kStarted:
      // What waits for its turn comes after all that began.
      return run.outcome == RunOutcome::kQueued ? std::numeric_limits<double>::infinity()
                                                : static_cast<double>(run.started_wall_ns);
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
  row.state = run.read ? outcome_view(run.outcome, run.loss_broke)
                       : StateView{label::kReading, Shape::kRing, Tone::kDim};
  row.title = printable_line(run.title);
  row.ranks = run.ranks > 0 ? count_text(run.ranks) : std::string(kDash);
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

std::string toggled(const std::string& filter, const FilterChip& chip) {
  std::string result;
  for (const std::string& word : words_of(filter)) {
    if (lower(word) != lower(chip.filter)) result += (result.empty() ? "" : " ") + word;
  }
  if (!chip.on) result += (result.empty() ? "" : " ") + chip.filter;
  return result;
}

void show_choice(std::span<const RunSummary> runs, const RunsChoice& choice, RunsView& view) {
  std::map<std::string, int> series;
  std::int64_t unread = 0;
  for (const RunSummary& run : runs) {
    if (!choice.marked.empty() && choice.marked.contains(run.id))
      series.emplace(run.id, static_cast<int>(series.size()));
    unread += run.read ? 0 : 1;
  }
  for (RunRow& row : view.rows) {
    row.selected = row.id == choice.selected;
    const auto place = series.empty() ? series.end() : series.find(row.id);
    row.marked = place != series.end();
    row.series = row.marked ? place->second : -1;
  }
  view.marked = series.size();
  view.can_compare = view.marked >= 2 && view.marked <= kMostCompared;
  view.count = {{count_text(static_cast<std::int64_t>(view.rows.size())), Style::kNumber},
                {" of ", Style::kDim},
                {plural(static_cast<std::int64_t>(runs.size()), "run", "runs"), Style::kWords}};
  if (view.marked > 0)
    view.count.push_back(
        {", " + count_text(static_cast<std::int64_t>(view.marked)) + " marked", Style::kWords});
  if (unread > 0) view.count.push_back({", reading " + count_text(unread), Style::kDim});
}

RunsView build_runs_view(std::span<const RunSummary> runs, const RunsChoice& choice,
                         std::int64_t now_wall_ns, bool looked) {
  RunsView view;
  std::vector<const RunSummary*> shown;
  const auto words = words_of(lower(choice.filter));
  for (const RunSummary& run : runs) {
    if (fits(run, words)) shown.push_back(&run);
  }
  std::stable_sort(shown.begin(), shown.end(),
                   [&](const auto* a, const auto* b) { return before(*a, *b, choice); });
  const bool all_gpus =
      !runs.empty() &&
      std::all_of(runs.begin(), runs.end(), [](const RunSummary& run) { return run.gpus; });
  view.device_header = all_gpus ? "GPUs" : "Ranks";
  view.chips = chips_of(runs, choice, all_gpus);
  view.device_time = device_time_of(shown);
  view.rows.reserve(shown.size());
  for (const RunSummary* run : shown) view.rows.push_back(row_of(*run, choice, now_wall_ns));
  show_choice(runs, choice, view);
  if (!looked) {
    view.empty = {{label::kReadingRuns, Style::kDim}};
    view.count = view.empty;
  } else if (runs.empty()) {
    view.empty = {{"No runs yet. ", Style::kStrong},
                  {"Launch one, or drop a run folder here.", Style::kDim}};
  } else if (shown.empty()) {
    view.empty = {{label::kNoMatchingRun, Style::kDim}};
  }
  return view;
}

RunDetailsView build_run_details(std::span<const RunSummary> runs, const RunsChoice& choice,
                                 std::int64_t now_wall_ns) {
  RunDetailsView view;
  const auto found = std::find_if(runs.begin(), runs.end(),
                                  [&](const RunSummary& run) { return run.id == choice.selected; });
  // Nothing is done to a run that the filter hides.
  if (found == runs.end() || !fits(*found, words_of(lower(choice.filter)))) return view;
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
  if (!found->model.empty()) fact("Model, data", found->model + " · " + found->data);
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

std::vector<RecentSettings> recent_settings(std::span<const RunSummary> runs) {
  std::vector<const RunSummary*> newest;
  for (const RunSummary& run : runs) {
    if (run.read && !run.is_baseline && !run.model.empty()) newest.push_back(&run);
  }
  std::sort(newest.begin(), newest.end(), [](const RunSummary* a, const RunSummary* b) {
    return a->started_wall_ns > b->started_wall_ns;
  });
  std::vector<RecentSettings> recent;
  std::set<std::string> known;
  for (const RunSummary* run : newest) {
    if (recent.size() == kMostRecent) break;
    const std::string& name = run->name.empty() ? run->title : run->name;
    const std::string facts =
        plural(run->ranks, run->gpus ? "GPU" : "rank", run->gpus ? "GPUs" : "ranks") +
        (run->global_batch > 0 ? ", global batch " + count_text(run->global_batch) : "");
    if (!known.insert(name + '\n' + facts).second) continue;
    recent.push_back({run->id, name, "#" + std::to_string(run->number) + ", " + facts});
  }
  return recent;
}

}  // namespace ringside::view
