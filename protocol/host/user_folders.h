// Default locations of a user's files: the XDG variables, otherwise the home folder. All programs
// share them, so that `ringside doctor` names the paths that a trainer uses. Reads the environment
// and the password database; any thread.
#pragma once

#include <filesystem>

#include "protocol/base/result.h"

namespace ringside {

/// $HOME when it is an absolute path, otherwise the home folder in the password database, never the
/// working folder. A bad request when neither is known.
Result<std::filesystem::path> home_folder();

/// The value of `variable` (such as "XDG_CACHE_HOME") when it is an absolute path, otherwise
/// `under_home` (".cache") in the home folder. A bad request without a home folder.
Result<std::filesystem::path> user_folder(const char* variable,
                                          const std::filesystem::path& under_home);

/// $XDG_CACHE_HOME/ringside/data, else ~/.cache/ringside/data: data sets, when data.root is empty.
Result<std::filesystem::path> default_data_folder();

}  // namespace ringside
