// The figures of a run as its log tells them, made by the model and the analysis, for lists, JSON
// and summaries. Reads files; one thread at a time.
#pragma once

#include <memory>
#include <optional>

#include "gui/model/run_model.h"
#include "gui/runs/catalogue.h"
#include "gui/runs/log_end.h"
#include "protocol/runlog/log_reader.h"

namespace ringside::runs {

/// A log read to its end, and what ranks of an agent that died could not send.
struct ReadRun {
  messages::RunSpec spec;
  std::unique_ptr<model::RunModel> model;  ///< never null
  runlog::LogIdentity identity;            ///< empty without a log
  LogDamage damage;
  std::string problem;  ///< why it could not be read (all); empty when it could
};

/// `watch` may give it up; what was read until then is there, and `problem` says so.
ReadRun read_run(const runlog::RunFolder& folder, const messages::RunSpec& spec,
                 const runlog::ReadWatch& watch = {});

/// How a run is called in a line: "#3", or its id where it is none of the runs folder.
std::string label_of(const runs::RunSummary& run);

/// The folder of the baseline the spec names, beside `folder`; nothing when none is named or it is
/// not there.
std::optional<runlog::RunFolder> baseline_folder(const runlog::RunFolder& folder,
                                                 const messages::RunSpec& spec);

/// The run that it is compared with, read as read_run does; nothing where there is none.
std::optional<ReadRun> read_baseline(const runlog::RunFolder& folder, const messages::RunSpec& spec,
                                     const runlog::ReadWatch& watch = {});

/// True when the run's loss was not a number at its end.
bool ended_in_nan(const runs::RunFigures& figures);

/// True when it finished, and with a loss that its settings take for one: exit code 0.
bool succeeded(const runs::RunSummary& run);

/// `baseline` may be null.
runs::RunFigures figures_of(const model::RunModel& model, const runlog::LogIdentity& identity,
                            const model::RunModel* baseline);

/// Reads the log and, where one is named, the baseline's; never fails, says so in `problem`.
/// `watch` as in read_run, told of one log after the other.
runs::RunFigures read_figures(const runlog::RunFolder& folder, const messages::RunSpec& spec,
                              const runlog::ReadWatch& watch = {});

}  // namespace ringside::runs
