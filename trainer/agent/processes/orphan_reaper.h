// A small child process of the agent: when the agent dies unexpectedly (KILL, a crash),
// it kills the process groups of the ranks, every helper that carries the agent's marker and, where
// one can be had, the control group of them all. The kernel's parent-death signal reaches only the
// ranks themselves, not what they started. Started
// first thing in main, before any thread, socket or lock, so that it inherits none of them.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <vector>

#include "protocol/base/result.h"

namespace ringside::agent {

class OrphanReaper {
 public:
  /// `leftovers`: files that only a living agent needs; removed when it vanishes.
  static Result<OrphanReaper> start(const std::string& marker,
                                    const std::vector<std::filesystem::path>& leftovers = {});
  OrphanReaper(OrphanReaper&& other) noexcept;
  OrphanReaper& operator=(OrphanReaper&&) = delete;
  OrphanReaper(const OrphanReaper&) = delete;
  /// Ends the reaper process and waits for it.
  ~OrphanReaper();

  /// Lets this group die with the agent from now on. Never blocks.
  void guard(pid_t group);
  void release(pid_t group);
  /// Starts the process again when somebody has ended it; true when that was so.
  bool revive();
  pid_t pid() const { return pid_; }
  /// Whether this process is one, of whomever.
  static bool is_one(pid_t pid);
  /// Folder of the control group that ranks are to join; empty where none can be had.
  const std::filesystem::path& cgroup() const { return cgroup_; }

 private:
  OrphanReaper(std::string marker, std::vector<std::filesystem::path> leftovers);
  Result<void> launch();

  std::string marker_;
  std::vector<std::filesystem::path> leftovers_;
  std::filesystem::path cgroup_;
  std::vector<pid_t> groups_;  // what the process knows, for one that takes its place
  pid_t pid_ = -1;
  int pipe_ = -1;
};

}  // namespace ringside::agent
