// Another machine that is really this one: a program in place of ssh runs the helper here, and cuts
// the connection or fails on request. Used by one thread.
#pragma once

#include <string>
#include <vector>

#include "tests/integration/cli/cli_rig.h"

namespace ringside::testing {

/// Creates the program in place of ssh in this folder and sets it in the environment; copies of
/// runs go to `cache` in it.
void fake_ssh(const std::filesystem::path& folder);

class RemoteRig {
 public:
  RemoteRig();

  /// Makes ssh run this shell text from now on instead of the helper.
  void ssh_does(const std::string& shell) const;
  /// Ends the next connection after this many bytes of answers.
  void cut_next_after(int bytes) const;
  /// Ends the helper of the open connection, like a cut.
  void cut() const;
  /// Makes the open connection hang from now on.
  void hang() const;
  /// The arguments of each start of ssh.
  std::vector<std::string> calls() const;
  /// The folder with the copies of runs.
  std::filesystem::path copies() const;
  /// Folder of the copy of this run.
  std::filesystem::path copy_of(const std::string& id) const { return copies() / id; }

  CliRig rig;
};

inline constexpr const char* kMachine = "ssh://me@box:2222";

}  // namespace ringside::testing
