// The list of runs. Summaries are plain data, filled by the caller from its catalogue. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "gui/view/choices.h"
#include "gui/view/run_context.h"
#include "gui/view/state_view.h"
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
    "Trains both again in turns, six times each, and says which takes longer and whether that is "
    "more than chance";
inline constexpr const char* kReading = "Reading";
inline constexpr const char* kReadingRuns = "Reading the runs…";
inline constexpr const char* kNoMatchingRun = "No runs match the filter.";
}  // namespace label

struct RunSummary {
  std::string id;
  int number = 0;
  std::string title;
  std::string name;  ///< the person's own; empty: title is that of the settings
  std::string note;
  std::string folder;  ///< path
  RunOutcome outcome = RunOutcome::kUnknown;
  std::int64_t ranks = 1;  ///< 0: not known
  bool gpus = false;
  std::int64_t global_batch = 0;  ///< 0: not known
  std::string model, data;
  std::vector<float> loss;              ///< a few points of the mean loss, oldest first
  bool loss_broke = false;              ///< ended in NaN or a failure: a cross at the end
  std::optional<double> best_accuracy;  ///< 0 .. 1
  std::optional<double> seconds;
  std::optional<double> speedup;
  std::vector<std::string> tags;      ///< reason of a failure first
  std::vector<std::string> own_tags;  ///< of them, those that a person wrote
  std::int64_t started_wall_ns = 0;
  bool is_baseline = false;  ///< another run is measured against it
  bool read = true;          ///< false: only its folder is known yet
};

struct RunsChoice {
  std::string filter;  ///< as in table_filter.h, and model:, data:, gpus:, tag:, is:tagged
  TableSort sort{"started", true};
  std::set<std::string> marked;
  std::string selected;
  CompareChoice compare;
  bool operator==(const RunsChoice&) const = default;
};

/// What the list shows of a run beside the cells of its row.
struct RunRow {
  std::vector<float> loss;
  bool loss_broke = false;
  std::vector<std::string> tags;
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
  Table table;               ///< a row is called by the id of its run
  std::vector<RunRow> rows;  ///< of the rows of the table
  Sentence count;            ///< "23 of 61 runs, 2 selected"
  std::vector<FilterChip> chips;
  Sentence device_time;  ///< "GPU time 10.8 h" of those shown
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
RunsView build_runs_view(std::span<const RunSummary> runs, const RunsChoice& choice,
                         std::int64_t now_wall_ns, bool looked = true,
                         const std::string& elsewhere = {});

}  // namespace ringside::view
