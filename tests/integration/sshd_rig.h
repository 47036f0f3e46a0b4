// Another machine that is really this one behind the system's own ssh and sshd, with keys of the
// test. sshd talks over the pipe of a ProxyCommand (sshd -i), so that no port is opened. Used by
// one thread.
#pragma once

#include <filesystem>
#include <string>

#include "tests/integration/cli/cli_rig.h"

namespace ringside::testing {

/// Whether there is an sshd; if not, prints that the test is skipped.
bool has_sshd();

/// An sshd with a host key of its own that accepts one key of the test. The machine is named `box`.
class SshdRig {
 public:
  SshdRig();

  /// Checks whether sshd can run: as root it needs /run/sshd, which containers often lack. If not,
  /// prints why the test is skipped.
  bool runs_here() const;

  std::filesystem::path at(const std::string& name) const { return rig.path() / name; }
  /// Makes the machine use `ringside` from this folder; its own files are in `home` of the rig.
  void use_programs_in(const std::filesystem::path& folder) const;
  void write_ssh_config(const std::string& key) const;
  /// Sets the known host key of the machine.
  void know(const std::string& key) const;
  /// With false, cuts the open connections and prevents new ones until it is called with true.
  void set_connected(bool connected) const;
  /// Number of connections begun so far, successful or not.
  std::size_t connections() const;

  CliRig rig;

 private:
  void make_key(const std::string& name) const;
};

}  // namespace ringside::testing
