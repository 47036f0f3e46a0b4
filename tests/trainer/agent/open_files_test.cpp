#include "trainer/agent/processes/open_files.h"

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>

#include "tests/support/catch.h"

using namespace ringside::agent;

namespace {

// Whether `holds` is true with these limits, in another process, since lowering a limit cannot be
// undone.
bool holds_under(rlim_t soft, rlim_t hard, const std::function<bool()>& holds) {
  const pid_t pid = ::fork();
  REQUIRE(pid >= 0);
  if (pid == 0) {
    const rlimit limit{soft, hard};
    ::_exit(::setrlimit(RLIMIT_NOFILE, &limit) == 0 && holds() ? 0 : 1);
  }
  int status = 0;
  return ::waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

rlim_t limit_now() {
  rlimit limit{};
  return ::getrlimit(RLIMIT_NOFILE, &limit) == 0 ? limit.rlim_cur : 0;
}

}  // namespace

TEST_CASE("more ranks and more runs need more files, and common limits suffice for eight") {
  CHECK(open_files_needed(1, 2) < open_files_needed(1, 3));
  CHECK(open_files_needed(1, 2) < open_files_needed(2, 2));
  CHECK(open_files_needed(2, 8) < 1024);
}

TEST_CASE("the limit on open files is raised only as far as needed") {
  CHECK(holds_under(20, 100, [] { return make_room_for_files(60) && limit_now() == 60; }));
  CHECK(holds_under(80, 100, [] { return make_room_for_files(60) && limit_now() == 80; }));
  CHECK(holds_under(20, 60, [] { return make_room_for_files(60) && limit_now() == 60; }));
}

TEST_CASE("if the system allows too few open files the error has the number needed") {
  CHECK(holds_under(20, 40, [] {
    const auto room = make_room_for_files(60);
    return !room && room.error().kind == ringside::ErrorKind::kRequest && limit_now() == 20 &&
           room.error().message.find("may have 40 files open and needs 60") != std::string::npos;
  }));
}
