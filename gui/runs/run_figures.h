// Figures of a run computed from its log by the model and the analysis, for lists, JSON and
// summaries. Reads files; one thread at a time.
#pragma once

#include <memory>
#include <optional>

#include "gui/model/run_model.h"
#include "gui/runs/catalogue.h"
#include "gui/runs/log_end.h"
#include "protocol/runlog/log_reader.h"

namespace ringside::runs {

/// A log read to its end, with the records that ranks could not send to an agent that died.
struct ReadRun {
  messages::RunSpec spec;
  std::unique_ptr<model::RunModel> model;  ///< never null
  runlog::LogIdentity identity;            ///< empty without a log
  LogDamage damage;
  std::string problem;  ///< why it could not be read completely; empty if it could
};

/// `watch` may cancel the reading; what was read until then is kept, and `problem` says so.
ReadRun read_run(const runlog::RunFolder& folder, const messages::RunSpec& spec,
                 const runlog::ReadWatch& watch = {});

/// The name of a run in a sentence: "#3", or its id if it is not in the runs folder.
std::string label_of(const runs::RunSummary& run);

/// The folder of the baseline that the spec names, beside `folder`; nothing if none is named or the
/// folder does not exist.
std::optional<runlog::RunFolder> baseline_folder(const runlog::RunFolder& folder,
                                                 const messages::RunSpec& spec);

/// The run that this one is compared with, read as by read_run; nothing if there is none.
std::optional<ReadRun> read_baseline(const runlog::RunFolder& folder, const messages::RunSpec& spec,
                                     const runlog::ReadWatch& watch = {});

/// Whether the run's last loss was NaN or Inf.
bool ended_in_nan(const runs::RunFigures& figures);

/// Whether it finished with a loss that its settings accept, which gives exit code 0.
bool succeeded(const runs::RunSummary& run);

/// `baseline` may be null.
runs::RunFigures figures_of(const model::RunModel& model, const runlog::LogIdentity& identity,
                            const model::RunModel* baseline);

/// Reads the log and, if one is named, the baseline's; never fails, errors are in `problem`.
/// `watch` as for read_run, called for one log after the other.
runs::RunFigures read_figures(const runlog::RunFolder& folder, const messages::RunSpec& spec,
                              const runlog::ReadWatch& watch = {});

}  // namespace ringside::runs
