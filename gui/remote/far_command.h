// A command of `ringside` that the helper on the far machine runs for somebody elsewhere. Its
// output comes through pipes. Used by one thread.
#pragma once

#include <sys/types.h>

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "protocol/base/result.h"

namespace ringside::remote {

/// Starts a program with these words, the first of which is its path, and with `ends` as its
/// standard input, output and errors. Its process group is its own, so that only signals meant for
/// it reach it. -1 with errno where it cannot be started.
pid_t spawn_group(std::vector<std::string>& words, const std::array<int, 3>& ends);

class FarCommand {
 public:
  /// Runs `program` with these words; its standard input is a file that holds `input`. No shell.
  static Result<FarCommand> start(const std::string& program, std::vector<std::string> words,
                                  const std::string& input);
  FarCommand(FarCommand&& other) noexcept;
  FarCommand& operator=(FarCommand&&) = delete;
  FarCommand(const FarCommand&) = delete;
  FarCommand& operator=(const FarCommand&) = delete;
  /// What still runs hears that its terminal is gone: a run that was started goes on, all else
  /// ends.
  ~FarCommand();

  /// Ends of its pipes; -1 once they have ended.
  int output() const { return output_; }
  int errors() const { return errors_; }
  /// What has arrived on one of them, which is readable; empty: it has ended.
  std::string take_output() { return take(output_); }
  std::string take_errors() { return take(errors_); }
  void signal(int number) const;
  /// The exit code when both have ended, 128 + signal when one ended it. Waits for it.
  std::optional<int> ended();

 private:
  FarCommand(pid_t pid, int output, int errors) : pid_(pid), output_(output), errors_(errors) {}
  static std::string take(int& fd);

  pid_t pid_;
  int output_;
  int errors_;
};

}  // namespace ringside::remote
