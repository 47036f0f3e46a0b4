// Another machine that is this one behind the system's own ssh and sshd, with keys of the test.
// sshd speaks over the pipe of a ProxyCommand (sshd -i), so that nothing listens. Used by one
// thread.
#pragma once

#include <filesystem>
#include <string>

#include "tests/integration/cli/cli_rig.h"

namespace ringside::testing {

/// Whether there is an sshd; if not, a line says that the test is skipped.
bool has_sshd();

/// An sshd with a host key of its own that lets one key of the test in. The machine is `box`.
class SshdRig {
 public:
  SshdRig();

  /// sshd's own check of itself: as root it wants /run/sshd, which containers seldom have. Else a
  /// line says why the test is skipped.
  bool runs_here() const;

  std::filesystem::path at(const std::string& name) const { return rig.path() / name; }
  /// `ringside` there is the one in this folder; its own files lie in `home` of the rig.
  void use_programs_in(const std::filesystem::path& folder) const;
  void write_ssh_config(const std::string& key) const;
  /// The host key that is known of it.
  void know(const std::string& key) const;
  /// Cuts the connections that are open, and none is made until it is called again with true.
  void set_connected(bool connected) const;
  /// How many were begun so far, with success or without.
  std::size_t connections() const;

  CliRig rig;

 private:
  void make_key(const std::string& name) const;
};

}  // namespace ringside::testing
