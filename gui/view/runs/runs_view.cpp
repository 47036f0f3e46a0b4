#include "gui/view/runs/runs_view.h"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string_view>

#include <fmt/format.h>

#include "gui/view/number_format.h"
#include "gui/view/runs/compare_view.h"
#include "gui/view/table_cells.h"
#include "gui/view/table_filter.h"
#include "protocol/base/nearest.h"
#include "protocol/base/printable.h"
#include "protocol/base/text.h"

namespace ringside::view {
namespace {

bool any_has(const std::vector<std::string>& texts, const std::string& part) {
  return std::ranges::any_of(texts, [&](const std::string& text) { return has_text(text, part); });
}

/// The value that most runs have; empty when there is none.
template <class Of>
std::string most_frequent(std::span<const RunSummary> runs, const Of& of) {
  std::map<std::string, std::size_t> counts;
  for (const RunSummary& run : runs) {
    const std::string value = of(run);
    if (!value.empty()) ++counts[value];
  }
  const auto most = std::ranges::max_element(
      counts, [](const auto& a, const auto& b) { return a.second < b.second; });
  return most == counts.end() ? std::string() : most->first;
}

Sentence device_time_of(const std::vector<const RunSummary*>& shown) {
  double seconds = 0;
  for (const RunSummary* run : shown) {
    if (run->gpus && run->seconds) seconds += *run->seconds * static_cast<double>(run->ranks);
  }
  if (seconds <= 0) return {};
  return {{"GPU time ", Style::kDim}, {rough_duration_text(seconds), Style::kNumber}};
}

std::vector<TableColumn> columns_of(bool gpus) {
  constexpr Align kLeft = Align::kLeft;
  constexpr Align kRight = Align::kRight;
  std::vector<TableColumn> columns{{"mark", "", "", kLeft, 18},
                                   {"run", "Run", "", kLeft, 44},
                                   {"id", "Id", "", kLeft, 0},
                                   {"state", "State", "", kLeft, 84},
                                   {"what", "What", "", kLeft, 180, 130},
                                   {"ranks", gpus ? "GPUs" : "Ranks", "", kRight, 36, 0, 2},
                                   {"global", "Global", "", kRight, 44, 0, 7},
                                   {"loss", "Loss", "", kLeft, 84, 0, 4},
                                   {"accuracy", "Best val", "%", kRight, 60, 0, 3},
                                   {"time", "Time", "", kRight, 50, 0, 1},
                                   {"speedup", "Speedup", "", kRight, 52, 0, 5},
                                   {"tags", "Tags", "", kLeft, 86, 0, 8},
                                   {"started", "Started", "", kRight, 62, 0, 6}};
  for (TableColumn& column : columns) {
    column.in_text = column.key != "mark" && column.key != "loss";
    column.sortable = column.in_text && column.key != "tags";
  }
  return columns;
}

Cell measured(const std::optional<double>& value, std::string (*format)(double)) {
  return value ? number_cell(*value, format) : unknown_cell();
}

/// Sorted by its stage.
Cell state_cell(const RunSummary& run) {
  const StateView state = run.read ? outcome_view(run.outcome, run.loss_broke)
                                   : StateView{label::kReading, Shape::kRing, Tone::kDim};
  return {static_cast<std::int64_t>(run.outcome), state.word, state.tone, -1, state.shape};
}

/// What waits for its turn comes after all that began.
Cell started_cell(const RunSummary& run, std::int64_t now_wall_ns) {
  CellValue value;
  if (run.started_wall_ns != 0) value = run.started_wall_ns;
  if (run.outcome == RunOutcome::kQueued) value = std::numeric_limits<std::int64_t>::max();
  return {value, day_text(run.started_wall_ns, now_wall_ns), Tone::kDim};
}

std::vector<std::string> tags_of(const RunSummary& run) {
  std::vector<std::string> tags = run.tags;
  if (run.is_baseline) tags.emplace_back("baseline");
  return tags;
}

TableRow row_of(const RunSummary& run, std::int64_t now_wall_ns) {
  return {run.id,
          {{},
           {run.number, run_label(run.number, run.id)},
           text_cell(run.id),
           state_cell(run),
           text_cell(printable_line(run.title)),
           known_count_cell(run.ranks),
           known_count_cell(run.global_batch),
           {},
           measured(run.best_accuracy, accuracy_number),
           measured(run.seconds, clock_text),
           measured(run.speedup, speedup_text),
           text_cell(fmt::format("{}", fmt::join(tags_of(run), ", "))),
           started_cell(run, now_wall_ns)}};
}

/// The cell that a word of the filter is about; null: it is about no column.
std::optional<Cell> tested_cell(const RunSummary& run, const std::string& key) {
  // The two of the chips, which all runs are asked for at each frame that draws the list anew.
  if (key == "state") return state_cell(run);
  if (key == "gpus" || key == "ranks") return known_count_cell(run.ranks);
  static const std::vector<TableColumn> kColumns = columns_of(false);
  const std::size_t place = named_column(kColumns, key);
  if (key.empty() || place == kColumns.size()) return std::nullopt;
  return row_of(run, 0).cells[place];
}

bool fits_word(const RunSummary& run, const RowTest& test) {
  if (test.value.empty() || lower_case(test.value) == "any") return true;
  const std::string key = lower_case(test.key);
  if (key == "model") return has_text(run.model, test.value);
  if (key == "data") return has_text(run.data, test.value);
  if (key == "tag") return any_has(run.tags, test.value);
  if (key == "is" && lower_case(test.value) == "tagged") return !run.own_tags.empty();
  if (const auto cell = tested_cell(run, key)) return fits(test, *cell);
  const std::string& text = test.word;
  return has_text(run.title, text) || has_text(run.note, text) || has_text(run.id, text) ||
         has_text("#" + std::to_string(run.number), text) || any_has(run.tags, text);
}

/// "No column is called speedy, did you mean "speedup"?" for the first such word; else nothing.
std::string unknown_column(const std::vector<RowTest>& tests) {
  std::vector<std::string> known{"model", "data", "tag", "is", "gpus"};
  for (const TableColumn& column : columns_of(false)) known.push_back(column.key);
  for (const RowTest& test : tests) {
    if (test.key.empty() || std::ranges::find(known, lower_case(test.key)) != known.end()) continue;
    return " No column is called " + test.key + suggestion(test.key, known);
  }
  return {};
}

bool fits_all(const RunSummary& run, const std::vector<RowTest>& tests) {
  return std::ranges::all_of(tests, [&run](const RowTest& test) { return fits_word(run, test); });
}

/// What most people narrow a list by; a chip that would change nothing is not offered.
std::vector<FilterChip> chips_of(std::span<const RunSummary> runs, const RunsChoice& choice,
                                 bool gpus) {
  std::vector<FilterChip> chips;
  const auto typed = row_tests(choice.filter);
  const auto add = [&](std::string word, std::string filter) {
    const bool on = std::ranges::any_of(
        typed, [&](const RowTest& test) { return lower_case(test.word) == lower_case(filter); });
    const auto tests = row_tests(filter);
    const auto fit = static_cast<std::size_t>(
        std::ranges::count_if(runs, [&](const RunSummary& run) { return fits_all(run, tests); }));
    if (on || (fit > 0 && fit < runs.size()))
      chips.push_back({std::move(word), std::move(filter), on});
  };
  const std::string data = most_frequent(runs, [](const RunSummary& run) { return run.data; });
  if (data.find(' ') == std::string::npos && !data.empty()) add(data, "data:" + lower_case(data));
  const std::string ranks = most_frequent(runs, [](const RunSummary& run) {
    return run.ranks > 0 ? std::to_string(run.ranks) : std::string();
  });
  if (!ranks.empty())
    add(ranks + (gpus ? " GPU" : " rank") + (ranks == "1" ? "" : "s"), "gpus:" + ranks);
  add("Failed", "state:failed");
  add("Tagged", "is:tagged");
  return chips;
}

}  // namespace

std::string toggled(const std::string& filter, const FilterChip& chip) {
  std::string result;
  for (const RowTest& test : row_tests(filter)) {
    if (lower_case(test.word) != lower_case(chip.filter))
      result += (result.empty() ? "" : " ") + test.word;
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
  for (std::size_t i = 0; i < view.rows.size(); ++i) {
    const std::string& id = view.table.rows[i].key;
    RunRow& row = view.rows[i];
    row.selected = id == choice.selected;
    const auto place = series.empty() ? series.end() : series.find(id);
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
                         std::int64_t now_wall_ns, bool looked, const std::string& elsewhere) {
  RunsView view;
  std::vector<const RunSummary*> shown;
  const auto tests = row_tests(choice.filter);
  for (const RunSummary& run : runs) {
    if (fits_all(run, tests)) shown.push_back(&run);
  }
  // Ids begin with the time: newest first among equals.
  std::ranges::sort(shown, [](const auto* a, const auto* b) { return a->id > b->id; });
  const bool all_gpus =
      !runs.empty() && std::ranges::all_of(runs, [](const RunSummary& run) { return run.gpus; });
  view.table = {"runs", "Runs", columns_of(all_gpus)};
  view.chips = chips_of(runs, choice, all_gpus);
  view.device_time = device_time_of(shown);
  std::map<std::string_view, const RunSummary*> by_id;
  for (const RunSummary* run : shown) {
    view.table.rows.push_back(row_of(*run, now_wall_ns));
    by_id[run->id] = run;
  }
  sort_rows(view.table, choice.sort);
  for (const TableRow& row : view.table.rows) {
    const RunSummary& run = *by_id[row.key];
    view.rows.push_back({run.loss, run.loss_broke, tags_of(run)});
  }
  show_choice(runs, choice, view);
  if (!looked) {
    view.table.empty = {{label::kReadingRuns, Style::kDim}};
    view.count = view.table.empty;
  } else if (runs.empty() && !elsewhere.empty()) {
    view.table.empty = {{elsewhere, Style::kWords}};
  } else if (runs.empty()) {
    view.table.empty = {{"No runs yet. ", Style::kStrong},
                        {"Launch one, or drop a run folder here.", Style::kDim}};
  } else if (shown.empty()) {
    view.table.empty = {{label::kNoMatchingRun + unknown_column(tests), Style::kDim}};
  }
  return view;
}

RunDetailsView build_run_details(std::span<const RunSummary> runs, const RunsChoice& choice,
                                 std::int64_t now_wall_ns, bool elsewhere) {
  RunDetailsView view;
  const auto found =
      std::ranges::find_if(runs, [&](const RunSummary& run) { return run.id == choice.selected; });
  // Nothing is done to a run that the filter hides.
  if (found == runs.end() || !fits_all(*found, row_tests(choice.filter))) return view;
  const Table table{"run", "Run", columns_of(found->gpus), {row_of(*found, now_wall_ns)}};
  const auto cell = [&table](std::string_view key) -> const Cell& {
    return cell_of(table, table.rows[0], key);
  };
  const Cell& state = cell("state");
  view.shown = true;
  view.id = found->id;
  view.heading = "Run " + cell("run").text;
  view.state = {state.text, state.shape, state.tone};
  view.name = found->name;
  view.name_hint = found->title;
  view.note = found->note;
  view.folder = found->folder;
  view.tags = fmt::format("{}", fmt::join(found->own_tags, ", "));
  const auto fact = [&view](const char* label, std::string value) {
    view.facts.push_back({label, {{std::move(value), Style::kNumber}}, Tone::kText});
  };
  if (!found->model.empty()) fact("Model, data", found->model + " · " + found->data);
  fact(found->gpus ? "GPUs" : "Ranks", cell("ranks").text);
  fact("Global batch", cell("global").text);
  fact("Started", cell("started").text);
  fact("Time", cell("time").text);
  fact("Best val %", cell("accuracy").text);
  fact("Speedup", cell("speedup").text);
  fact("Id", found->id);
  const bool over =
      found->outcome == RunOutcome::kFinished || found->outcome == RunOutcome::kFailed ||
      found->outcome == RunOutcome::kStopped || found->outcome == RunOutcome::kDidNotDie ||
      found->outcome == RunOutcome::kInterrupted || found->outcome == RunOutcome::kUnknown;
  view.can_delete = over;
  if (elsewhere) view.locked = label::kLabelsElsewhere;
  return view;
}

std::vector<RecentSettings> recent_settings(std::span<const RunSummary> runs) {
  std::vector<const RunSummary*> newest;
  for (const RunSummary& run : runs) {
    if (run.read && !run.is_baseline && !run.model.empty()) newest.push_back(&run);
  }
  std::ranges::sort(newest, [](const RunSummary* a, const RunSummary* b) {
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
    recent.push_back({run->id, name, run_label(run->number, run->id) + ", " + facts});
  }
  return recent;
}

}  // namespace ringside::view
