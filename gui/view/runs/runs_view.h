// The list of runs. Summaries are plain data, filled by the caller from its catalogue. Pure.
#pragma once

#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "gui/view/choices.h"
#include "gui/view/run_context.h"
#include "gui/view/runs/run_summary.h"
#include "gui/view/table.h"

namespace ringside::view {

/// Labels of the page, and its texts without runs. The part after ## is not drawn.
namespace label {
inline constexpr const char* kExportSelected = "Export…##selected";
inline constexpr const char* kReplay = "Replay";
inline constexpr const char* kOpenSelected = "Open##selected";
inline constexpr const char* kCopyRuns = "Copy##runs";
inline constexpr const char* kUseSettings = "Use settings";
inline constexpr const char* kOpenFolder = "Open folder";
inline constexpr const char* kDelete = "Delete";
inline constexpr const char* kLabelsElsewhere =
    "Names, tags and notes are written on the machine itself; this is a copy";
inline constexpr const char* kClearMarks = "Clear marks";
inline constexpr const char* kMeasurePair = "Measure in pairs";
inline constexpr const char* kMeasurePairHint =
    "Trains both again in turns until they tell which takes longer, 24 times each at most";
inline constexpr const char* kReading = "Reading";
inline constexpr const char* kReadingRuns = "Reading the runs…";
inline constexpr const char* kRunColumns = "Columns##runs";
inline constexpr const char* kNoMatchingRun = "No runs match the filter.";
}  // namespace label

/// Speed at which a replay starts, in multiples of the speed of the run.
inline constexpr double kReplaySpeed = 4;

struct RunsChoice {
  std::string filter{};  ///< in the syntax of run_filter()
  TableSort sort{"started", true};
  ColumnChoice columns{};
  std::string group{};  ///< key of the column that runs are grouped by; empty: no groups
  std::set<std::string> marked{};
  std::string selected{};
  CompareChoice compare{};
  bool operator==(const RunsChoice&) const = default;
};

/// The data of a row that are drawn beside its cells.
struct RunRow {
  Sentence group;     ///< head of a group: "batch.size 64, 3 runs"; empty: the row is a run
  std::string label;  ///< "#1042"
  std::vector<float> loss;
  bool loss_broke = false;
  std::vector<std::string> tags;
  std::string injected;  ///< the fault that its settings ask for; empty: none
  bool starred = false;
  bool marked = false;
  bool selected = false;
  int series = -1;  ///< index among the marked, newest first: its colour; below 0: not marked
};

/// A button that adds a word to the filter, or removes it.
struct FilterChip {
  std::string word;    ///< "4 GPUs"
  std::string filter;  ///< "gpus:4"
  bool on = false;
};
/// Returns the filter with the chip's words added, or removed if they are in it.
std::string toggled(const std::string& filter, const FilterChip& chip);

struct RunsView {
  Table table;  ///< the key of a row is the id of its run; that of a group's head is empty
  std::vector<RunRow> rows;  ///< one per row of the table
  Sentence count;            ///< "23 of 61 runs, 2 selected"
  std::vector<FilterChip> chips;
  Sentence device_time;   ///< "GPU time 10.8 h", the total of the shown runs
  std::size_t shown = 0;  ///< runs that fit the filter
  std::size_t marked = 0;
  bool can_compare = false;  ///< the number of marked runs is between two and kMostCompared
};
/// Details of the selected run, shown beside the list.
struct RunDetailsView {
  bool shown = false;
  std::string id, heading;  ///< "Run #1042"
  StateView state;
  std::string name, name_hint, tags, note, folder;
  std::vector<Fact> facts;
  bool can_delete = false;  ///< false while the run is active
  std::string locked;       ///< why name, tags and note cannot be edited here; empty: they can
};

/// Builds the details. `elsewhere`: the run is a copy from another machine.
RunDetailsView build_run_details(std::span<const RunSummary> runs, const RunsChoice& choice,
                                 std::int64_t now_wall_ns, bool elsewhere = false);

/// Updates marks and selection of a view that was built from the same runs with the same filter and
/// order, since building it again takes noticeable time with thousands of runs.
void show_choice(std::span<const RunSummary> runs, const RunsChoice& choice, RunsView& view);

/// Settings of an earlier run, offered to be run again.
struct RecentSettings {
  std::string run;     ///< id of the newest run that had them
  std::string name;    ///< the name that the person gave the run, else that of the settings
  std::string detail;  ///< "#1042, 4 GPUs, global batch 512"
};
inline constexpr std::size_t kMostRecent = 5;
/// Returns the newest settings first; entries that look alike appear once, and baselines of other
/// runs are left out.
std::vector<RecentSettings> recent_settings(std::span<const RunSummary> runs);

/// Returns the rows of runs as tab-separated text.
std::string runs_tsv(const RunsView& view);

/// Builds the list. `looked`: false until the existing runs are known. `elsewhere`: the state of
/// the connection to another machine whose runs these are; empty: this machine.
RunsView build_runs_view(std::span<const RunSummary> runs, const RunsChoice& choice,
                         std::int64_t now_wall_ns, bool looked = true,
                         const std::string& elsewhere = {});

}  // namespace ringside::view
