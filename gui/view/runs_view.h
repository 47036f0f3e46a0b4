// The list of runs and the comparison of two. Summaries are plain data, filled by the caller from
// its catalogue. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "gui/view/chart.h"
#include "gui/view/run_context.h"
#include "gui/view/state_view.h"

namespace ringside::view {

struct RunSummary {
  std::string id;
  int number = 0;
  std::string title;
  RunOutcome outcome = RunOutcome::kUnknown;
  std::int64_t ranks = 1;
  bool gpus = false;
  std::int64_t global_batch = 0;  ///< 0: not known
  std::string model, data;
  std::vector<float> loss;              ///< a few points of the mean loss, oldest first
  bool loss_broke = false;              ///< ended in NaN or a failure: a cross at the end
  std::optional<double> best_accuracy;  ///< 0 .. 1
  std::optional<double> seconds;
  std::optional<double> speedup;
  std::vector<std::string> tags;  ///< reason of a failure first
  std::int64_t started_wall_ns = 0;
  bool is_baseline = false;
};

enum class RunColumn : std::uint8_t {
  kRun,
  kState,
  kWhat,
  kRanks,
  kGlobal,
  kAccuracy,
  kTime,
  kSpeedup,
  kStarted
};

struct RunsChoice {
  std::string filter;  ///< words, and key:value with model, data, state, gpus, tag
  RunColumn sort = RunColumn::kStarted;
  bool descending = true;
  std::set<std::string> marked;
  std::string selected;
  bool operator==(const RunsChoice&) const = default;
};

struct RunRow {
  std::string id, number;
  StateView state;
  std::string title, ranks, global, accuracy, time, speedup, started;
  std::vector<float> loss;
  bool loss_broke = false;
  std::vector<std::string> tags;
  bool marked = false;
  bool selected = false;
};

struct RunsView {
  std::vector<RunRow> rows;
  Sentence count;             ///< "23 of 61 runs, 2 selected"
  bool can_compare = false;   ///< exactly two are marked
  std::string device_header;  ///< "GPUs" or "Ranks"
  Sentence empty;             ///< "No runs yet. Launch one, or drop a run folder here."
};
RunsView build_runs_view(std::span<const RunSummary> runs, const RunsChoice& choice,
                         std::int64_t now_wall_ns);

struct DifferenceRow {
  std::string setting, a, b;
};
struct CompareView {
  std::string a_label, a_hint, b_label, b_hint;
  ChartView loss;
  ChartView accuracy;
  std::string a_time, b_time, ratio;  ///< for the same epochs
  double a_share = 0, b_share = 0;
  std::string same_epochs;  ///< "46 epochs"
  std::vector<DifferenceRow> differences;
  std::string differs;  ///< "7 of 41 settings"
  Sentence verdict;     ///< "Same model, data, seed, epochs and evaluation: a fair pair."
  bool fair = false;
};
CompareView build_compare_view(const model::RunModel& a, const RunContext& a_context,
                               const model::RunModel& b, const RunContext& b_context, XAxis axis,
                               int pixels);

}  // namespace ringside::view
