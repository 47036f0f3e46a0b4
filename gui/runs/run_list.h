// The list of runs behind a window, however many there are: the folders are named at once, their
// logs are read newest first and in parts, and afterwards only what can have changed is looked at
// again: runs that go on, and everything from time to time. Reads files; used by one thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <map>
#include <vector>

#include "gui/runs/catalogue.h"
#include "gui/runs/figure_cache.h"

namespace ringside::runs {

class RunList {
 public:
  struct Part {
    bool changed = false;          ///< since the last call; else `runs` is left empty
    std::vector<RunSummary> runs;  ///< newest first
    std::size_t unread = 0;        ///< of them only the folder is known yet: look again
  };

  /// `read_figures` as for a Catalogue; `cache`: empty for none.
  RunList(std::filesystem::path runs_dir, Catalogue::ReadFigures read_figures,
          const std::filesystem::path& cache);
  RunList(const RunList&) = delete;
  RunList& operator=(const RunList&) = delete;

  /// Reads for about `budget_ns`, or until `leave` is set. `everywhere`: also looks at runs that
  /// have ended, which change when a person edits their folders or resumes them.
  Result<Part> poll(std::int64_t budget_ns, bool everywhere, const std::atomic<bool>& leave);

 private:
  struct Known {
    RunSummary summary;
    FileStamp folder;
    FileStamp log;
    bool may_change = true;  ///< it goes on, or may
  };

  Result<bool> list();
  bool changed_on_disk(const ListedRun& run, const Known& known) const;
  void read(const ListedRun& run, Known& known);
  LogStamps stamps_of(const runlog::RunFolder& folder, const messages::RunSpec& spec) const;
  std::vector<RunSummary> summaries() const;
  void save_cache();

  std::filesystem::path runs_dir_;
  FigureCache cache_;
  Catalogue catalogue_;
  std::vector<ListedRun> listed_;  ///< oldest first
  FileStamp listed_folder_;
  FileStamp listed_trash_;
  bool listing_settled_ = false;  ///< the folder had not changed for a while when it was listed
  std::map<RunId, Known> known_;
  const std::atomic<bool>* leave_ = nullptr;  ///< of the look that goes on
};

/// The time that an id begins with, 0 where it is none of ours.
std::int64_t wall_ns_of(const RunId& id);

}  // namespace ringside::runs
