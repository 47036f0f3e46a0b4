// The list of runs for a window, whatever their number: folders are listed at once, their logs are
// read newest first and in parts, and afterwards only what may have changed is read again: active
// runs each time, everything now and then. Reads files; used by one thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <map>
#include <vector>

#include "gui/runs/catalogue.h"
#include "gui/runs/figure_file.h"

namespace ringside::runs {

class RunList {
 public:
  struct Part {
    bool changed = false;          ///< since the last call; otherwise `runs` is left empty
    std::vector<RunSummary> runs;  ///< newest first
    std::size_t unread = 0;  ///< number of runs of which only the folder is known yet: poll again
  };

  /// `file`: where figures are cached (figure_file_path); empty: nowhere.
  RunList(std::filesystem::path runs_dir, std::filesystem::path file);
  RunList(const RunList&) = delete;
  RunList& operator=(const RunList&) = delete;

  /// Reads for about `budget_ns`, or until `leave` is set. `everywhere`: also checks runs that have
  /// ended, which change when a person edits their folders or resumes them.
  Result<Part> poll(std::int64_t budget_ns, bool everywhere, const std::atomic<bool>& leave);

 private:
  /// Cached data of a run. Before it is read: the figures from the file, and the stamps of their
  /// logs.
  struct Known {
    RunSummary summary;
    FileStamp folder;
    LogStamps logs;
    bool read = false;
    bool may_change = true;  ///< the run is active, or may be
    bool keep = false;       ///< the figures are complete, and their log does not grow
  };

  void load();
  Result<bool> list();
  bool changed_on_disk(const ListedRun& run, const Known& known) const;
  void read(const ListedRun& run, Known& known, const std::atomic<bool>& leave);
  bool look_again(const ListedRun& run, Known& known, const std::atomic<bool>& leave);
  std::vector<RunSummary> summaries() const;
  void save();

  std::filesystem::path runs_dir_;
  std::filesystem::path file_;
  std::vector<ListedRun> listed_;  ///< oldest first
  FileStamp listed_folder_;
  FileStamp listed_trash_;
  bool listing_settled_ = false;  ///< the folder had been unchanged for a while when it was listed
  std::map<RunId, Known> known_;
  bool loaded_ = false;
  bool unsaved_ = false;
};

/// The time that an id begins with; 0 if the id is not in our format.
std::int64_t wall_ns_of(const RunId& id);

}  // namespace ringside::runs
