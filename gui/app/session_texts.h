// The newest part of what each rank and the agent wrote to their streams, for the log dock. Reads
// files; used by one thread.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "protocol/base/ids.h"
#include "protocol/runlog/run_folder.h"

namespace ringside::app {

struct RankStream {
  Rank rank = kNoRank;  ///< kNoRank: the agent's own log
  bool is_error_stream = false;
  std::string bytes;
  bool begins_inside_line = false;
};

class StreamTails {
 public:
  explicit StreamTails(runlog::RunFolder folder) : folder_(std::move(folder)) {}

  /// Looks for files and for what they gained; true when anything changed.
  bool read();
  std::vector<RankStream> streams() const;

 private:
  struct Tail {
    RankStream stream;
    std::uintmax_t size = 0;
  };
  bool read_file(const std::filesystem::path& path, Rank rank, bool is_error_stream);
  std::filesystem::path newest_attempt() const;

  runlog::RunFolder folder_;
  std::map<std::filesystem::path, Tail> tails_;
};

}  // namespace ringside::app
