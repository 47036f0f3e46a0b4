#include "tests/integration/remote_rig.h"

#include <signal.h>
#include <stdlib.h>

#include <fstream>

#include "protocol/base/shell_word.h"
#include "tests/integration/agent/agent_rig.h"
#include "tests/support/catch.h"
#include "tests/support/paths.h"

namespace ringside::testing {

namespace fs = std::filesystem;

void fake_ssh(const fs::path& folder) {
  const std::string here = shell_word(folder.string());
  const std::string ringside = shell_word((bin_dir() / "ringside").string());
  // The words after the dashes are run as a shell of the machine would; `told` replaces all of it.
  std::ofstream(folder / "ssh") << "#!/bin/sh\n"
                                << "echo \"$*\" >>" << here << "/calls\n"
                                << "echo $$ >" << here << "/pid\n"
                                << "[ ! -e " << here << "/told ] || . " << here << "/told\n"
                                << "if [ -e " << here << "/cut ]; then\n"
                                << "  bytes=$(cat " << here << "/cut); rm " << here << "/cut\n"
                                << "  " << ringside
                                << " serve-stdio | { dd bs=1 count=\"$bytes\" 2>/dev/null\n"
                                // The whole group is killed: a helper whose remaining output fits
                                // into the pipe would wait for the next question, and the local end
                                // for its answer.
                                << "  kill -KILL 0; }\n"
                                << "fi\n"
                                << "exec " << ringside << " serve-stdio\n";
  fs::permissions(folder / "ssh", fs::perms::owner_all);
  ::setenv("RINGSIDE_SSH", (folder / "ssh").c_str(), 1);
  ::setenv("XDG_CACHE_HOME", (folder / "cache").c_str(), 1);
  ::unsetenv("RINGSIDE_REMOTE_PROGRAM");
}

RemoteRig::RemoteRig() { fake_ssh(rig.path()); }

void RemoteRig::ssh_does(const std::string& shell) const {
  std::ofstream(rig.path() / "told") << shell << "\n";
}

void RemoteRig::cut_next_after(int bytes) const { std::ofstream(rig.path() / "cut") << bytes; }

void RemoteRig::cut() const {
  const pid_t pid = std::stoi(text_of(rig.path() / "pid"));
  REQUIRE(::kill(pid, SIGKILL) == 0);
}

void RemoteRig::hang() const {
  const pid_t pid = std::stoi(text_of(rig.path() / "pid"));
  REQUIRE(::kill(pid, SIGSTOP) == 0);
}

std::vector<std::string> RemoteRig::calls() const {
  std::ifstream file(rig.path() / "calls");
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  return lines;
}

fs::path RemoteRig::copies() const {
  const fs::path machines = rig.path() / "cache" / "ringside" / "machines";
  std::vector<fs::path> found;
  for (const auto& entry : fs::directory_iterator(machines)) found.push_back(entry.path());
  REQUIRE(found.size() == 1);
  return found.front();
}

}  // namespace ringside::testing
