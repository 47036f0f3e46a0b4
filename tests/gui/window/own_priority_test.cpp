#include "gui/window/own_priority.h"

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <thread>

#include "gui/session/thread_starter.h"
#include "tests/support/catch.h"

using namespace ringside;

namespace {

int nice_of_this_thread() { return ::getpriority(PRIO_PROCESS, 0); }

/// In a process of its own, which may not be able to go back: 0 where all threads are as nice as
/// they should be.
int wrong_priorities() {
  const int before = nice_of_this_thread();
  const int lowered = std::max(before, 10);
  session::ThreadStarter starter;
  starter.start([] {}).join();  // it has its name
  std::atomic<bool> stepped = false;
  std::atomic<int> other = -100;
  std::thread drawing([&] {
    while (!stepped) std::this_thread::yield();
    other = nice_of_this_thread();
  });
  window::OwnPriority priority;
  priority.step_back(true);
  stepped = true;
  drawing.join();
  std::atomic<int> job = -100;
  starter.start([&job] { job = nice_of_this_thread(); }).join();
  return (nice_of_this_thread() == lowered ? 0 : 1) + (other == lowered ? 0 : 2) +
         (job == before ? 0 : 4);
}

}  // namespace

TEST_CASE("a window that steps back is nicer in all threads but those that start ranks") {
  const pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) ::_exit(wrong_priorities());
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  REQUIRE(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 0);
}
