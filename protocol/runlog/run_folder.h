// Paths of the files of a run, and creation of a new run folder. Paths only, plus the calls
// that create and lock a folder; any thread.
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
  /// The nodes whose logs are there, ascending.
  std::vector<Node> logged_nodes() const;
  /// Size of all its logs together.
  std::uint64_t log_bytes() const;
  std::filesystem::path attempt_dir(std::int32_t attempt) const;
  /// How many attempts have a folder: the number of the next one.
  std::int32_t attempts() const;
  std::filesystem::path rank_dir(std::int32_t attempt, Rank rank) const;
  /// What a rank could not send: see unsent_log.h.
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
  /// How the tasks that srun has started on a node find its agent: one line, the name of a socket
  /// (trainer/agent/tasks/task_channel.h); gone with the agent.
  std::filesystem::path tasks_path(Node node = 0) const;
  /// Holds the space for the final records of a node.
  std::filesystem::path reserve_path(Node node = 0) const;

 private:
  std::filesystem::path path_;  // absolute, without a trailing slash
};

/// `asked`, else $RINGSIDE_RUNS_DIR, else $XDG_DATA_HOME/ringside/runs, else
/// ~/.local/share/ringside/runs. A relative XDG_DATA_HOME is ignored, as its specification asks.
/// Bad request when there is no home folder, or a relative path and no working folder.
Result<std::filesystem::path> choose_runs_dir(const std::filesystem::path& asked = {});

/// The absolute form of a path that a person gave as `what`; bad request when it is relative and
/// the working folder has been deleted.
Result<std::filesystem::path> whole_path(const std::filesystem::path& path,
                                         const std::string& what);

/// "20261121T134005Z-7f3a1c": UTC to the second, '-', four hexadecimal digits of the rest of the
/// time (65,536 to a second, so that ids sort as they were made), two of `random`.
RunId make_run_id(std::int64_t wall_ns, std::uint32_t random);

/// Makes runs_dir (0700) where missing and a new folder (0700) in it. Errors name the folder and
/// the reason.
Result<RunFolder> create_run_folder(const std::filesystem::path& runs_dir, const Clock& clock);

/// Held by the one agent that a node has in a run folder, and before it by whoever starts it: the
/// agent adopts the descriptor, so that the folder is not free for a moment. The kernel releases
/// the lock when the last process that has the descriptor ends, however it ends.
class FolderLock {
 public:
  /// A bad request when another process holds it.
  static Result<FolderLock> take(const RunFolder& folder, Node node = 0);
  /// Adopts the lock of the process that started this one, by the descriptor that it left open;
  /// from now on no child gets it. A bad request when the descriptor is not that of the folder's
  /// lock.
  static Result<FolderLock> adopt(const RunFolder& folder, int descriptor);
  /// The descriptor for the process that is to adopt it; closed on exec otherwise.
  int descriptor() const { return fd_.get(); }
  /// Whether a process holds it, asked without touching it. True is certain, from whichever
  /// container or machine. False says nothing about processes of other machines: not every shared
  /// file system passes locks on.
  static bool is_held(const RunFolder& folder, Node node = 0);

 private:
  explicit FolderLock(int fd) : fd_(fd) {}
  Descriptor fd_;
};

}  // namespace ringside::runlog
