// Tests what another user of this machine can do, as the user nobody. Needs root to change the
// user.
#pragma once

#include <grp.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>
#include <iostream>

namespace ringside::testing {

/// Starts `work` as nobody in a new process, whose exit code is its result, or 100 if the user
/// could not be changed. Returns a number below 0 if there is no process.
inline pid_t start_as_nobody(const std::function<int()>& work) {
  constexpr uid_t kNobody = 65534;
  const pid_t pid = ::fork();
  if (pid != 0) return pid;
  const bool changed = ::setgroups(0, nullptr) == 0 && ::setgid(kNobody) == 0 &&
                       ::setuid(kNobody) == 0 && ::geteuid() == kNobody;
  ::_exit(changed ? work() : 100);
}

/// Returns the exit code; -1 if the process was ended by a signal or cannot be waited for.
inline int wait_for_nobody(pid_t pid) {
  int status = 0;
  if (pid < 0 || ::waitpid(pid, &status, 0) != pid || !WIFEXITED(status)) return -1;
  return WEXITSTATUS(status);
}

inline int as_nobody(const std::function<int()>& work) {
  return wait_for_nobody(start_as_nobody(work));
}

inline bool can_become_nobody() {
  if (::geteuid() == 0 && as_nobody([] { return 0; }) == 0) return true;
  std::cout << "SKIPPED: only root can try what another user can do\n";
  return false;
}

}  // namespace ringside::testing
