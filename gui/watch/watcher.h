// Follows all that a path holds: looks for files that come, reads on in those that are known, and
// records each run that it finds. Nothing is written where the files are. `ringside watch` does it
// until it is stopped, `ringside import` once. Used by one thread.
#pragma once

#include <cstdint>
#include <deque>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "gui/watch/file_tail.h"
#include "gui/watch/run_recorder.h"
#include "gui/watch/sources.h"

namespace ringside::watch {

struct WatchOptions {
  std::filesystem::path path;  ///< whole
  std::filesystem::path runs_dir;
  std::string name;  ///< of the run, where there is but one; empty: as its files or folder say
  bool live = true;  ///< false: the files are complete
};

class Watcher {
 public:
  /// More runs than that are not meant to be followed.
  static constexpr std::size_t kMostRuns = 64;

  explicit Watcher(WatchOptions options, const Clock& clock = system_clock());

  /// Reads some of what is new. True: there is more to read at once. A bad request when a file is
  /// damaged, or the path holds what cannot be followed; once a live path is followed that ends the
  /// run of the file alone, and a look that fails is made again.
  Result<bool> poll();
  /// What was wrong with the first file that ended its run so.
  const std::optional<Error>& problem() const { return problem_; }

  /// Those that are recorded and go on, in the order in which they were found; they stay where they
  /// are while the Watcher lives.
  std::vector<RunRecorder*> recorded();
  /// All that was ever recorded.
  const std::vector<runlog::RunFolder>& folders() const { return folders_; }
  /// Whether every run that was found has ended by itself or was stopped.
  bool over() const;

  /// Nothing more of this run is taken.
  Result<void> stop(const RunId& id, messages::State state, const std::string& text);
  Result<void> stop_all(messages::State state, const std::string& text);
  /// As if it had never been: the folders of all runs are taken away. Not for those that are
  /// served.
  void discard();
  /// Called before a run ends, while its recorder is still there.
  void on_end(std::function<void(RunRecorder&)> call) { on_end_ = std::move(call); }

 private:
  struct File {
    Source source;
    FileTail tail;
    std::optional<std::int32_t> exit_code;
  };
  struct Run {
    std::string name;
    std::deque<File> files;
    std::string title;
    std::optional<RunRecorder> recorder;
    bool ended = false;
  };

  static const Clock& system_clock();
  Result<void> look_for_files();
  Result<bool> read(Run& run);
  Result<bool> read(Run& run, File& file);
  Result<void> record(Run& run, const File& file, const Findings& found);
  std::string name_of(const Run& run) const;
  Result<void> end_if_over(Run& run);
  Result<void> end(Run& run, messages::State state, const std::string& text);

  WatchOptions options_;
  const Clock& clock_;
  std::int64_t looked_ns_ = 0;
  bool goes_on_ = false;  ///< was read once, and is live
  std::optional<Error> problem_;
  std::deque<Run> runs_;
  std::set<std::filesystem::path> known_;
  std::vector<runlog::RunFolder> folders_;
  std::function<void(RunRecorder&)> on_end_;
};

}  // namespace ringside::watch
