#include "trainer/agent/processes/cgroup.h"

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <iostream>

#include "protocol/base/clock.h"
#include "protocol/wire/agent_endpoint.h"
#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"
#include "trainer/agent/processes/process_sweep.h"

using namespace ringside;
namespace fs = std::filesystem;

TEST_CASE("R1: a group is removed with the groups that a helper created in it, without waiting") {
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

TEST_CASE("R1: creating a group removes empty groups whose agent is gone, and no others") {
  const wire::AgentEndpoint self = wire::endpoint_of_this_process();
  const std::string later = ":" + std::to_string(self.agent_start_ticks + 1) + ":" + self.boot_id;
  const auto marker = [&](const char* more) {
    return std::to_string(self.agent_pid) + later + more;
  };
  // The pid of a living process with another start time.
  const fs::path full = agent::make_cgroup(marker(":full"));
  if (full.empty()) {
    std::cout << "SKIPPED: no control group of version 2 can be made here\n";
    return;
  }
  const pid_t helper = ::fork();
  REQUIRE(helper >= 0);
  while (helper == 0) ::pause();
  std::ofstream(full / "cgroup.procs") << helper << std::flush;
  const fs::path empty = agent::make_cgroup(marker(":empty"));
  fs::create_directories(empty / "inner");
  const fs::path foreign = agent::make_cgroup("no-marker:" + std::to_string(::getpid()));
  const fs::path living = agent::make_cgroup(agent::marker_of_this_process() + ":living");
  CHECK_FALSE(fs::exists(empty));
  CHECK(fs::exists(full));
  CHECK(fs::exists(foreign));
  const fs::path next = agent::make_cgroup(agent::marker_of_this_process() + ":next");
  CHECK(fs::exists(living));
  for (const fs::path& group : {full, foreign, living, next}) {
    agent::kill_cgroup(group);
    CHECK_FALSE(fs::exists(group));
  }
  CHECK(::waitpid(helper, nullptr, 0) == helper);
}

TEST_CASE("only control groups are removed, not files") {
  const TempFolder folder;
  folder.write("files/inner/file", "kept");
  agent::kill_cgroup(folder.path() / "files");
  CHECK(fs::exists(folder.path() / "files/inner/file"));
}
