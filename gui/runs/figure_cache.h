// Figures of logs that were read by an earlier window, so that a list of thousands of runs opens at
// once. A cache only: the folders are the truth, an entry counts while the logs it was made from
// have the same size and time, and a file that is damaged, of another version or gone costs nothing
// but time. Used by one thread.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <unordered_map>

#include "gui/runs/catalogue.h"

namespace ringside::runs {

/// What tells whether a file has changed.
struct FileStamp {
  std::uint64_t size_bytes = 0;
  std::int64_t changed_ns = 0;  ///< 0: there is no file
  bool operator==(const FileStamp&) const = default;
};
FileStamp stamp_of(const std::filesystem::path& path);

/// Of a run's own log and of its baseline's.
struct LogStamps {
  FileStamp log;
  FileStamp baseline;
  bool operator==(const LogStamps&) const = default;
};

class FigureCache {
 public:
  /// Where the cache of a runs folder lies: in the user's cache folder; empty without one.
  static std::filesystem::path default_path(const std::filesystem::path& runs_dir);

  /// Empty path: nothing is kept between programs.
  explicit FigureCache(std::filesystem::path path) : path_(std::move(path)) {}

  /// Figures for logs that look like this, or null.
  const RunFigures* find(const RunId& id, const LogStamps& stamps);
  void put(const RunId& id, const LogStamps& stamps, const RunFigures& figures);
  /// Writes what has changed, without the entries of runs that are gone.
  Result<void> save(const std::vector<RunId>& present);

 private:
  struct Entry {
    LogStamps stamps;
    RunFigures figures;
  };
  void load();

  std::filesystem::path path_;
  std::unordered_map<RunId, Entry> entries_;
  bool loaded_ = false;
  bool changed_ = false;
};

}  // namespace ringside::runs
