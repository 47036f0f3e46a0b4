// Files of other tools as runs: the part that `watch` and `import` share. Main thread.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "gui/cli/command/command.h"
#include "gui/runs/catalogue.h"
#include "gui/watch/notices.h"

namespace ringside::cli {

void add_step_column(Command& command, std::string& step);

/// Summaries with run numbers, in the order of `folders`.
std::vector<runs::RunSummary> summaries_of(const std::vector<runlog::RunFolder>& folders,
                                           const std::filesystem::path& runs_dir);

/// One line for each kind of left-out data.
std::string left_out_text(const std::vector<watch::FileNotice>& left_out);

/// Prints like the other print_result(); JSON has the left-out data first.
void print_result(const std::vector<runs::RunSummary>& runs, bool json,
                  const std::vector<watch::FileNotice>& left_out);

}  // namespace ringside::cli
