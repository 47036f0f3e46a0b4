// The newest part of the output of each rank and of the agent, for the log dock. Reads files; used
// by one thread.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "gui/view/live/log_view.h"
#include "protocol/base/ids.h"
#include "protocol/runlog/output_times.h"
#include "protocol/runlog/run_folder.h"

namespace ringside::session {

struct RankStream {
  Rank rank = kNoRank;  ///< kNoRank: the agent's own log
  bool is_error_stream = false;
  std::string bytes;
  bool begins_inside_line = false;
  std::filesystem::path file = {};
  std::uint64_t begin = 0;  ///< offset of `bytes` in the file
  runlog::SharedMarks marks =
      {};  ///< when the agent saw each part of the stream; null: not recorded

  std::span<const runlog::OutputMark> seen() const {
    return marks ? std::span(*marks) : std::span<const runlog::OutputMark>();
  }
  /// Returns a view of this text for the log panel.
  view::RankText text() const {
    return {rank, is_error_stream, bytes, begins_inside_line, begin, seen()};
  }
};

class StreamTails {
 public:
  explicit StreamTails(runlog::RunFolder folder);

  /// Reads new files and new bytes; true if anything has changed.
  bool read();
  std::vector<RankStream> streams() const;
  /// Reads eight times as much of the end of each file from now on, up to a limit for all files.
  void read_earlier();
  /// Whether the files contain more than was read, and the limit allows more.
  bool has_earlier() const;

  /// A file of the newest attempt and the rank that wrote it; all such files are searched.
  struct File {
    std::filesystem::path path;
    Rank rank = kNoRank;
  };
  static std::vector<File> files_of(const runlog::RunFolder& folder);

 private:
  struct Tail {
    RankStream stream;
    std::uintmax_t size = 0;
  };
  bool read_marks(const std::filesystem::path& rank_folder);
  bool read_file(const std::filesystem::path& path, Rank rank, bool is_error_stream);

  runlog::RunFolder folder_;
  std::uintmax_t reach_;  ///< bytes read from the end of a file
  std::map<std::filesystem::path, Tail> tails_;
  std::map<std::filesystem::path, runlog::OutputMarks> marks_;  ///< by the folder of the rank
};

}  // namespace ringside::session
