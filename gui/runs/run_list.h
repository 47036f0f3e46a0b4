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
#include "gui/runs/figure_file.h"

namespace ringside::runs {

class RunList {
 public:
  struct Part {
    bool changed = false;          ///< since the last call; else `runs` is left empty
    std::vector<RunSummary> runs;  ///< newest first
    std::size_t unread = 0;        ///< of them only the folder is known yet: look again
  };

  /// `file`: where figures are kept between programs (figure_file_path); empty: nowhere.
  RunList(std::filesystem::path runs_dir, std::filesystem::path file);
  RunList(const RunList&) = delete;
  RunList& operator=(const RunList&) = delete;

  /// Reads for about `budget_ns`, or until `leave` is set. `everywhere`: also looks at runs that
  /// have ended, which change when a person edits their folders or resumes them.
  Result<Part> poll(std::int64_t budget_ns, bool everywhere, const std::atomic<bool>& leave);

 private:
  /// All that is remembered of a run. Before it was read: figures of the file, and the logs they
  /// were made from.
  struct Known {
    RunSummary summary;
    FileStamp folder;
    LogStamps logs;
    bool read = false;
    bool may_change = true;  ///< it goes on, or may
    bool keep = false;       ///< the figures are whole and of a log that does not grow
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
  bool listing_settled_ = false;  ///< the folder had not changed for a while when it was listed
  std::map<RunId, Known> known_;
  bool loaded_ = false;
  bool unsaved_ = false;
};

/// The time that an id begins with, 0 where it is none of ours.
std::int64_t wall_ns_of(const RunId& id);

}  // namespace ringside::runs
