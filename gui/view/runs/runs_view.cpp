#include "gui/view/runs/runs_view.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <string_view>

#include <fmt/format.h>

#include "gui/view/number_format.h"
#include "gui/view/runs/compare_view.h"
#include "gui/view/runs/run_columns.h"
#include "gui/view/runs/run_filter.h"
#include "gui/view/runs/run_menu.h"
#include "protocol/base/text.h"

namespace ringside::view {
namespace {

/// Returns the most frequent value of the runs; empty if there is none.
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
    if (run->gpus && !std::isnan(run->figures.seconds))
      seconds += run->figures.seconds * static_cast<double>(run->ranks);
  }
  if (seconds <= 0) return {};
  return {{"GPU time ", Style::kDim}, {rough_duration_text(seconds), Style::kNumber}};
}

/// Returns the shown columns, those in the list's text, and those that the list is sorted and
/// grouped by.
std::vector<std::string> keys_of(const RunsChoice& choice) {
  std::vector<std::string> keys, own;
  for (const std::string& key : choice.columns.changed)
    if (std::ranges::find(run_columns(), key, &TableColumn::key) == run_columns().end())
      own.push_back(key);  // a setting or a logged value
  for (const TableColumn& column : run_columns()) {
    if (column.key == "tags") keys.insert(keys.end(), own.begin(), own.end());
    const bool wanted =
        choice.columns.shows(column) || column.key == choice.sort.key || column.key == choice.group;
    if (wanted && (!column.label.empty() || !column.in_text)) keys.push_back(column.key);
  }
  for (const std::string& key : {choice.sort.key, choice.group})
    if (!key.empty() && std::ranges::find(keys, key) == keys.end()) keys.push_back(key);
  return keys;
}

/// Hides columns that are present only for sorting or grouping.
void show_columns(const RunsChoice& choice, bool gpus, Table& table) {
  for (TableColumn& column : table.columns) {
    if (column.key == "world_size" && gpus) column.label = "GPUs";
    if (column.key == "tags") column.sortable = false;
    if (choice.columns.shows(column)) continue;
    column.width = 0;
    column.in_text = false;
  }
}

/// Returns "98.90 to 99.12 %", the range of the best validation accuracies; empty if none is known.
Sentence best_of(std::span<const RunSummary* const> runs) {
  double low = std::numeric_limits<double>::infinity();
  double high = -low;
  for (const RunSummary* run : runs) {
    const double best = run->figures.best_val_accuracy;
    if (std::isnan(best)) continue;
    low = std::min(low, best);
    high = std::max(high, best);
  }
  if (low > high) return {};
  const std::string ends = low == high ? "" : accuracy_number(low) + " to ";
  return {{"   best val ", Style::kDim}, {ends + accuracy_text(high), Style::kNumber}};
}

Sentence group_head(const TableColumn& column, const Cell& cell,
                    std::span<const RunSummary* const> runs) {
  Sentence head{
      {column.label + " ", Style::kDim},
      {cell.text + (column.unit.empty() ? "" : " " + column.unit), Style::kStrongNumber},
      {"   " + plural(static_cast<std::int64_t>(runs.size()), "run", "runs"), Style::kDim}};
  for (Piece& piece : best_of(runs)) head.push_back(std::move(piece));
  return head;
}

RunRow row_beside(const RunSummary& run) {
  RunRow row;
  row.label = run_label(run.number, run.id);
  row.loss = run.figures.loss;
  row.loss_broke = run.loss_broke;
  row.tags = tags_of(run);
  row.injected = injected_in(run);
  row.starred = run.starred;
  return row;
}

/// Puts the runs of each group together, below a head, in the order of the groups' values.
void group_rows(const std::string& key, const std::map<std::string_view, const RunSummary*>& by_id,
                RunsView& view) {
  Table& table = view.table;
  sort_rows(table, {key, false});
  const std::size_t place = column_index(table, key);
  std::vector<TableRow> rows;
  for (std::size_t i = 0; i < table.rows.size();) {
    const Cell cell = table.rows[i].cells[place];
    std::vector<const RunSummary*> runs;
    std::size_t end = i;
    for (; end < table.rows.size() && table.rows[end].cells[place].text == cell.text; ++end)
      runs.push_back(by_id.at(table.rows[end].key));
    rows.push_back({{}, std::vector<Cell>(table.columns.size())});
    view.rows.emplace_back().group = group_head(table.columns[place], cell, runs);
    for (std::size_t row = i; row < end; ++row) {
      view.rows.push_back(row_beside(*runs[row - i]));
      rows.push_back(std::move(table.rows[row]));
    }
    i = end;
  }
  table.rows = std::move(rows);
}

/// Returns the usual filters as chips; a chip that would change nothing is left out.
std::vector<FilterChip> chips_of(std::span<const RunSummary> runs, const RunsChoice& choice,
                                 bool gpus) {
  std::vector<FilterChip> chips;
  const auto typed = row_tests(choice.filter);
  const auto add = [&](std::string word, std::string filter) {
    const bool on = std::ranges::any_of(
        typed, [&](const RowTest& test) { return lower_case(test.word) == lower_case(filter); });
    const RunFilter words = run_filter(runs, filter);
    const auto fit = static_cast<std::size_t>(
        std::ranges::count_if(runs, [&](const RunSummary& run) { return fits(run, words); }));
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
  add("Starred", "is:starred");
  add("Tagged", "is:tagged");
  return chips;
}

}  // namespace

std::string runs_tsv(const RunsView& view) {
  Table runs = view.table;
  std::erase_if(runs.rows, [](const TableRow& row) { return row.key.empty(); });
  return table_tsv(runs);
}

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
  view.count = {{count_text(static_cast<std::int64_t>(view.shown)), Style::kNumber},
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
  const RunFilter filter = run_filter(runs, choice.filter);
  for (const RunSummary& run : runs) {
    if (fits(run, filter)) shown.push_back(&run);
  }
  // Ids begin with the time, so the newest run comes first among equals.
  std::ranges::sort(shown, [](const auto* a, const auto* b) { return a->id > b->id; });
  const bool all_gpus =
      !runs.empty() && std::ranges::all_of(runs, [](const RunSummary& run) { return run.gpus; });
  view.table = run_table(shown, keys_of(choice), now_wall_ns);
  show_columns(choice, all_gpus, view.table);
  view.chips = chips_of(runs, choice, all_gpus);
  view.device_time = device_time_of(shown);
  std::map<std::string_view, const RunSummary*> by_id;
  for (const RunSummary* run : shown) by_id[run->id] = run;
  view.shown = shown.size();
  sort_rows(view.table, choice.sort);
  if (!choice.group.empty()) {
    group_rows(choice.group, by_id, view);
  } else {
    for (const TableRow& row : view.table.rows) view.rows.push_back(row_beside(*by_id[row.key]));
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
    view.table.empty = {{label::kNoMatchingRun, Style::kDim}};
    if (!filter.problem.empty())
      view.table.empty = {{label::kNoMatchingRun + (" T" + filter.problem.substr(1)), Style::kDim}};
  }
  return view;
}

RunDetailsView build_run_details(std::span<const RunSummary> runs, const RunsChoice& choice,
                                 std::int64_t now_wall_ns, bool elsewhere) {
  RunDetailsView view;
  const auto found =
      std::ranges::find_if(runs, [&](const RunSummary& run) { return run.id == choice.selected; });
  // A run that the filter hides has no details, so that nothing is done to it unseen.
  if (found == runs.end() || !fits(*found, run_filter(runs, choice.filter))) return view;
  const auto cell = [&](const char* key) { return run_cell(*found, key, now_wall_ns); };
  const Cell state = cell("state");
  view.shown = true;
  view.id = found->id;
  view.heading = "Run " + cell("number").text;
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
  fact(found->gpus ? "GPUs" : "Ranks", cell("world_size").text);
  fact("Global batch", cell("global_batch").text);
  fact("Started", cell("started").text);
  fact("Time", cell("seconds").text);
  fact("Best val %", cell("best_val_accuracy").text);
  fact("Speedup", cell("speedup").text);
  if (const std::string fault = injected_in(*found); !fault.empty()) fact("Injected", fault);
  fact("Id", found->id);
  view.can_delete = can_delete(found->outcome);
  if (elsewhere) view.locked = label::kLabelsElsewhere;
  return view;
}

std::vector<RecentSettings> recent_settings(std::span<const RunSummary> runs) {
  std::vector<const RunSummary*> newest;
  for (const RunSummary& run : runs) {
    if (run.read && !run.is_baseline && !run.model.empty()) newest.push_back(&run);
  }
  std::ranges::sort(newest, [](const RunSummary* a, const RunSummary* b) {
    return a->figures.started_wall_ns > b->figures.started_wall_ns;
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
