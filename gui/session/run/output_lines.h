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
  /// When the agent saw the line. Where that was not noted: when it was polled for; for what was
  /// there at the first poll, the time of the newest that was; 0: none was.
  std::int64_t wall_ns = 0;
  Rank rank = 0;
  bool is_error_stream = false;
  std::string text;
};

class OutputLines {
 public:
  explicit OutputLines(runlog::RunFolder folder) : tails_(std::move(folder)) {}

  /// Lines that came since the last call, by their time. A line without its end waits, unless this
  /// is the last call. When much output comes at once, only the newest part of each file.
  std::vector<OutputLine> take(bool last_call);

 private:
  struct Bytes {
    std::uint64_t taken = 0;
    std::uint64_t past = 0;  // there at the first look
  };

  StreamTails tails_;
  std::map<std::filesystem::path, Bytes> files_;
  bool looked_ = false;
};

}  // namespace ringside::session
