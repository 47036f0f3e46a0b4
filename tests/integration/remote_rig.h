// Another machine that is this one: a program in place of ssh that runs the helper here, and cuts
// or fails as it is told. Used by one thread.
#pragma once

#include <string>
#include <vector>

#include "tests/integration/cli/cli_rig.h"

namespace ringside::testing {

/// Makes the program that takes the place of ssh, in this folder, and says so in the environment;
/// copies of runs come into `cache` there.
void fake_ssh(const std::filesystem::path& folder);

class RemoteRig {
 public:
  RemoteRig();

  /// Makes ssh do this from now on instead of running the helper: shell text.
  void ssh_does(const std::string& shell) const;
  /// The next connection ends after so many bytes of answers.
  void cut_next_after(int bytes) const;
  /// Ends the helper of the connection that is open, as a cut would.
  void cut() const;
  /// Makes the open connection say nothing from now on, and not end.
  void hang() const;
  /// How often ssh was started, and with which words.
  std::vector<std::string> calls() const;
  /// Where copies of runs lie.
  std::filesystem::path copies() const;
  /// Folder of the copy of this run.
  std::filesystem::path copy_of(const std::string& id) const { return copies() / id; }

  CliRig rig;
};

inline constexpr const char* kMachine = "ssh://me@box:2222";

}  // namespace ringside::testing
