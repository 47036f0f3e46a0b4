// `--on ssh://HOST` through the system's own ssh and sshd, with keys of the test. sshd speaks over
// the pipe of a ProxyCommand (sshd -i), so that nothing listens.
#include <pwd.h>
#include <stdlib.h>
#include <unistd.h>

#include <fstream>
#include <iostream>

#include "gui/launch/child.h"
#include "protocol/base/shell_word.h"
#include "tests/integration/agent/agent_rig.h"
#include "tests/integration/cli/cli_rig.h"
#include "tests/support/catch.h"
#include "tests/support/paths.h"
#include "tests/support/patience.h"

using namespace ringside;
using namespace ringside::testing;

namespace {

namespace fs = std::filesystem;

constexpr const char* kSshd = "/usr/sbin/sshd";
constexpr const char* kBox = "ssh://box";

bool has_sshd() {
  if (::access(kSshd, X_OK) == 0 && ::access("/usr/bin/ssh-keygen", X_OK) == 0) return true;
  std::cout << "SKIPPED: there is no sshd here (openssh-server)\n";
  return false;
}

/// An sshd with a host key of its own that lets one key of the test in.
class SshdRig {
 public:
  SshdRig() {
    for (const char* name : {"host", "other_host", "user", "other_user"}) make_key(name);
    fs::copy_file(at("user.pub"), at("authorized"));
    know("host");
    use_programs_in(bin_dir());
    write_ssh_config("user");
    std::ofstream(at("ssh")) << "#!/bin/sh\nexec /usr/bin/ssh -F "
                             << shell_word(at("ssh_config").string()) << " \"$@\"\n";
    fs::permissions(at("ssh"), fs::perms::owner_all);
    ::setenv("RINGSIDE_SSH", at("ssh").c_str(), 1);
    ::setenv("XDG_CACHE_HOME", at("cache").c_str(), 1);
    ::unsetenv("RINGSIDE_REMOTE_PROGRAM");
    ::unsetenv("SSH_AUTH_SOCK");
  }

  fs::path at(const std::string& name) const { return rig.path() / name; }

  /// `ringside` there is the one in this folder.
  void use_programs_in(const fs::path& folder) const {
    std::ofstream(at("sshd_config"))
        << "HostKey " << at("host").string() << "\nAuthorizedKeysFile " << at("authorized").string()
        << "\nUsePAM no\nStrictModes no\nPasswordAuthentication no\n"
        << "KbdInteractiveAuthentication no\nPermitRootLogin yes\nPidFile none\n"
        << "SetEnv PATH=" << folder.string() << ":/usr/bin:/bin\n";
  }
  void write_ssh_config(const std::string& key) const {
    std::ofstream(at("ssh_config"))
        << "Host box\n  User " << ::getpwuid(::getuid())->pw_name << "\n  IdentityFile "
        << at(key).string() << "\n  IdentitiesOnly yes\n  HostKeyAlias box\n  UserKnownHostsFile "
        << at("known").string() << "\n  GlobalKnownHostsFile /dev/null\n  ProxyCommand " << kSshd
        << " -i -f " << at("sshd_config").string() << "\n";
  }
  /// The host key that is known of it.
  void know(const std::string& key) const {
    std::ofstream(at("known")) << "box " << text_of(at(key + ".pub"));
  }

  CliRig rig;

 private:
  void make_key(const std::string& name) const {
    const auto made = launch::capture(
        {"/usr/bin/ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", at(name).string()},
        kPatienceNs);
    REQUIRE(made);
    REQUIRE(made->exit_code == 0);
  }
};

/// Its own check of itself: as root it wants /run/sshd, which containers seldom have.
bool runs_here(const SshdRig& there) {
  const auto checked =
      launch::capture({kSshd, "-t", "-f", there.at("sshd_config").string()}, kPatienceNs);
  REQUIRE(checked);
  if (checked->exit_code != 0) std::cout << "SKIPPED: sshd: " << checked->errors << "\n";
  return checked->exit_code == 0;
}

void expect(const SshdRig& there, int code, const std::string& said) {
  const auto told = there.rig.ringside({"list", "--on", kBox});
  INFO(told.errors);
  CHECK(told.exit_code == code);
  CHECK(told.errors.find(said) != std::string::npos);
}

}  // namespace

TEST_CASE("through a real sshd a run is launched, followed, stopped and exported") {
  if (!has_sshd()) return;
  SshdRig there;
  if (!runs_here(there)) return;
  const auto started = there.rig.json_of(
      {"run", there.rig.experiment(2, {"--steps=1000000"}), "--detach", "--json", "--on", kBox});
  const std::string id = started.at("runs").back().at("id").get<std::string>();
  const fs::path out = there.at("tailed");
  const pid_t tail = there.rig.start({"tail", id, "--all", "--json", "--on", kBox}, out);
  REQUIRE(wait_until(30, [&] { return fs::exists(out) && fs::file_size(out) > 10'000; }));
  CHECK(there.rig.ringside({"stop", id, "--on", kBox}).exit_code == 0);
  CHECK(there.rig.wait_exit(tail) == 0);
  CHECK(text_of(out) == there.rig.ringside({"tail", id, "--all", "--json"}).output);
  const auto exported =
      there.rig.ringside({"export", id, "--csv", there.at("csv").string(), "--on", kBox});
  INFO(exported.errors);
  CHECK(exported.exit_code == 0);
  CHECK(there.rig.json_of({"doctor", "--json", "--on", kBox}).contains("devices"));
}

TEST_CASE("a real sshd and ssh: each thing that is wrong is named") {
  if (!has_sshd()) return;
  const SshdRig there;
  if (!runs_here(there)) return;
  expect(there, 0, "");
  there.write_ssh_config("other_user");
  expect(there, 2, "accepts no key of yours");
  there.write_ssh_config("user");
  std::ofstream(there.at("known")) << "";
  expect(there, 2, "is not known here yet");
  there.know("other_host");
  expect(there, 2, "shows another host key");
  there.know("host");
  fs::create_directory(there.at("none"));
  there.use_programs_in(there.at("none"));
  expect(there, 2, "has no program ringside");
  std::ofstream(there.at("none") / "ringside")
      << "#!/bin/sh\nprintf '\\nringside "
         "serve-stdio\\n\\047\\000\\000\\000\\001\\000\\000\\000\\000"
         "\\000\\000\\000{\"protocol\":9,\"version\":\"7\",\"host\":\"b\"}'\n";
  fs::permissions(there.at("none") / "ringside", fs::perms::owner_all);
  expect(there, 2, "has ringside 7, which is newer");
}
