// A command of `ringside` that the helper runs on the remote machine. Its output is read through
// pipes. Used by one thread.
#pragma once

#include <sys/types.h>

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "protocol/base/result.h"

namespace ringside::remote {

/// Starts a program with these arguments, the first of which is its path, and with `ends` as its
/// standard input, output and error. It gets a process group of its own, so that only signals meant
/// for it reach it. Returns -1 with errno if it cannot be started.
pid_t spawn_group(std::vector<std::string>& words, const std::array<int, 3>& ends);

class RemoteProcess {
 public:
  /// Runs `program` with these arguments; its standard input is a file with `input`. No shell.
  static Result<RemoteProcess> start(const std::string& program, std::vector<std::string> words,
                                     const std::string& input);
  RemoteProcess(RemoteProcess&& other) noexcept;
  RemoteProcess& operator=(RemoteProcess&&) = delete;
  RemoteProcess(const RemoteProcess&) = delete;
  RemoteProcess& operator=(const RemoteProcess&) = delete;
  /// Sends SIGHUP to what still runs: a run that was started goes on, everything else ends.
  ~RemoteProcess();

  /// Read ends of its pipes; -1 once they are at their end.
  int output() const { return output_; }
  int errors() const { return errors_; }
  /// The bytes that have arrived on a readable pipe; empty: the pipe is at its end.
  std::string take_output() { return take(output_); }
  std::string take_errors() { return take(errors_); }
  void signal(int number) const;
  /// The exit code once both pipes are at their end, 128 + signal if a signal ended it. Blocks for
  /// it.
  std::optional<int> ended();

 private:
  RemoteProcess(pid_t pid, int output, int errors) : pid_(pid), output_(output), errors_(errors) {}
  static std::string take(int& fd);

  pid_t pid_;
  int output_;
  int errors_;
};

}  // namespace ringside::remote
