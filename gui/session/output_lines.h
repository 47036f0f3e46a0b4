// What the ranks of a run write to their streams, as lines in the order of their time: for a
// terminal that follows. Reads files; used by one thread.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "gui/session/run_texts.h"

namespace ringside::session {

struct OutputLine {
  std::int64_t wall_ns = 0;  ///< when the agent saw it; 0: nobody noted that
  Rank rank = 0;
  bool is_error_stream = false;
  std::string text;
};

class OutputLines {
 public:
  explicit OutputLines(runlog::RunFolder folder) : tails_(std::move(folder)) {}

  /// Lines that came since the last call, by their time. A line without its end waits, unless this
  /// is the last call. Of much output at once only the newest part of each file.
  std::vector<OutputLine> take(bool last_call);

 private:
  StreamTails tails_;
  std::map<std::filesystem::path, std::uint64_t> taken_bytes_;
};

}  // namespace ringside::session
