#include "gui/window/own_priority.h"

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <fstream>
#include <string>
#include <thread>

#include "gui/session/thread_starter.h"
#include "protocol/base/clock.h"
#include "tests/support/catch.h"
#include "tests/support/patience.h"

using namespace ringside;

namespace {

int nice_of_this_thread() { return ::getpriority(PRIO_PROCESS, 0); }

/// In a process of its own, which may not be able to go back: 0 where all threads are as nice as
/// they should be.
int wrong_priorities() {
  const int before = nice_of_this_thread();
  const int lowered = std::max(before, 19);
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

/// As /proc/self/autogroup says, "/autogroup-7 nice 5"; "": this kernel has none.
std::string session_nice() {
  std::string name, word, value;
  std::ifstream("/proc/self/autogroup") >> name >> word >> value;
  return value;
}

/// 0 where a session is as nice as its window if it is the window's own, and as it was if not.
int wrong_sessions() {
  const std::string before = session_nice();
  window::OwnPriority of_another;
  of_another.step_back(true);
  const bool left_alone = session_nice() == before;
  ::setsid();
  const bool may = ::access("/proc/self/autogroup", W_OK) == 0;
  const std::string expected = may ? "19" : session_nice();
  window::OwnPriority priority;
  const auto as_it_should = [&] { return session_nice() == expected; };
  const std::int64_t patience_ns = mono_now_ns() + testing::kPatienceNs;
  do priority.step_back(true);
  while (!as_it_should() && mono_now_ns() < patience_ns);
  const bool lowered = as_it_should();
  return (left_alone ? 0 : 1) + (lowered ? 0 : 2);
}

int ended_with(int (*child_does)()) {
  const pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) ::_exit(child_does());
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  REQUIRE(WIFEXITED(status));
  return WEXITSTATUS(status);
}

}  // namespace

TEST_CASE("a window that steps back is nicer in all threads but those that start ranks") {
  CHECK(ended_with(wrong_priorities) == 0);
}

TEST_CASE("a window that steps back takes a session of its own with it, nobody else's") {
  CHECK(ended_with(wrong_sessions) == 0);
}

TEST_CASE("frames for new data are rare where ranks fill the processors, and by what they take") {
  CHECK(window::data_frame_s(0.2, false) == Approx(1.0 / 30));
  CHECK(window::data_frame_s(0.0001, true) == Approx(1.0 / 30));
  CHECK(window::data_frame_s(0.008, true) == Approx(0.4));
  CHECK(window::data_frame_s(0.2, true) == Approx(1.0));
}
