// Figures of logs on disk, so that a list of thousands of runs opens at once the next time. A help
// only: the folders are the truth, an entry counts while the logs it was made from have the same
// size and time, and a file that is damaged, of another version or gone costs nothing but time.
// Reads and writes one file; any thread.
#pragma once

#include <cstdint>
#include <filesystem>
#include <unordered_map>
#include <vector>

#include "gui/runs/catalogue.h"

namespace ringside::runs {

/// What tells whether a file has changed.
struct FileStamp {
  std::uint64_t size_bytes = 0;
  std::int64_t changed_ns = 0;  ///< 0: the file does not exist
  bool operator==(const FileStamp&) const = default;
};
FileStamp stamp_of(const std::filesystem::path& path);
/// One stamp for the logs of all nodes together.
FileStamp log_stamp(const runlog::RunFolder& folder, const messages::RunSpec& spec);

/// Stamps of a run's own log, of its baseline's, and of what the ranks of its newest attempt could
/// not send, each with the sizes together and the newest time.
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

/// Where the figures of a runs folder are kept: in the user's cache folder; empty without one.
std::filesystem::path figure_file_path(const std::filesystem::path& runs_dir);

/// Empty if the file is missing or cannot be used.
std::unordered_map<RunId, StampedFigures> read_figure_file(const std::filesystem::path& path);

/// What write_figure_file takes of each run; the figures live as long as the call.
struct FiguresToKeep {
  const RunId& id;
  const LogStamps& stamps;
  const RunFigures& figures;
};
Result<void> write_figure_file(const std::filesystem::path& path,
                               const std::vector<FiguresToKeep>& all);

}  // namespace ringside::runs
