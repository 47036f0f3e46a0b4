// A progress line on a terminal during a download, and permanent lines. Writes to standard error;
// one thread.
#pragma once

#include <cstdint>
#include <string>

namespace ringside::data {

/// "cifar-10-binary.tar.gz  40.0 of 162.2 MiB  25 %  3.1 MiB/s  39 s left". `seconds` is the time
/// since `begin_bytes`; rate and remaining time are left out in the first half second.
std::string progress_line(const std::string& file, std::uint64_t done_bytes,
                          std::uint64_t size_bytes, std::uint64_t begin_bytes, double seconds);

class FetchProgress {
 public:
  explicit FetchProgress(bool on_terminal) : on_terminal_(on_terminal) {}

  /// A permanent line, on a terminal or not.
  void note(const std::string& line);
  /// Updates at most ten times per second, and only on a terminal.
  void update(const std::string& file, std::uint64_t done_bytes, std::uint64_t size_bytes,
              std::int64_t now_ns);
  /// Clears the progress line.
  void finish();

 private:
  bool on_terminal_;
  bool drawn_ = false;
  std::string file_;
  std::uint64_t begin_bytes_ = 0;
  std::int64_t begin_ns_ = 0;
  std::int64_t last_ns_ = 0;
};

}  // namespace ringside::data
