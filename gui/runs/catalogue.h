// What a list shows of a run, read from its folder and its log; there is no second truth. Plain
// data and functions that read files; any thread. Nothing is remembered here: RunList does that.
#pragma once

#include <cstdint>
#include <filesystem>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "gui/launch/place_news.h"
#include "gui/runs/find_run.h"
#include "gui/runs/run_labels.h"
#include "gui/runs/shown_state.h"
#include "protocol/messages/rank_records.h"
#include "protocol/messages/spec/run_spec.h"

namespace ringside::runs {

inline constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

/// What the log of a run says in numbers; kUnknown where it does not.
struct RunFigures {
  std::optional<messages::RankState> state;  ///< newest of the run
  std::int64_t started_wall_ns = 0;          ///< 0: not known
  std::int64_t last_seen_wall_ns = 0;        ///< newest record; 0: not known
  std::int64_t steps = 0;          ///< newest step that all ranks have reported, counted from 1
  std::int64_t steps_planned = 0;  ///< 0: not known
  std::int64_t ranks = 0;          ///< number of ranks that they reported; 0: not known
  double seconds = kUnknown;  ///< from its start to its newest record, without waiting in the queue
  double train_seconds = kUnknown;      ///< what speedup compares
  double samples_per_s = kUnknown;      ///< over all ranks, warm-up excluded
  double best_val_accuracy = kUnknown;  ///< 0 .. 1
  double val_accuracy = kUnknown;       ///< of the last validation, 0 .. 1
  double final_loss =
      kUnknown;  ///< mean of the last complete epoch of training, else of the newest step
  std::string broken_loss;       ///< where it was not a number for the first time; empty: nowhere
  double speedup = kUnknown;     ///< against the baseline named in the spec
  double efficiency = kUnknown;  ///< speedup / ranks
  std::string no_speedup;  ///< why there is none; empty where there is one or no baseline is named
  std::uint64_t lost_records = 0;
  std::vector<float> loss;  ///< a few points of the mean, oldest first
  std::string problem;      ///< why the log could not be read; empty when it could
};

struct RunSummary {
  runlog::RunFolder folder;
  int number = 0;
  std::string name;  ///< of the labels, else of the spec
  RunLabels labels;
  messages::RunSpec spec;
  RunId baseline = {};   ///< what it is compared with; empty: nothing
  std::string recipe;    ///< "convnet · digits"; of a program of others its name
  bool foreign = false;  ///< such a program: model, data and batch are its own affair
  std::int64_t ranks = 0;
  std::int64_t global_batch = 0;                  ///< 0: not known
  AgentPresence presence = AgentPresence::kLeft;  ///< looked at before the log was
  std::optional<launch::News> news = {};          ///< of its place; nothing: its agent alone tells
  ShownState state;
  RunFigures figures;
  std::string problem;    ///< why parts are missing; empty when all could be read
  bool spec_read = true;  ///< false: `spec` holds nothing but what settings are without any
  bool read = true;       ///< false: only its folder is known yet
};

/// A run with all that its log says. Never fails, says so in `problem`.
RunSummary read_summary(const ListedRun& run);
/// All runs of a runs folder, newest first. Fails as list_runs does.
Result<std::vector<RunSummary>> read_summaries(const std::filesystem::path& runs_dir);

/// The two halves of read_summary, for whoever knows the figures or wants more of the log: first
/// all but that, `state` and `figures` left empty; then what the log said.
RunSummary read_folder(const ListedRun& run);
void add_figures(RunSummary& summary, RunFigures figures);

/// Reads spec.toml of a run folder.
Result<messages::RunSpec> read_spec(const runlog::RunFolder& folder);

}  // namespace ringside::runs
