#include "gui/launch/paths.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <system_error>

namespace ringside::launch {
namespace {

namespace fs = std::filesystem;

fs::path environment_path(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? fs::path() : fs::path(value);
}

}  // namespace

fs::path program_folder() { return own_program().parent_path(); }

Result<void> check_can_start(bool viewer_only) {
  if (!viewer_only) return {};
  return bad_request(
      "Ringside starts runs and looks at processes on Linux alone; this system shows runs: use the "
      "machine that has them, `ringside attach ssh://HOST`, or --on HOST where a command has it");
}

Result<fs::path> find_program(const std::string& name) {
  const bool shows = name == "ringside" || name == "ringside-dashboard";
  if (!shows) RINGSIDE_TRY(check_can_start());
  const fs::path folder = program_folder();
  if (folder.empty())
    return failure("cannot find " + name + ", as the folder of this program is not known");
  const fs::path path = folder / name;
  if (::access(path.c_str(), X_OK) == 0) return path;
  return failure(
      "cannot find " + name + " at " + path.string() +
      "; the programs of Ringside belong into one folder (./dev build makes them all; "
      "where pip installed them, pip install 'ringside-ddp[trainer]' adds the trainer; a script "
      "of yours needs none, `ringside run -- python train.py`)");
}

Result<std::string> find_on_path(const std::string& program) {
  if (program.find('/') != std::string::npos) return program;
  const char* path = std::getenv("PATH");
  std::string rest = path == nullptr ? "" : path;
  while (!rest.empty()) {
    const std::size_t colon = std::min(rest.find(':'), rest.size());
    const std::filesystem::path folder = rest.substr(0, colon);
    rest.erase(0, colon + 1);
    // A relative entry would depend on the folder in which Ringside was started.
    if (!folder.is_absolute()) continue;
    const auto file = folder / program;
    std::error_code ignored;
    if (std::filesystem::is_regular_file(file, ignored) && ::access(file.c_str(), X_OK) == 0)
      return file.string();
  }
  return failure("there is no program " + program + " in PATH");
}

Result<fs::path> assets_folder() {
  std::error_code ignored;
  if (const fs::path chosen = environment_path("RINGSIDE_ASSETS_DIR"); !chosen.empty()) {
    if (fs::is_directory(chosen / "presets", ignored)) return chosen;
    return failure("RINGSIDE_ASSETS_DIR = " + chosen.string() + " has no presets folder");
  }
  const fs::path here = program_folder();
  for (const fs::path& place : {here / "../share/ringside", here / "assets", here / "../assets",
                                here / "../../../assets", fs::path(RINGSIDE_BUILT_ASSETS_DIR)}) {
    if (fs::is_directory(place / "presets", ignored)) return place.lexically_normal();
  }
  return failure("cannot find the presets beside " + here.string() +
                 "; set RINGSIDE_ASSETS_DIR to the folder that holds presets/");
}

fs::path existing_ancestor(fs::path folder) {
  std::error_code ignored;
  folder = fs::absolute(folder, ignored);
  while (!fs::exists(folder, ignored) && folder.has_relative_path()) folder = folder.parent_path();
  return folder;
}

}  // namespace ringside::launch
