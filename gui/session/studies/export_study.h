// Exports of a study from its runs, for the command line and the window. Takes seconds; any thread.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "gui/session/asked_file.h"
#include "gui/view/choices.h"
#include "protocol/runlog/log_reader.h"

namespace ringside::session {

/// Writes a study as one file in the same way as export_report(). PNG needs the window and is a bad
/// request here.
Result<ReportFile> export_study(const std::filesystem::path& runs_dir, const std::string& name,
                                view::StudyFileKind kind, view::ScalingMetric metric,
                                const std::filesystem::path& to, bool replace,
                                const runlog::ReadWatch& watch = {});

/// Writes a study in all its file formats (view::study_files), S-07.html and so on, to this folder,
/// which is created. `replace`: also overwrites existing files.
Result<std::vector<ReportFile>> export_study_files(const std::filesystem::path& runs_dir,
                                                   const std::string& name,
                                                   const std::filesystem::path& to, bool replace,
                                                   const runlog::ReadWatch& watch = {});

}  // namespace ringside::session
