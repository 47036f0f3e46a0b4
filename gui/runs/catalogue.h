// The columns of a list of runs, read from each run's folder and log alone. Plain data and
// functions that read files; any thread. Nothing is cached here: RunList does that.
#pragma once

#include <cstdint>
#include <filesystem>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "gui/launch/place_report.h"
#include "gui/runs/find_run.h"
#include "gui/runs/run_labels.h"
#include "gui/runs/shown_state.h"
#include "protocol/messages/rank_records.h"
#include "protocol/messages/spec/run_spec.h"

namespace ringside::runs {

inline constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

/// Figures from the log of a run; kUnknown where it has none.
struct RunFigures {
  std::optional<messages::RankState> state;  ///< newest state of the run
  std::int64_t started_wall_ns = 0;          ///< 0: not known
  std::int64_t last_seen_wall_ns = 0;        ///< time of the newest record; 0: not known
  std::int64_t steps = 0;          ///< newest step that all ranks have reported, counted from 1
  std::int64_t steps_planned = 0;  ///< 0: not known
  std::int64_t ranks = 0;          ///< world size as reported by the ranks; 0: unknown
  double seconds = kUnknown;  ///< from the start to the newest record, without waiting in the queue
  double train_seconds = kUnknown;      ///< training time that speedup compares
  double samples_per_s = kUnknown;      ///< over all ranks, warm-up excluded
  double best_val_accuracy = kUnknown;  ///< 0 .. 1
  double val_accuracy = kUnknown;       ///< of the last validation, 0 .. 1
  double final_loss =
      kUnknown;  ///< mean of the last complete training epoch, or else of the newest step
  std::string broken_loss;       ///< first place where the loss was NaN or Inf; empty: none
  double speedup = kUnknown;     ///< against the baseline named in the spec
  double efficiency = kUnknown;  ///< speedup / ranks
  std::optional<bool> fair{};    ///< whether the speedup is fair; nothing: unknown
  std::string no_speedup;  ///< why it is unknown; empty if it is known or no baseline is named
  std::uint64_t lost_records = 0;
  std::vector<float> loss;                 ///< a few points of the mean loss, oldest first
  std::map<std::string, double> logged{};  ///< last values of what the program logged, by name
  std::string problem;                     ///< why the log could not be read; empty if it could
};

struct RunSummary {
  runlog::RunFolder folder;
  int number = 0;
  std::string name;  ///< from the labels, or else from the spec
  RunLabels labels;
  messages::RunSpec spec;
  RunId baseline = {};   ///< run that it is compared with; empty: none
  std::string recipe;    ///< "convnet · digits"; the program's name for a custom program
  bool foreign = false;  ///< a custom program, whose model, data and batch are unknown
  std::int64_t ranks = 0;
  std::int64_t global_batch = 0;                  ///< 0: not known
  AgentPresence presence = AgentPresence::kLeft;  ///< checked before the log was read
  /// The state as reported by the run's place; nothing: only the run's agent knows it.
  std::optional<launch::PlaceReport> report = {};
  ShownState state;
  RunFigures figures;
  std::string problem;    ///< why parts are missing; empty if everything could be read
  bool spec_read = true;  ///< false: `spec` has only default settings
  bool read = true;       ///< false: only the folder is known yet
};

/// Everything about a run from its folder and log. Never fails; errors are in `problem`.
RunSummary read_summary(const ListedRun& run);
/// All runs of a runs folder, newest first. Fails as list_runs does.
Result<std::vector<RunSummary>> read_summaries(const std::filesystem::path& runs_dir);

/// The two halves of read_summary, for callers that know the figures or need more of the log:
/// read_folder leaves `state` and `figures` empty, and the other adds what the log says.
RunSummary read_folder(const ListedRun& run);
void add_figures(RunSummary& summary, RunFigures figures);

/// Reads spec.toml of a run folder.
Result<messages::RunSpec> read_spec(const runlog::RunFolder& folder);

}  // namespace ringside::runs
