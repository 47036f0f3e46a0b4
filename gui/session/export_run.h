// The exports of a run from its folder, as the command line and the window do them. Each reads the
// log (and, for a report, that of the baseline), writes beside its target and moves what is whole
// into place. Takes seconds; any thread.
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

/// What was written, and how the log was.
template <class Summary>
struct Exported {
  Summary written;
  runs::LogDamage damage;  ///< of the log, and so of the files
};

enum class Attempts : std::uint8_t {
  kAll,
  kLast,  ///< only what the newest one did: the log is read twice
};

/// `watch` gives it up: then nothing is left behind, and the error says so. `replace`: also tables
/// of something else that lie there.
Result<Exported<exporting::CsvSummary>> export_csv(const runlog::RunFolder& folder,
                                                   const std::filesystem::path& to,
                                                   const exporting::CsvChoice& choice,
                                                   const runlog::ReadWatch& watch = {},
                                                   Attempts attempts = Attempts::kAll,
                                                   bool replace = false);
Result<Exported<exporting::TensorBoardSummary>> export_tensorboard(
    const runlog::RunFolder& folder, const std::filesystem::path& to,
    const runlog::ReadWatch& watch = {}, Attempts attempts = Attempts::kAll);

/// One file with the steps of a run.
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

/// These steps, or without any the newest (kTraceSteps), as a trace for Perfetto, written as
/// export_report does. A bad request where the run has none of them.
Result<Exported<TraceSummary>> export_trace(const runlog::RunFolder& folder,
                                            const std::filesystem::path& to,
                                            analysis::StepRange steps, bool replace,
                                            const runlog::ReadWatch& watch = {});

/// The report of these runs (as ReportRuns::read takes them) as one HTML file. Folders above it are
/// made. A bad request when there is a file already and `replace` is not set; what is no
/// regular file (a folder, a device, a pipe, a link) is never replaced.
Result<ReportFile> export_report(const std::filesystem::path& runs_dir,
                                 const std::vector<std::string>& names,
                                 const std::filesystem::path& to, bool replace,
                                 const runlog::ReadWatch& watch = {});

/// The comparison of these runs (view::compare_page), written as export_report does.
Result<ReportFile> export_comparison(const std::vector<view::ComparedRun>& runs,
                                     const view::CompareChoice& choice,
                                     const std::vector<std::string>& figures,
                                     const std::filesystem::path& to, bool replace);

/// The report of these runs, NAME.html, and the tables of each of them in a folder of its id.
Result<ReportFile> export_runs(const std::filesystem::path& runs_dir,
                               const std::vector<std::string>& ids, const std::filesystem::path& to,
                               const runlog::ReadWatch& watch = {});

}  // namespace ringside::session
