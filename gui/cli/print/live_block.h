// Lines at the bottom of a terminal that are redrawn in place. Main thread.
#pragma once

#include <cstdio>
#include <string>

namespace ringside::cli {

class LiveBlock {
 public:
  /// `shown`: the stream is a terminal; otherwise nothing is drawn.
  LiveBlock(std::FILE* stream, bool shown) : stream_(stream), shown_(shown) {}
  ~LiveBlock() { clear(); }
  LiveBlock(const LiveBlock&) = delete;
  LiveBlock& operator=(const LiveBlock&) = delete;

  /// Replaces the lines, cut to the width and the height of the terminal.
  void draw(const std::string& text);
  void clear();
  /// Leaves the lines as they are; further output follows below them.
  void leave() { lines_ = 0; }

 private:
  std::string back_to_start() const;

  std::FILE* stream_;
  bool shown_;
  int lines_ = 0;
};

}  // namespace ringside::cli
