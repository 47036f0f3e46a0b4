// Copies of the runs of another machine in the user's cache folder, byte for byte, so that every
// reader of run folders works on them. Logs and streams are only ever appended to: what is there
// already is never fetched again, however often the connection is cut. An agent.json without
// addresses or keys stands for the agent of each node there while the run lives. Private to the
// user (0700, 0600). Used by one thread.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "gui/remote/connection.h"
#include "gui/runs/copied_numbers.h"
#include "protocol/host/file_lock.h"
#include "protocol/runlog/run_folder.h"

namespace ringside::remote {

/// $XDG_CACHE_HOME/ringside/machines/NAME: a runs folder that holds the copies. One for each
/// machine and runs folder there (as typed; empty: the usual one).
Result<std::filesystem::path> mirror_folder(const Address& address, const std::string& runs_dir);

class Mirror {
 public:
  struct Copied {
    bool live = false;        ///< its agent there lives
    std::uint64_t bytes = 0;  ///< that came now
    bool whole = true;        ///< false: parts were left out, or all of it:
    bool kept = false;        ///< another program, or one that is just leaving, keeps this copy
    bool changed = false;  ///< bytes came, it became live or ended; or nobody knows, as it is kept
  };

  Mirror(std::filesystem::path folder, const Address& address, std::string runs_dir);
  Mirror(const Mirror&) = delete;
  Mirror& operator=(const Mirror&) = delete;

  runlog::RunFolder run(const RunId& id) const { return runlog::RunFolder(folder_ / id); }

  /// The run that a person there means by this. Its copy gets the number that it has there.
  Result<RunId> find(Connection& there, const std::string& run) const;
  /// Runs there and their numbers: the copies have the same.
  Result<void> take_numbers(const runs::RunNumbers& numbers, bool all) const;
  /// The copy of the run that a person there means by this, all of it. Where another program keeps
  /// it and has not brought all of it that is a failure; with `follows` only while its log has not
  /// begun.
  Result<runlog::RunFolder> bring_whole(Connection& there, const std::string& run, bool follows);
  /// Brings all that is new of a run. Files that are larger than `most_bytes` and were not begun
  /// are left out.
  Result<Copied> bring(Connection& there, const RunId& id, std::uint64_t most_bytes = UINT64_MAX);
  /// Brings the run's settings alone, once: enough for a list. Returns whether they are new.
  Result<bool> bring_head(Connection& there, const RunId& id);
  /// The run was deleted there: its copy goes too, unless another program keeps it.
  void forget(const RunId& id);
  /// What Slurm there said last of the jobs of its user; nothing known where a ringside there does
  /// not tell yet. Whether that is new.
  Result<bool> bring_queue(Connection& there);
  /// The files of all studies there, and which were deleted; nothing of a ringside there that does
  /// not tell yet.
  Result<void> bring_studies(Connection& there);

 private:
  struct File;
  bool keep(const RunId& id);
  Result<std::uint64_t> bring_file(Connection& there, const RunId& id, const File& file);
  Result<std::uint64_t> append(Connection& there, const RunId& id, const File& file);
  Result<std::uint64_t> replace(Connection& there, const RunId& id, const File& file);
  /// Nothing of the run is missing here, whoever brought it.
  bool has_all(Connection& there, const RunId& id) const;
  Result<void> mark_first(const runlog::RunFolder& here) const;
  Result<void> keep_studies(const std::filesystem::path& folder,
                            const std::map<std::string, std::string>& texts) const;

  std::filesystem::path folder_;
  std::string where_;                  ///< the machine as people write it
  std::string runs_dir_;               ///< there; empty: the usual one
  std::map<RunId, FileLock> writers_;  ///< locks of the copies that this object keeps
};

}  // namespace ringside::remote
