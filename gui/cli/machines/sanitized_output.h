// Sanitizes the output of a command on another machine for this terminal: lines of text and tabs,
// no control sequences, limited length. That machine may send anything. Main thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace ringside::cli {

class SanitizedOutput {
 public:
  /// `most_bytes`: limit, beyond which text is discarded. `tells_repeats`: of a line that repeats,
  /// prints only the first few, then how often it came.
  explicit SanitizedOutput(std::size_t most_bytes, bool tells_repeats = false)
      : most_bytes_(most_bytes), tells_repeats_(tells_repeats) {}

  /// Returns the text that is complete so far.
  std::string take(std::string_view bytes);
  /// Returns the rest, when no more bytes follow.
  std::string finish();
  /// Whether text was discarded because of the limit.
  bool full() const { return full_; }

 private:
  void add_line(std::string& into, std::string_view line);
  std::string told_repeats();

  std::size_t most_bytes_;
  bool tells_repeats_;
  std::string begun_;  ///< the incomplete last line
  std::string last_line_;
  std::size_t repeats_ = 0;  ///< of `last_line_`, consecutively
  std::size_t given_bytes_ = 0;
  bool full_ = false;
};

}  // namespace ringside::cli
