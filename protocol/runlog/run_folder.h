// Paths of the files of a run, and the functions that create and lock a run folder. Any thread.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/base/clock.h"
#include "protocol/base/ids.h"
#include "protocol/base/result.h"
#include "protocol/host/descriptor.h"

namespace ringside::runlog {

class RunFolder {
 public:
  explicit RunFolder(const std::filesystem::path& path);

  const std::filesystem::path& path() const { return path_; }
  RunId id() const { return path_.filename().string(); }

  std::filesystem::path spec_path() const { return path_ / "spec.toml"; }
  std::filesystem::path log_path(Node node) const;
  /// The nodes whose logs exist, ascending.
  std::vector<Node> logged_nodes() const;
  /// Total size of the logs of all nodes.
  std::uint64_t log_bytes() const;
  std::filesystem::path attempt_dir(std::int32_t attempt) const;
  /// Number of attempts that have a folder, which is the number of the next attempt.
  std::int32_t attempts() const;
  std::filesystem::path rank_dir(std::int32_t attempt, Rank rank) const;
  /// Records that a rank could not send: see unsent_log.h.
  std::filesystem::path unsent_path(std::int32_t attempt, Rank rank) const;
  /// The ranks of an attempt that left such a file, ascending.
  std::vector<Rank> ranks_with_unsent(std::int32_t attempt) const;
  /// The rendezvous file of an attempt's ranks.
  std::filesystem::path rendezvous_path(std::int32_t attempt) const;
  std::filesystem::path checkpoints_dir() const { return path_ / "checkpoints"; }
  std::filesystem::path export_dir() const { return path_ / "export"; }
  std::filesystem::path agent_path(Node node = 0) const;
  std::filesystem::path agent_log_path(Node node = 0) const;
  std::filesystem::path lock_path(Node node = 0) const;
  /// File with the name of the socket at which tasks that srun started on a node find its agent
  /// (trainer/agent/tasks/task_channel.h), on one line; removed when the agent ends.
  std::filesystem::path tasks_path(Node node = 0) const;
  /// Reserves disk space for the final records of a node.
  std::filesystem::path reserve_path(Node node = 0) const;

 private:
  std::filesystem::path path_;  // absolute, without a trailing slash
};

/// The first of `asked`, $RINGSIDE_RUNS_DIR, $XDG_DATA_HOME/ringside/runs and
/// ~/.local/share/ringside/runs that is set. A relative XDG_DATA_HOME is ignored, as its
/// specification requires. Bad request without a home folder, or for a relative path without a
/// working folder.
Result<std::filesystem::path> choose_runs_dir(const std::filesystem::path& asked = {});

/// The absolute form of a path that the user gave as `what`; bad request when it is relative and
/// the working folder has been deleted.
Result<std::filesystem::path> whole_path(const std::filesystem::path& path,
                                         const std::string& what);

/// "20261121T134005Z-7f3a1c": UTC to the second, '-', four hexadecimal digits for the fraction of
/// the second (so that ids sort by time), two of `random`.
RunId make_run_id(std::int64_t wall_ns, std::uint32_t random);

/// Creates a new folder (0700) in runs_dir, and runs_dir (0700) if missing. Errors name the folder
/// and the reason.
Result<RunFolder> create_run_folder(const std::filesystem::path& runs_dir, const Clock& clock);

/// The lock that makes an agent the only one of its node in a run folder. The process that starts
/// the agent takes it first, and the agent adopts the descriptor, so that the folder is never
/// unlocked in between. The kernel releases the lock when the last process with the descriptor
/// ends, however it ends.
class FolderLock {
 public:
  /// A bad request when another process holds it.
  static Result<FolderLock> take(const RunFolder& folder, Node node = 0);
  /// Adopts the lock of the parent process from the descriptor that it left open, which children no
  /// longer inherit from now on. A bad request when the descriptor is not that of the folder's
  /// lock.
  static Result<FolderLock> adopt(const RunFolder& folder, int descriptor);
  /// The descriptor for the process that adopts it; otherwise closed on exec.
  int descriptor() const { return fd_.get(); }
  /// Whether a process holds the lock, tested without taking it. True is certain, from any
  /// container or machine. False says nothing about processes of other machines, since not every
  /// shared file system supports locks between machines.
  static bool is_held(const RunFolder& folder, Node node = 0);

 private:
  explicit FolderLock(int fd) : fd_(fd) {}
  Descriptor fd_;
};

}  // namespace ringside::runlog
