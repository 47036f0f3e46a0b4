// Runs read from their folders for a report, with the baselines they are compared with. Reads
// files; one thread.
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "gui/launch/program/saved_program.h"
#include "gui/runs/run_figures.h"
#include "gui/view/report/report.h"
#include "gui/view/runs/compare_charts.h"

namespace ringside::session {

class ReportRuns {
 public:
  /// Reads the runs of these names. One name: the run and, before it, its baseline if it has one.
  /// Several: these runs, each compared with its own baseline or, without one, with the first of
  /// them. `watch` gets the progress in bytes over all logs and can cancel the reading.
  static Result<ReportRuns> read(const std::filesystem::path& runs_dir,
                                 const std::vector<std::string>& names,
                                 const runlog::ReadWatch& watch = {});

  /// Valid as long as this object lives and is not moved.
  std::vector<view::ReportRun> runs() const;
  /// The requested runs in their order, for a comparison.
  std::vector<view::ComparedRun> compared() const;

 private:
  struct One {
    runs::RunSummary summary;
    runs::ReadRun read;
    std::optional<launch::NamedPreset> preset;
    std::ptrdiff_t baseline = -1;  ///< index in all_; -1: none
    bool asked = false;
    std::unique_ptr<const launch::SavedProgram> program;  ///< null: nothing was saved
  };

  std::deque<One> all_;
};

/// Reads the saved files of a run's program; null: none.
std::unique_ptr<const launch::SavedProgram> program_of(const runlog::RunFolder& folder);
view::ComparedRun compared_run(const runs::RunSummary& summary, const model::RunModel& model,
                               const launch::SavedProgram* program);
view::ReportRun report_run(const runs::RunSummary& summary, const runs::ReadRun& read);

}  // namespace ringside::session
