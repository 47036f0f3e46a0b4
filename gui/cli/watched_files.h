// Files of other tools as runs: the part that `watch` and `import` share. Main thread.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "gui/cli/command.h"
#include "gui/runs/catalogue.h"
#include "gui/watch/notices.h"

namespace ringside::cli {

/// --step COLUMN
void add_step_column(Command& command, std::string& step);

/// Summaries in the order of `folders`, with their numbers.
std::vector<runs::RunSummary> summaries_of(const std::vector<runlog::RunFolder>& folders,
                                           const std::filesystem::path& runs_dir);

/// A line for each kind of what was left out.
std::string left_out_text(const std::vector<watch::FileNotice>& left_out);

/// Prints the same as print_result() without `left_out`; in JSON what was left out comes first.
void print_result(const std::vector<runs::RunSummary>& runs, bool json,
                  const std::vector<watch::FileNotice>& left_out);

}  // namespace ringside::cli
