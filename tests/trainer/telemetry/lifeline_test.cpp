#include "trainer/telemetry/lifeline.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <future>

#include "tests/support/catch.h"
#include "tests/support/patience.h"

using ringside::telemetry::Lifeline;

TEST_CASE("a broken lifeline is noticed, an intact one is not") {
  int ends[2];
  REQUIRE(::pipe2(ends, O_CLOEXEC) == 0);
  std::promise<void> broken;
  auto noticed = broken.get_future();
  {
    const Lifeline lifeline(ends[0], [&broken] { broken.set_value(); });
    REQUIRE(::write(ends[1], "x", 1) == 1);
    CHECK(noticed.wait_for(std::chrono::milliseconds(20)) == std::future_status::timeout);
    ::close(ends[1]);
    CHECK(noticed.wait_for(ringside::testing::kPatience) == std::future_status::ready);
  }
  ::close(ends[0]);
}

TEST_CASE("without a pipe nothing is watched, and an intact one does not delay the end") {
  const Lifeline none(-1, [] { FAIL("nothing can break"); });
  int ends[2];
  REQUIRE(::pipe2(ends, O_CLOEXEC) == 0);
  {
    const Lifeline lifeline(ends[0], [] {});
  }
  ::close(ends[0]);
  ::close(ends[1]);
  SUCCEED("returned");
}

TEST_CASE("R1: a descriptor that is no longer a pipe is not a broken lifeline") {
  const int file = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  REQUIRE(file >= 0);
  std::promise<void> broken;
  auto noticed = broken.get_future();
  {
    const Lifeline stale(file, [&broken] { broken.set_value(); });
    CHECK(noticed.wait_for(std::chrono::milliseconds(20)) == std::future_status::timeout);
  }
  ::close(file);
}

TEST_CASE("R1: leaving without the agent ends the whole group") {
  int alive[2];
  REQUIRE(::pipe2(alive, O_CLOEXEC) == 0);
  const pid_t leader = ::fork();
  REQUIRE(leader >= 0);
  if (leader == 0) {
    ::setpgid(0, 0);
    // A helper of the rank that would outlive it and holds the pipe open.
    if (::fork() == 0) {
      while (true) ::pause();
    }
    ringside::telemetry::leave_without_agent();
  }
  ::close(alive[1]);
  int status = 0;
  REQUIRE(::waitpid(leader, &status, 0) == leader);
  CHECK(WIFSIGNALED(status));
  CHECK(WTERMSIG(status) == SIGKILL);
  // End of file: no process of the group is left.
  char byte = 0;
  CHECK(::read(alive[0], &byte, 1) == 0);
  ::close(alive[0]);
}
