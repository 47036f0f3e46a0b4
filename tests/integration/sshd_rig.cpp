#include "tests/integration/sshd_rig.h"

#include <pwd.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <iostream>

#include "gui/launch/child.h"
#include "protocol/base/shell_word.h"
#include "tests/integration/agent/agent_rig.h"
#include "tests/support/catch.h"
#include "tests/support/paths.h"
#include "tests/support/patience.h"

namespace ringside::testing {
namespace {

namespace fs = std::filesystem;

constexpr const char* kSshd = "/usr/sbin/sshd";

}  // namespace

bool has_sshd() {
  if (::access(kSshd, X_OK) == 0 && ::access("/usr/bin/ssh-keygen", X_OK) == 0) return true;
  std::cout << "SKIPPED: there is no sshd here (openssh-server)\n";
  return false;
}

SshdRig::SshdRig() {
  for (const char* name : {"host", "other_host", "user", "other_user"}) make_key(name);
  fs::copy_file(at("user.pub"), at("authorized"));
  know("host");
  use_programs_in(bin_dir());
  write_ssh_config("user");
  const std::string here = shell_word(rig.path().string());
  std::ofstream(at("ssh")) << "#!/bin/sh\n"
                           << "echo $$ >>" << here << "/pids\n"
                           << "[ ! -e " << here << "/cut ] || exit 255\n"
                           << "exec /usr/bin/ssh -F " << shell_word(at("ssh_config").string())
                           << " \"$@\"\n";
  fs::permissions(at("ssh"), fs::perms::owner_all);
  ::setenv("RINGSIDE_SSH", at("ssh").c_str(), 1);
  ::setenv("XDG_CACHE_HOME", at("cache").c_str(), 1);
  ::unsetenv("RINGSIDE_REMOTE_PROGRAM");
  ::unsetenv("SSH_AUTH_SOCK");
}

bool SshdRig::runs_here() const {
  const auto checked =
      launch::capture({kSshd, "-t", "-f", at("sshd_config").string()}, kPatienceNs);
  REQUIRE(checked);
  if (checked->exit_code != 0) std::cout << "SKIPPED: sshd: " << checked->errors << "\n";
  return checked->exit_code == 0;
}

void SshdRig::use_programs_in(const fs::path& folder) const {
  const std::string home = at("home").string();
  std::ofstream(at("sshd_config"))
      << "HostKey " << at("host").string() << "\nAuthorizedKeysFile " << at("authorized").string()
      << "\nUsePAM no\nStrictModes no\nPasswordAuthentication no\n"
      << "KbdInteractiveAuthentication no\nPermitRootLogin yes\nPidFile none\n"
      << "SetEnv PATH=" << folder.string() << ":/usr/bin:/bin XDG_DATA_HOME=" << home
      << "/data XDG_CACHE_HOME=" << home << "/cache XDG_STATE_HOME=" << home << "/state\n";
}

void SshdRig::write_ssh_config(const std::string& key) const {
  std::ofstream(at("ssh_config"))
      << "Host box\n  User " << ::getpwuid(::getuid())->pw_name << "\n  IdentityFile "
      << at(key).string() << "\n  IdentitiesOnly yes\n  HostKeyAlias box\n  UserKnownHostsFile "
      << at("known").string() << "\n  GlobalKnownHostsFile /dev/null\n  ProxyCommand " << kSshd
      << " -i -f " << at("sshd_config").string() << "\n";
}

void SshdRig::know(const std::string& key) const {
  std::ofstream(at("known")) << "box " << text_of(at(key + ".pub"));
}

void SshdRig::set_connected(bool connected) const {
  if (connected) {
    fs::remove(at("cut"));
    return;
  }
  std::ofstream(at("cut")) << "";
  // Some of these processes have ended, but their numbers are not reused so soon.
  std::ifstream pids(at("pids"));
  for (pid_t pid = 0; pids >> pid;) ::kill(pid, SIGKILL);
}

std::size_t SshdRig::connections() const {
  const std::string pids = text_of(at("pids"));
  return static_cast<std::size_t>(std::count(pids.begin(), pids.end(), '\n'));
}

void SshdRig::make_key(const std::string& name) const {
  const auto made = launch::capture(
      {"/usr/bin/ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", at(name).string()},
      kPatienceNs);
  REQUIRE(made);
  REQUIRE(made->exit_code == 0);
}

}  // namespace ringside::testing
