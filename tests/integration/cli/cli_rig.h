// `ringside` as people and scripts use it: real programs, a runs folder of its own, fake ranks.
// Used by one thread.
#pragma once

#include <sys/types.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "gui/launch/child.h"
#include "tests/support/temp_folder.h"

namespace ringside::testing {

class CliRig {
 public:
  CliRig();
  ~CliRig();
  CliRig(const CliRig&) = delete;
  CliRig& operator=(const CliRig&) = delete;

  /// Writes the settings of a run on this many fake ranks with these flags to a file.
  std::string experiment(int ranks, const std::vector<std::string>& flags,
                         const std::string& baseline = "none") const;
  /// Runs `ringside ARGUMENTS --runs-dir ...` to its end.
  launch::Captured ringside(std::vector<std::string> arguments) const;
  /// Standard output of ringside as JSON: the whole of it, or its last line.
  nlohmann::json json_of(std::vector<std::string> arguments) const;
  /// Expects a bad request: exit code 2, one line with `why` in it, and no standard output.
  void refuses(std::vector<std::string> arguments, const std::string& why) const;
  /// Uses `ringside` and the programs beside it from this folder from now on.
  void use_programs_in(const std::filesystem::path& folder) { programs_ = folder; }
  /// Starts ringside; standard output goes to `output`, standard error to that of the test, or to
  /// `errors`.
  pid_t start(std::vector<std::string> arguments, const std::filesystem::path& output,
              const std::filesystem::path& errors = {});
  /// Exit code, or 128 + signal; fails the test if the process has not ended in time.
  int wait_exit(pid_t pid);

  const std::filesystem::path& path() const { return folder_.path(); }
  std::filesystem::path runs() const { return folder_.path() / "runs"; }

 private:
  TempFolder folder_;
  std::filesystem::path programs_;
  std::vector<pid_t> started_;
};

nlohmann::json last_line_json(const std::string& text);

}  // namespace ringside::testing
