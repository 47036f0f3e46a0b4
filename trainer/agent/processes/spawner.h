// The interface for processes: start, signal, poll, reap. The agent's loop is the only caller of
// all waits. PosixSpawner is the real one; a hand-written fake simulates processes that no test can
// create (unkillable ones). Used by the main thread only: the kernel ties the parent-death signal
// to the thread that forked.
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
  std::vector<std::string> argv;  ///< run without a shell; argv[0] without '/' is looked up in PATH
  std::vector<std::string> environment;  ///< KEY=VALUE; RINGSIDE_LIFELINE_FD is added
  std::filesystem::path folder;          ///< for the files stdout and stderr
  std::filesystem::path cwd = {};        ///< working folder; empty: this process's
  int listener = -1;            ///< a socket to inherit, as RINGSIDE_LISTEN_FD; negative: none
  std::int32_t local_rank = 0;  ///< for spawners that start each rank in a different place
  std::vector<int> cpus = {};   ///< CPU numbers that it may run on; empty: those of this process
};

struct Spawned {
  pid_t pid = 0;     ///< also the id of its initial process group
  int exit_fd = -1;  ///< readable after the process has ended; closed by reap()
};

class Spawner {
 public:
  virtual ~Spawner() = default;
  virtual Result<Spawned> spawn(const SpawnRequest& request) = 0;
  /// Signals the leader itself, too, if it has moved to another group.
  virtual void signal_group(pid_t leader, int signal) = 0;
  /// How it ended, or empty while it runs. It stays a zombie, so that its group id is not reused.
  virtual std::optional<ExitStatus> exited(pid_t leader) = 0;
  /// Remaining processes of these groups and of everything they started: found by group, by the
  /// marker in their environment, or as orphans that this process adopted.
  virtual std::vector<std::int64_t> survivors(std::span<const pid_t> leaders) = 0;
  virtual void kill(std::int64_t pid) = 0;
  /// State letter of the process, '?' when unknown.
  virtual char process_state(pid_t pid) = 0;
  /// Removes the zombies of leaders whose groups are empty; closes the descriptors of spawn().
  virtual void reap(const Spawned& leader) = 0;
  /// Removes zombies of helpers whose parents ended before them.
  virtual void reap_orphans(std::span<const pid_t> leaders) = 0;
  /// Call about once per second: guards newly adopted processes, so that they die with this one.
  /// Returns a message for the user, usually empty.
  virtual std::string check_processes() = 0;
};

class OrphanReaper;

class PosixSpawner final : public Spawner {
 public:
  /// Makes the calling process the subreaper of orphaned descendants. `reaper` must outlive the
  /// spawner.
  static Result<PosixSpawner> make(const std::string& marker, OrphanReaper& reaper);

  Result<Spawned> spawn(const SpawnRequest& request) override;
  void signal_group(pid_t leader, int signal) override;
  std::optional<ExitStatus> exited(pid_t leader) override;
  std::vector<std::int64_t> survivors(std::span<const pid_t> leaders) override;
  void kill(std::int64_t pid) override;
  char process_state(pid_t pid) override;
  void reap(const Spawned& leader) override;
  void reap_orphans(std::span<const pid_t> leaders) override;
  std::string check_processes() override;

 private:
  PosixSpawner(std::string marker, OrphanReaper& reaper, int lifeline_read, int lifeline_write)
      : marker_(std::move(marker)),
        reaper_(&reaper),
        lifeline_read_(lifeline_read),
        lifeline_write_(lifeline_write) {}
  std::vector<pid_t> adopted(std::span<const pid_t> leaders) const;

  std::string marker_;
  OrphanReaper* reaper_;
  // Inherited by every rank; end of file means that this process is gone.
  Descriptor lifeline_read_;
  Descriptor lifeline_write_;
  std::vector<pid_t> leaders_;                      // started and not yet reaped
  std::map<pid_t, Descriptor> terminals_;           // of leaders: our end of their standard input
  std::map<pid_t, std::filesystem::path> folders_;  // of leaders: where containers write their ids
  std::vector<pid_t> guarded_;                      // groups of adopted processes
};

}  // namespace ringside::agent
