// The output of a command on another machine, made fit for a terminal here: lines of text and tabs,
// no control sequences, not without end. A machine may send whatever it likes. Main thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace ringside::cli {

class FarText {
 public:
  /// `most_bytes`: what is beyond is left out. `tells_repeats`: where a line comes again and again
  /// only the first ones are given, then how often it came.
  explicit FarText(std::size_t most_bytes, bool tells_repeats = false)
      : most_bytes_(most_bytes), tells_repeats_(tells_repeats) {}

  /// Returns as much of the text as is certain so far.
  std::string take(std::string_view bytes);
  /// Nothing follows: the rest.
  std::string finish();
  /// More came than is given.
  bool full() const { return full_; }

 private:
  void add_line(std::string& into, std::string_view line);
  std::string told_repeats();

  std::size_t most_bytes_;
  bool tells_repeats_;
  std::string begun_;  ///< of the line that is not complete yet
  std::string last_line_;
  std::size_t repeats_ = 0;  ///< of `last_line_`, in a row
  std::size_t given_bytes_ = 0;
  bool full_ = false;
};

}  // namespace ringside::cli
