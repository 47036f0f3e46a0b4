// Output of the ranks of a run as lines in the order of their time, for a terminal that follows the
// run. Reads files; used by one thread.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "gui/session/run_texts.h"

namespace ringside::session {

struct OutputLine {
  /// When the agent saw the line. Without marks of the agent: when it was polled; for lines that
  /// existed at the first poll, the newest recorded time; 0: there was none.
  std::int64_t wall_ns = 0;
  Rank rank = 0;
  bool is_error_stream = false;
  std::string text;
};

class OutputLines {
 public:
  explicit OutputLines(runlog::RunFolder folder) : tails_(std::move(folder)) {}

  /// Returns new lines since the last call, ordered by time. An incomplete line waits unless
  /// `last_call`. Only the newest part of each file if there is much output at once.
  std::vector<OutputLine> take(bool last_call);

 private:
  struct Bytes {
    std::uint64_t taken = 0;
    std::uint64_t past = 0;  // bytes that existed at the first poll
  };

  StreamTails tails_;
  std::map<std::filesystem::path, Bytes> files_;
  bool looked_ = false;
};

}  // namespace ringside::session
