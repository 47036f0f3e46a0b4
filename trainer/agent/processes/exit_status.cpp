#include "trainer/agent/processes/exit_status.h"

#include <cstring>

namespace ringside::agent {

std::string signal_name(int signal) {
  const char* name = ::sigabbrev_np(signal);
  return name != nullptr ? "SIG" + std::string(name) : "signal " + std::to_string(signal);
}

std::string describe(const ExitStatus& status) {
  if (status.signal != 0) return "killed by " + signal_name(status.signal);
  if (status.exit_code != 0) return "exit code " + std::to_string(status.exit_code);
  return "ended in order";
}

}  // namespace ringside::agent
