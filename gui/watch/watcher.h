// Follows everything at a path: searches for new files, reads on in known ones, and records each
// run that it finds. Damaged or unusable data is counted and named, and does not affect the rest.
// Nothing is written where the files are. `ringside watch` uses it until it is stopped, `ringside
// import` once. Used by one thread.
#pragma once

#include <cstdint>
#include <deque>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_set>
#include <vector>

#include "gui/watch/file_tail.h"
#include "gui/watch/notices.h"
#include "gui/watch/run_recorder.h"
#include "gui/watch/sources.h"
#include "gui/watch/undone_steps.h"

namespace ringside::watch {

struct WatchOptions {
  std::filesystem::path path;  ///< absolute path
  std::filesystem::path runs_dir;
  std::string name;  ///< name of the run, if there is only one; empty: from its files or folder
  bool live = true;  ///< false: the files are complete, and a run ends when they are read
  std::string step = {};      ///< column of steps in tables; empty: recognised by name
  std::size_t most_runs = 0;  ///< maximum number of recorded runs; 0: no limit
};

class Watcher {
 public:
  explicit Watcher(WatchOptions options, const Clock& clock = system_clock());

  /// Reads some of the new bytes. Returns true if more can be read at once. Returns a bad request
  /// if the path holds nothing that can be followed; once a live path is followed, errors of
  /// reading are retried instead.
  Result<bool> poll();

  /// Runs that are being recorded and have not ended, in the order in which they were found. The
  /// pointers stay valid while the Watcher lives.
  std::vector<RunRecorder*> recorded();
  /// All runs that were ever recorded.
  const std::vector<runlog::RunFolder>& folders() const { return folders_; }
  /// Whether every run that was found has ended by itself or was stopped.
  bool over() const;
  /// Number of runs that were found, and how many of them are completely read.
  std::size_t found_runs() const { return runs_.size(); }
  std::size_t ended_runs() const;

  /// All data left out so far, in the order of runs and files; warnings first.
  std::vector<FileNotice> left_out() const;
  /// Why nothing was recorded, with what was found instead.
  std::string why_nothing() const;

  /// Ends a run; nothing more of it is read.
  Result<void> stop(const RunId& id, messages::State state, const std::string& text);
  Result<void> stop_all(messages::State state, const std::string& text);
  /// Deletes the folders of all runs. Must not be called for runs that are served.
  void discard();
  /// Called before a run ends, while its recorder still exists.
  void on_end(std::function<void(RunRecorder&)> call) { on_end_ = std::move(call); }

 private:
  struct File {
    Source source;
    FileTail tail;
    std::optional<std::int32_t> exit_code = {};
    std::vector<LeftOut> left_out = {};
    std::vector<std::uint64_t> told = {};  ///< by index in left_out: the count that was reported
    int misses = 0;                        ///< consecutive searches in which it was missing
  };
  struct Run {
    std::string name;
    std::deque<File> files = {};
    std::optional<Format> format = {};  ///< of the files that its values are read from
    std::string title = {};
    std::string settings = {};
    std::string told_settings = {};
    std::set<std::string> same_as = {};  ///< folders of event files
    std::optional<RunRecorder> recorder = {};
    bool ended = false;
    bool recorded = false;
    std::int64_t changed_ns = 0;      ///< newest modification time of its files
    std::int64_t longest_gap_ns = 0;  ///< between two such times
    std::int64_t look_after_ns = 0;   ///< time of the next check for open files
    bool had_writer = false;
    std::map<std::filesystem::path, UndoneSteps> undone = {};  ///< by folder
    std::vector<FileNotice> left_out = {};  ///< of files that are completely read
  };

  static const Clock& system_clock();
  Result<void> look_for_files();
  void look_for_losses();
  void add_file(Source source);
  Result<bool> read(Run& run);
  Result<bool> read(Run& run, Format format);
  Result<bool> read(Run& run, File& file);
  Result<void> record(Run& run, File& file, Findings& found);
  Result<void> open_recorder(Run& run, const File& file, const Findings& found);
  void find_undone(Run& run);
  bool stands_elsewhere(const Run& run, const File& file);
  void look_for_writer(Run& run);
  static void note_left_out(Run& run, bool last);
  static void close_file(const Run& run, File& file);
  std::string name_of(const Run& run) const;
  Result<void> end_if_over(Run& run);
  Result<void> end(Run& run, messages::State state, const std::string& text);

  WatchOptions options_;
  const Clock& clock_;
  std::int64_t look_after_ns_ = 0;
  bool goes_on_ = false;  ///< was read once, and is live
  std::deque<Run> runs_;
  std::map<std::string, Run*> by_name_;
  std::set<std::filesystem::path> known_;
  std::vector<LeftOut> of_path_;  ///< not of any file
  /// Folders of event files whose values W&B has too, with the names of those values.
  std::map<std::string, std::unordered_set<std::string>> synced_;
  std::vector<runlog::RunFolder> folders_;
  std::function<void(RunRecorder&)> on_end_;
};

}  // namespace ringside::watch
