// Lines at the bottom of a terminal that are drawn over themselves. Main thread.
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

  /// Lines in place of those before, each cut to the width of the terminal, and all to its height.
  void draw(const std::string& text);
  void clear();
  /// What is drawn stays, and what follows stands below it.
  void leave() { lines_ = 0; }

 private:
  std::string back_to_start() const;

  std::FILE* stream_;
  bool shown_;
  int lines_ = 0;
};

}  // namespace ringside::cli
