// Copies of another machine's runs in the user's cache folder, byte for byte, so that every reader
// of run folders works on them. Logs and output files only grow: bytes that were copied are never
// fetched again, however often the connection is cut. While a run lives, its copy names the nodes
// whose agents may write, without addresses or keys. Private to the user (0700, 0600). Used by one
// thread.
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

/// $XDG_CACHE_HOME/ringside/machines/NAME: a runs folder with the copies, one for each machine and
/// runs folder there (as typed; empty: the default one).
Result<std::filesystem::path> mirror_folder(const Address& address, const std::string& runs_dir);

class Mirror {
 public:
  struct Copied {
    bool live = false;        ///< the run's agent on its machine is alive
    std::uint64_t bytes = 0;  ///< copied by this call
    bool whole = true;        ///< false: parts were left out, or, as `kept` says, everything
    bool kept = false;        ///< another program, or one that is just exiting, holds this copy
    bool changed = false;  ///< bytes came, or the run became live or ended; also set if `kept`, as
                           ///< it is then unknown
  };

  Mirror(std::filesystem::path folder, const Address& address, std::string runs_dir);
  Mirror(const Mirror&) = delete;
  Mirror& operator=(const Mirror&) = delete;

  runlog::RunFolder run(const RunId& id) const { return runlog::RunFolder(folder_ / id); }

  /// Asks for the run that `run` means on that machine. Its copy gets the number that it has there.
  Result<RunId> find(Connection& there, const std::string& run) const;
  /// Stores the numbers of the runs on that machine, which their copies are shown with.
  Result<void> take_numbers(const runs::RunNumbers& numbers, bool all) const;
  /// Copies the whole of the run that `run` means on that machine. Fails if another program holds
  /// the copy and has not copied all of it; with `follows` only if the copy's log has not begun.
  Result<runlog::RunFolder> bring_whole(Connection& there, const std::string& run, bool follows);
  /// Copies everything new of a run. Files larger than `most_bytes` of which nothing is copied yet
  /// are left out.
  Result<Copied> bring(Connection& there, const RunId& id, std::uint64_t most_bytes = UINT64_MAX);
  /// Copies only the run's settings, once, which is enough for a list. Returns whether they are
  /// new.
  Result<bool> bring_head(Connection& there, const RunId& id);
  /// The run was deleted on its machine: removes its copy, unless another program holds it.
  void forget(const RunId& id);
  /// Stores what Slurm on that machine last reported about its jobs; nothing if an older ringside
  /// there does not support the question. Returns whether it is new.
  Result<bool> bring_queue(Connection& there);
  /// Copies the files of all studies, deleted ones included; nothing if an older ringside there
  /// does not support the question.
  Result<void> bring_studies(Connection& there);

 private:
  struct File;
  bool keep(const RunId& id);
  Result<std::uint64_t> bring_file(Connection& there, const RunId& id, const File& file);
  Result<std::uint64_t> append(Connection& there, const RunId& id, const File& file);
  Result<std::uint64_t> replace(Connection& there, const RunId& id, const File& file);
  /// Whether the copy of the run is complete, whichever program made it.
  bool has_all(Connection& there, const RunId& id) const;
  Result<void> mark_first(const runlog::RunFolder& here) const;
  Result<void> keep_studies(const std::filesystem::path& folder,
                            const std::map<std::string, std::string>& texts) const;

  std::filesystem::path folder_;
  std::string where_;                  ///< the machine as people write it
  std::string runs_dir_;               ///< on that machine; empty: the default one
  std::map<RunId, FileLock> writers_;  ///< locks of the copies that this object writes
};

}  // namespace ringside::remote
