// Default locations of a user's files: the XDG variables, else the home folder.
// One definition for every program, so that `ringside doctor` names the paths that a trainer uses.
// Reads the environment and the password database; any thread.
#pragma once

#include <filesystem>

#include "protocol/base/result.h"

namespace ringside {

/// $HOME when it is an absolute path, else the home folder of the password database; the working
/// folder is never taken for one. Bad request when neither knows it.
Result<std::filesystem::path> home_folder();

/// The value of `variable` (such as "XDG_CACHE_HOME") when it is an absolute path, else
/// `under_home`
/// (".cache") in the home folder. Bad request without a home folder.
Result<std::filesystem::path> user_folder(const char* variable,
                                          const std::filesystem::path& under_home);

/// $XDG_CACHE_HOME/ringside/data, else ~/.cache/ringside/data: data sets, when data.root is empty.
Result<std::filesystem::path> default_data_folder();

}  // namespace ringside
