// Prints studies on the terminal and as JSON. Main thread.
#pragma once

#include <filesystem>
#include <string>

#include "gui/cli/print/json.h"
#include "gui/view/scaling/scaling_view.h"

namespace ringside::cli {

std::string study_print(const view::StudyFacts& facts, bool color);
/// JSON with study, title, state, runs_planned, runs_finished, settings, and each further table by
/// its key.
Json study_json(const view::StudyFacts& facts);
/// One row per study in the folder.
view::Table studies_table(const std::filesystem::path& runs_dir);

/// `ringside show STUDY` and similar: prints the study; returns the exit code. `best`: as for
/// StudyFacts::best_by.
Result<int> show_study(const std::filesystem::path& runs_dir, const std::string& name,
                       const std::string& best, bool json);

}  // namespace ringside::cli
