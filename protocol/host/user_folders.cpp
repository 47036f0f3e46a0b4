#include "protocol/host/user_folders.h"

#include <pwd.h>
#include <unistd.h>

#include <cstdlib>
#include <vector>

namespace ringside {
namespace {

namespace fs = std::filesystem;

fs::path environment_path(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? fs::path() : fs::path(value);
}

// Empty when the database has no entry or cannot be read.
fs::path home_of_password_database() {
  constexpr std::size_t kMostBytes = std::size_t{1} << 20;
  passwd entry{};
  passwd* found = nullptr;
  for (std::vector<char> buffer(4096); buffer.size() <= kMostBytes;
       buffer.resize(2 * buffer.size())) {
    const int error = ::getpwuid_r(::getuid(), &entry, buffer.data(), buffer.size(), &found);
    if (error == ERANGE) continue;
    return found != nullptr && found->pw_dir != nullptr ? fs::path(found->pw_dir) : fs::path();
  }
  return {};
}

}  // namespace

Result<fs::path> home_folder() {
  if (fs::path home = environment_path("HOME"); home.is_absolute()) return home;
  if (fs::path home = home_of_password_database(); home.is_absolute()) return home;
  return bad_request("cannot tell the home folder: HOME is not set to a full path, and user " +
                     std::to_string(::getuid()) +
                     " is not in the password database; set HOME, or name the folders with "
                     "RINGSIDE_RUNS_DIR and data.root");
}

Result<fs::path> user_folder(const char* variable, const fs::path& under_home) {
  if (fs::path chosen = environment_path(variable); chosen.is_absolute()) return chosen;
  const auto home = RINGSIDE_TRY(home_folder());
  return home / under_home;
}

Result<fs::path> default_data_folder() {
  const auto cache = RINGSIDE_TRY(user_folder("XDG_CACHE_HOME", ".cache"));
  return cache / "ringside" / "data";
}

}  // namespace ringside
