#include "trainer/agent/cgroup.h"

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <iostream>

#include "protocol/base/clock.h"
#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"

using namespace ringside;
namespace fs = std::filesystem;

TEST_CASE("R1: a group is removed with those that a helper made in it, without a wait") {
  const fs::path group = agent::make_cgroup("cgroup-test:" + std::to_string(::getpid()));
  if (group.empty()) {
    std::cout << "SKIPPED: no control group of version 2 can be made here\n";
    return;
  }
  fs::create_directories(group / "inner/innermost");
  const pid_t helper = ::fork();
  REQUIRE(helper >= 0);
  while (helper == 0) ::pause();
  std::ofstream(group / "inner/innermost/cgroup.procs") << helper << std::flush;
  const std::int64_t begin_ns = mono_now_ns();
  agent::kill_cgroup(group);
  CHECK(mono_now_ns() - begin_ns < 3'000'000'000);
  CHECK_FALSE(fs::exists(group));
  int status = 0;
  if (::waitpid(helper, &status, WNOHANG) == 0) {
    ::kill(helper, SIGKILL);
    ::waitpid(helper, &status, 0);
    FAIL("the helper lives");
  }
  CHECK(WTERMSIG(status) == SIGKILL);
}

TEST_CASE("only groups are removed, no files") {
  const TempFolder folder;
  folder.write("files/inner/file", "kept");
  agent::kill_cgroup(folder.path() / "files");
  CHECK(fs::exists(folder.path() / "files/inner/file"));
}
