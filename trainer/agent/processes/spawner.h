// The interface to processes: start, signal, poll, reap. The agent's loop is the only owner of all
// waits. PosixSpawner is the real one; a fake by hand stands in for processes that no test can make
// (unkillable ones). Used by the main thread only: the kernel ties the parent-death signal to the
// thread that forked.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "protocol/base/result.h"
#include "protocol/host/descriptor.h"
#include "trainer/agent/processes/exit_status.h"

namespace ringside::agent {

struct SpawnRequest {
  std::vector<std::string> argv;  ///< never a shell; argv[0] without '/' is looked up in PATH
  std::vector<std::string> environment;  ///< KEY=VALUE; RINGSIDE_LIFELINE_FD is added
  std::filesystem::path folder;          ///< gets the files stdout and stderr
  std::filesystem::path cwd = {};        ///< to run in; empty: the folder of this process
  int listener = -1;            ///< a socket that it inherits, as RINGSIDE_LISTEN_FD; below 0: none
  std::int32_t local_rank = 0;  ///< whose it is, where each has a place of its own to begin in
};

struct Spawned {
  pid_t pid = 0;     ///< also the id of the process group that it begins in
  int exit_fd = -1;  ///< readable once the process has ended; closed by reap()
};

class Spawner {
 public:
  virtual ~Spawner() = default;
  virtual Result<Spawned> spawn(const SpawnRequest& request) = 0;
  /// Reaches the leader itself too where it has moved to another group.
  virtual void signal_group(pid_t leader, int signal) = 0;
  /// How it ended, or nothing while it runs. It stays a zombie, so that the id of its group is not
  /// reused.
  virtual std::optional<ExitStatus> exited(pid_t leader) = 0;
  /// Processes that are left of these groups and of everything they started: by group, by the
  /// marker in their environment, or because they were adopted when their parents ended.
  virtual std::vector<std::int64_t> survivors(std::span<const pid_t> leaders) = 0;
  virtual void kill(std::int64_t pid) = 0;
  /// Letter of its state, '?' when not known.
  virtual char process_state(pid_t pid) = 0;
  /// Removes the zombies of leaders whose groups are empty; the descriptors of spawn() are closed.
  virtual void reap(const Spawned& leader) = 0;
  /// Removes zombies of helpers whose parents ended before them.
  virtual void reap_orphans(std::span<const pid_t> leaders) = 0;
  /// Called about once a second: what was adopted meanwhile is to die with this process as well.
  /// Returns what a person should know; mostly empty.
  virtual std::string look_after() = 0;
};

class OrphanReaper;

class PosixSpawner final : public Spawner {
 public:
  /// Makes the calling process the reaper of orphaned descendants. `reaper` outlives the spawner.
  static Result<PosixSpawner> make(const std::string& marker, OrphanReaper& reaper);

  Result<Spawned> spawn(const SpawnRequest& request) override;
  void signal_group(pid_t leader, int signal) override;
  std::optional<ExitStatus> exited(pid_t leader) override;
  std::vector<std::int64_t> survivors(std::span<const pid_t> leaders) override;
  void kill(std::int64_t pid) override;
  char process_state(pid_t pid) override;
  void reap(const Spawned& leader) override;
  void reap_orphans(std::span<const pid_t> leaders) override;
  std::string look_after() override;

 private:
  PosixSpawner(std::string marker, OrphanReaper& reaper, int lifeline_read, int lifeline_write)
      : marker_(std::move(marker)),
        reaper_(&reaper),
        lifeline_read_(lifeline_read),
        lifeline_write_(lifeline_write) {}
  std::vector<pid_t> adopted(std::span<const pid_t> leaders) const;

  std::string marker_;
  OrphanReaper* reaper_;
  Descriptor lifeline_read_;  // inherited by every rank; its end: this process is gone
  Descriptor lifeline_write_;
  std::vector<pid_t> leaders_;             // spawned, not reaped
  std::map<pid_t, Descriptor> terminals_;  // of leaders: our end of their standard input
  std::map<pid_t, std::filesystem::path>
      folders_;                 // of leaders, in which containers leave their ids
  std::vector<pid_t> guarded_;  // groups of what was adopted
};

}  // namespace ringside::agent
