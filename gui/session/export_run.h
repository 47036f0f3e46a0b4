// Exports of a run from its folder, for the command line and the window. Each reads the log (a
// report also that of the baseline), writes to a temporary path beside its target and moves
// complete files into place. Takes seconds; any thread.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "gui/analysis/range.h"
#include "gui/export/csv_exporter.h"
#include "gui/export/tensorboard_exporter.h"
#include "gui/runs/log_end.h"
#include "gui/session/asked_file.h"
#include "gui/view/runs/compare_charts.h"
#include "protocol/runlog/log_reader.h"
#include "protocol/runlog/run_folder.h"

namespace ringside::session {

/// The summary of what was written, and the damage of the log.
template <class Summary>
struct Exported {
  Summary written;
  runs::LogDamage damage;  ///< damage of the log, which the files therefore share
};

enum class Attempts : std::uint8_t {
  kAll,
  kLast,  ///< only the newest attempt: the log is read twice
};

/// `watch` can cancel: then nothing is left behind, and the error says so. `replace`: overwrites
/// tables of another export in that folder.
Result<Exported<exporting::CsvSummary>> export_csv(const runlog::RunFolder& folder,
                                                   const std::filesystem::path& to,
                                                   const exporting::CsvChoice& choice,
                                                   const runlog::ReadWatch& watch = {},
                                                   Attempts attempts = Attempts::kAll,
                                                   bool replace = false);
Result<Exported<exporting::TensorBoardSummary>> export_tensorboard(
    const runlog::RunFolder& folder, const std::filesystem::path& to,
    const runlog::ReadWatch& watch = {}, Attempts attempts = Attempts::kAll);

/// The file with the steps of a run.
struct TraceSummary {
  struct File {
    std::string name;
    std::uint64_t events = 0;
    std::uint64_t size_bytes = 0;
  };
  std::filesystem::path folder;
  std::vector<File> files;
  analysis::StepRange steps;
  std::uint64_t events = 0;
  std::uint64_t size_bytes = 0;
};

/// Writes these steps, or the newest kTraceSteps if none are given, as a trace for Perfetto, in the
/// same way as export_report(). A bad request if the run has none of them.
Result<Exported<TraceSummary>> export_trace(const runlog::RunFolder& folder,
                                            const std::filesystem::path& to,
                                            analysis::StepRange steps, bool replace,
                                            const runlog::ReadWatch& watch = {});

/// Writes the report of these runs (see ReportRuns::read) as one HTML file and creates its parent
/// folders. A bad request if the file exists and `replace` is not set; anything but a regular file
/// (a folder, a device, a pipe, a link) is never replaced.
Result<ReportFile> export_report(const std::filesystem::path& runs_dir,
                                 const std::vector<std::string>& names,
                                 const std::filesystem::path& to, bool replace,
                                 const runlog::ReadWatch& watch = {});

/// Writes the comparison of these runs (view::compare_page) in the same way as export_report().
Result<ReportFile> export_comparison(const std::vector<view::ComparedRun>& runs,
                                     const view::CompareChoice& choice,
                                     const std::vector<std::string>& figures,
                                     const std::filesystem::path& to, bool replace);

/// Writes the report of these runs, NAME.html, and the tables of each run in a folder named by its
/// id.
Result<ReportFile> export_runs(const std::filesystem::path& runs_dir,
                               const std::vector<std::string>& ids, const std::filesystem::path& to,
                               const runlog::ReadWatch& watch = {});

}  // namespace ringside::session
