// How a process ended, decoded once from the kernel's status, and as text. Pure.
#pragma once

#include <string>

#include "protocol/base/fields.h"

namespace ringside::agent {

struct ExitStatus {
  int exit_code = 0;  ///< -1 when a signal ended it
  int signal = 0;     ///< 0 when it exited by itself
  bool ok() const { return signal == 0 && exit_code == 0; }
  bool operator==(const ExitStatus&) const = default;

  RINGSIDE_FIELDS(exit_code, signal)
};

/// Why an attempt failed: the rank that is named as the cause.
struct Failure {
  bool started = true;  ///< false: its process could not be created
  ExitStatus status;
  std::string text;  ///< one sentence, as displayed
};

/// "SIGKILL"; "signal 40" for a signal without a name.
std::string signal_name(int signal);

/// "exit code 3", "killed by SIGKILL", "ended in order".
std::string describe(const ExitStatus& status);

}  // namespace ringside::agent
