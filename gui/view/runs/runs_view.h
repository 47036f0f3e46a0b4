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

/// Buttons of the page, and what it says without runs. What follows ## is not drawn.
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
  std::string filter{};  ///< as run_filter() reads it
  TableSort sort{"started", true};
  ColumnChoice columns{};
  std::string group{};  ///< key of the column whose values are the groups; empty: none
  std::set<std::string> marked{};
  std::string selected{};
  CompareChoice compare{};
  bool operator==(const RunsChoice&) const = default;
};

/// What the list shows of a run beside the cells of its row.
struct RunRow {
  Sentence group;  ///< the row is the head of a group: "batch.size 64, 3 runs"; empty: it is a run
  std::string label;  ///< "#1042"
  std::vector<float> loss;
  bool loss_broke = false;
  std::vector<std::string> tags;
  bool starred = false;
  bool marked = false;
  bool selected = false;
  int series = -1;  ///< place among the marked ones, newest first: its colour; below 0: not marked
};

/// A word that narrows the list to what it says, or takes that back.
struct FilterChip {
  std::string word;    ///< "4 GPUs"
  std::string filter;  ///< "gpus:4"
  bool on = false;
};
/// The filter with the words of a chip in it, or without them.
std::string toggled(const std::string& filter, const FilterChip& chip);

struct RunsView {
  Table table;               ///< a row is called by the id of its run, that of a group by nothing
  std::vector<RunRow> rows;  ///< of the rows of the table
  Sentence count;            ///< "23 of 61 runs, 2 selected"
  std::vector<FilterChip> chips;
  Sentence device_time;   ///< "GPU time 10.8 h" of those shown
  std::size_t shown = 0;  ///< runs that fit the filter
  std::size_t marked = 0;
  bool can_compare = false;  ///< two to kMostCompared are marked
};
/// What is known of the selected run, beside the list.
struct RunDetailsView {
  bool shown = false;
  std::string id, heading;  ///< "Run #1042"
  StateView state;
  std::string name, name_hint, tags, note, folder;
  std::vector<Fact> facts;
  bool can_delete = false;  ///< not while it goes on
  std::string locked;       ///< why name, tags and note cannot be written here; empty: they can
};

/// `elsewhere`: it is a copy of one of another machine.
RunDetailsView build_run_details(std::span<const RunSummary> runs, const RunsChoice& choice,
                                 std::int64_t now_wall_ns, bool elsewhere = false);

/// Marks and selects anew in a view that was built from the same runs with the same filter and
/// order: with thousands of runs building it again would be felt.
void show_choice(std::span<const RunSummary> runs, const RunsChoice& choice, RunsView& view);

/// Settings that were run, to run them again.
struct RecentSettings {
  std::string run;     ///< id of the newest run that had them
  std::string name;    ///< the person's own, else that of the settings
  std::string detail;  ///< "#1042, 4 GPUs, global batch 512"
};
inline constexpr std::size_t kMostRecent = 5;
/// The newest first; among those that look alike here only the newest, and no baseline of others.
std::vector<RecentSettings> recent_settings(std::span<const RunSummary> runs);

/// `looked`: false while nobody has seen yet which runs there are. `elsewhere`: how it stands with
/// the runs of another machine.
/// The rows of runs as tab-separated text.
std::string runs_tsv(const RunsView& view);

RunsView build_runs_view(std::span<const RunSummary> runs, const RunsChoice& choice,
                         std::int64_t now_wall_ns, bool looked = true,
                         const std::string& elsewhere = {});

}  // namespace ringside::view
