// Going on with a study, for the commands that do so. Main thread.
#pragma once

#include <filesystem>
#include <string>

namespace ringside::cli {

/// Trains what is missing of it; stays until it has ended unless `detach`. The exit code.
int resume_study(const std::filesystem::path& runs_dir, const std::string& name, bool detach,
                 bool json);

}  // namespace ringside::cli
