// The functions of the shared library as a C program uses them. There is one connection per
// process, so one test case covers its whole life.
#include "trainer/client/ringside_rank.h"

#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <thread>

#include "protocol/runlog/run_folder.h"
#include "tests/support/catch.h"
#include "tests/trainer/telemetry/test_agent.h"

using namespace ringside;
using telemetry::kTimeoutNs;

namespace {

std::vector<std::byte> notice_body() {
  std::vector<std::byte> bytes;
  // Long text, so that a few records fill the buffers for an agent that does not read.
  const std::string text(2000, 'x');
  messages::append_record(bytes, {}, messages::Notice{messages::Severity::kInfo, "code", text});
  return {bytes.begin() + messages::kRecordHeaderBytes, bytes.end()};
}

ringside_result post_notice(const std::vector<std::byte>& body) {
  return ringside_post(11, ringside_now_ns(), body.data(), body.size());
}

// Checks in the child of a fork; the exit code is the failed check, and a hang ends in SIGALRM.
[[noreturn]] void be_silent(const std::vector<std::byte>& body) {
  ::alarm(20);
  int wrong = 0;
  if (post_notice(body) != RINGSIDE_NOT_CONNECTED) wrong |= 1;
  if (ringside_open() != 0) wrong |= 2;
  if (ringside_stop_request() != 0) wrong |= 4;
  ringside_close(kTimeoutNs);
  ::_exit(wrong);
}

}  // namespace

TEST_CASE(
    "the C functions work before, during and after a run, and in forks while another thread "
    "posts") {
  const auto body = notice_body();
  ::unsetenv("RINGSIDE_RUN_DIR");
  CHECK(ringside_abi() == RINGSIDE_RANK_ABI);
  CHECK(ringside_open() == 0);
  CHECK(std::string(ringside_problem()).empty());
  CHECK(post_notice(body) == RINGSIDE_NOT_CONNECTED);

  telemetry::TestAgent agent;
  std::filesystem::create_directories(runlog::RunFolder(agent.folder.path()).rank_dir(0, 0));
  ::setenv("RINGSIDE_RUN_DIR", agent.folder.path().c_str(), 1);
  ::setenv("RINGSIDE_ATTEMPT", "0", 1);
  ::setenv("RANK", "0", 1);
  REQUIRE(ringside_open() == 1);
  CHECK(ringside_open() == 1);
  CHECK(ringside_post(1234, 0, nullptr, 0) == RINGSIDE_BAD_RECORD);
  CHECK(ringside_post(11, 0, body.data(), body.size() - 1) == RINGSIDE_BAD_RECORD);

  std::atomic<bool> enough{false};
  std::int64_t posted = 0;
  std::int64_t dropped = 0;
  std::thread poster([&] {
    for (; !enough; ++posted) dropped += post_notice(body) == RINGSIDE_POSTED ? 0 : 1;
  });
  int wrong = 0;
  for (int i = 0; i < 20; ++i) {
    const pid_t child = ::fork();
    if (child == 0) be_silent(body);
    int status = -1;
    ::waitpid(child, &status, 0);
    wrong |= status;
  }
  enough = true;
  poster.join();
  CHECK(wrong == 0);

  agent.while_ending([] { ringside_close(kTimeoutNs); });
  ringside_close(kTimeoutNs);
  CHECK(post_notice(body) == RINGSIDE_NOT_CONNECTED);
  CHECK(ringside_open() == 0);
  REQUIRE(agent.goodbye);
  const auto& last = agent.records.body<messages::RankGoodbye>(agent.records.entries.size() - 1);
  CHECK(last.produced == posted + 1);
  CHECK(last.dropped == dropped);
}

TEST_CASE("the library exports only its own names") {
  void* const own = ::dlsym(RTLD_DEFAULT, "ringside_post");
  REQUIRE(own != nullptr);
  Dl_info from{};
  REQUIRE(::dladdr(own, &from) != 0);
  CHECK(std::string(from.dli_fname).ends_with("libringside_rank.so"));
  void* const library = ::dlopen(from.dli_fname, RTLD_NOW | RTLD_NOLOAD);
  REQUIRE(library != nullptr);
  // Looks up a function behind the interface by its mangled name: ringside::mono_now_ns().
  Dl_info other{};
  void* const inner = ::dlsym(library, "_ZN8ringside11mono_now_nsEv");
  const bool shown = inner != nullptr && ::dladdr(inner, &other) != 0 &&
                     std::string(other.dli_fname) == from.dli_fname;
  CHECK_FALSE(shown);
  ::dlclose(library);
}
