// The exports of a study from its runs, as the command line and the window do them. Takes seconds;
// any thread.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "gui/session/asked_file.h"
#include "gui/view/choices.h"
#include "protocol/runlog/log_reader.h"

namespace ringside::session {

/// A study as one file, written where export_report() would. PNG is a picture of the window and a
/// bad request here.
Result<ReportFile> export_study(const std::filesystem::path& runs_dir, const std::string& name,
                                view::StudyFileKind kind, view::ScalingMetric metric,
                                const std::filesystem::path& to, bool replace,
                                const runlog::ReadWatch& watch = {});

/// A study as all files it can be (view::study_files), S-07.html and so on, in this folder, which
/// is made. `replace`: also files that are there already.
Result<std::vector<ReportFile>> export_study_files(const std::filesystem::path& runs_dir,
                                                   const std::string& name,
                                                   const std::filesystem::path& to, bool replace,
                                                   const runlog::ReadWatch& watch = {});

}  // namespace ringside::session
