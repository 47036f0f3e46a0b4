#include "trainer/agent/processes/signals.h"

#include <pthread.h>

#include <array>
#include <ctime>

namespace ringside::agent {
namespace {

constexpr std::array<int, 6> kSignals{SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2};

}  // namespace

sigset_t agent_signals() {
  sigset_t set;
  ::sigemptyset(&set);
  for (const int signal : kSignals) ::sigaddset(&set, signal);
  return set;
}

void block_signals() {
  const sigset_t set = agent_signals();
  ::pthread_sigmask(SIG_BLOCK, &set, nullptr);
  std::signal(SIGPIPE, SIG_IGN);
}

void unblock_signals() {
  const sigset_t set = agent_signals();
  ::pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
}

int take_signals() {
  const sigset_t set = agent_signals();
  const timespec now{0, 0};
  int first = 0;
  for (int signal = 0; (signal = ::sigtimedwait(&set, nullptr, &now)) > 0;)
    first = first == 0 ? signal : first;
  return first;
}

}  // namespace ringside::agent
