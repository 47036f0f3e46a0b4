// Cache of the figures of logs, so that a list of thousands of runs opens at once. The folders are
// the truth: an entry is valid while its logs have the same size and time, and a file that is
// damaged, missing or of another version only costs time. Reads and writes one file; any thread.
#pragma once

#include <cstdint>
#include <filesystem>
#include <unordered_map>
#include <vector>

#include "gui/runs/catalogue.h"

namespace ringside::runs {

/// Shows whether a file has changed.
struct FileStamp {
  std::uint64_t size_bytes = 0;
  std::int64_t changed_ns = 0;  ///< 0: the file does not exist
  bool operator==(const FileStamp&) const = default;
};
FileStamp stamp_of(const std::filesystem::path& path);
/// One stamp for the logs of all nodes together.
FileStamp log_stamp(const runlog::RunFolder& folder, const messages::RunSpec& spec);

/// Stamps of a run's own logs, of its baseline's logs, and of the unsent records of its newest
/// attempt; each has the sum of the sizes and the newest time.
struct LogStamps {
  FileStamp log;
  FileStamp baseline;
  FileStamp unsent;
  bool operator==(const LogStamps&) const = default;
};

struct StampedFigures {
  LogStamps stamps;
  RunFigures figures;
};

/// Path of the figure file of a runs folder, in the user's cache folder; empty if there is none.
std::filesystem::path figure_file_path(const std::filesystem::path& runs_dir);

/// Empty if the file is missing or cannot be used.
std::unordered_map<RunId, StampedFigures> read_figure_file(const std::filesystem::path& path);

/// One run for write_figure_file; the figures must outlive the call.
struct FiguresToKeep {
  const RunId& id;
  const LogStamps& stamps;
  const RunFigures& figures;
};
Result<void> write_figure_file(const std::filesystem::path& path,
                               const std::vector<FiguresToKeep>& all);

}  // namespace ringside::runs
