// A small child process of the agent. When the agent dies unexpectedly (KILL, a crash), it kills
// the process groups of the ranks, every helper that has the agent's marker and, if available, the
// control group of them all. The kernel's parent-death signal reaches only the ranks themselves,
// not what they started. It is started first thing in main, before any thread, socket or lock, so
// that it inherits none of them.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <vector>

#include "protocol/base/result.h"

namespace ringside::agent {

class OrphanReaper {
 public:
  /// `leftovers` are files that only a living agent needs; they are removed when it dies.
  static Result<OrphanReaper> start(const std::string& marker,
                                    const std::vector<std::filesystem::path>& leftovers = {});
  OrphanReaper(OrphanReaper&& other) noexcept;
  OrphanReaper& operator=(OrphanReaper&&) = delete;
  OrphanReaper(const OrphanReaper&) = delete;
  /// Ends the reaper process and waits for it.
  ~OrphanReaper();

  /// Kills this group if the agent dies from now on. Never blocks.
  void guard(pid_t group);
  void release(pid_t group);
  /// Restarts the process if it was ended; true if so.
  bool revive();
  pid_t pid() const { return pid_; }
  /// Whether that process is a reaper, of any agent.
  static bool is_one(pid_t pid);
  /// Folder of the ranks' control group; empty when there is none.
  const std::filesystem::path& cgroup() const { return cgroup_; }

 private:
  OrphanReaper(std::string marker, std::vector<std::filesystem::path> leftovers);
  Result<void> launch();

  std::string marker_;
  std::vector<std::filesystem::path> leftovers_;
  std::filesystem::path cgroup_;
  std::vector<pid_t> groups_;  // a copy of what the process knows, for its replacement
  pid_t pid_ = -1;
  int pipe_ = -1;
};

}  // namespace ringside::agent
