// Agents at the limits of the system, and their reports about ranks that end badly.
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "protocol/runlog/log_reader.h"
#include "tests/integration/agent/agent_rig.h"
#include "tests/support/catch.h"
#include "tests/support/paths.h"

using namespace ringside;
using namespace ringside::testing;
using messages::State;

namespace {

/// Lowers a limit of this process, and of those that it starts, for the time of a test.
class Limit {
 public:
  Limit(__rlimit_resource what, rlim_t most) : what_(what) {
    ::getrlimit(what, &before_);
    const rlimit lower{most, before_.rlim_max};
    ::setrlimit(what, &lower);
  }
  ~Limit() { ::setrlimit(what_, &before_); }
  Limit(const Limit&) = delete;
  Limit& operator=(const Limit&) = delete;

 private:
  __rlimit_resource what_;
  rlimit before_{};
};

// A run whose only rank is a shell that executes `script`.
runlog::RunFolder shell_run(AgentRig& rig, const std::string& script) {
  return rig.make_run(1, {}, [&](messages::RunSpec& spec) {
    spec.program.argv = {"/bin/sh", "-c", script};
  });
}

}  // namespace

TEST_CASE("R12: the last output of a failed rank is quoted, and its file is named") {
  struct Case {
    const char* script;
    const char* verdict;
  };
  for (const Case& one : {
           Case{"printf 'Traceback:\\n  File x\\nValueError: no such digit\\n' >&2; exit 3",
                "rank 0: exit code 3: \"ValueError: no such digit\" (attempt_0/rank_0/stderr)"},
           Case{"echo 'train: error while loading shared libraries: libx.so.1' >&2; exit 127",
                "rank 0: exit code 127: \"train: error while loading shared libraries: libx.so.1\" "
                "(attempt_0/rank_0/stderr)"},
           Case{"printf '  what():  std::bad_alloc\\n\\n' >&2; kill -ABRT $$",
                "rank 0: killed by SIGABRT: \"std::bad_alloc\" (attempt_0/rank_0/stderr)"},
           Case{"printf '\\033[31mred' >&2; exit 1",
                "rank 0: exit code 1: \"red\" (last line of attempt_0/rank_0/stderr)"},
           Case{"echo 'loss is nan, aborting'; exit 1",
                "rank 0: exit code 1: \"loss is nan, aborting\" (attempt_0/rank_0/stdout)"},
           Case{"echo 'warning: nothing to do with it' >&2; kill -KILL $$",
                "rank 0: killed by SIGKILL"},
       }) {
    AgentRig rig;
    const auto run = shell_run(rig, one.script);
    CHECK(rig.run({run}) == 1);
    CHECK(last_state(run, kNoRank)->text == one.verdict);
  }
}

TEST_CASE("R12: a failed allocation under a memory limit is reported in the rank's own words") {
  AgentRig rig;
  const auto run = shell_run(rig, "ulimit -v 200000; exec python3 -c 'x = bytearray(1 << 30)'");
  CHECK(rig.run({run}) == 1);
  const auto text = last_state(run, kNoRank)->text;
  INFO(text);
  CHECK(text.find("MemoryError") != std::string::npos);
}

TEST_CASE("R9: a limit on the size of files is an unwritable log, and does not end the run") {
  AgentRig rig;
  const auto run = rig.make_run(1, {"--steps=4000", "--step-ms=0"});
  pid_t agent = 0;
  {
    const Limit limit(RLIMIT_FSIZE, 64 * 1024);
    agent = rig.start({run});
  }
  const auto ended = rig.wait_exit(agent, 40);
  REQUIRE(ended);
  CHECK(*ended == 0);
  CHECK(std::filesystem::file_size(run.log_path(0)) <= 64 * 1024);
  CHECK_FALSE(std::filesystem::exists(run.agent_path()));
}

TEST_CASE("with few open files allowed, an agent raises the limit as far as it may") {
  AgentRig rig;
  const auto run = rig.make_run(2, {"--steps=5"});
  pid_t agent = 0;
  {
    const Limit limit(RLIMIT_NOFILE, 20);
    agent = rig.start({run});
  }
  const auto ended = rig.wait_exit(agent, 20);
  INFO(text_of(run.agent_log_path()));
  REQUIRE(ended);
  CHECK(*ended == 0);
}

TEST_CASE("with too few open files, the agent says how many it needs, and the run is not started") {
  AgentRig rig;
  const auto run = rig.make_run(2, {"--steps=5"});
  const pid_t agent = ::fork();
  REQUIRE(agent >= 0);
  if (agent == 0) {
    const rlimit few{20, 20};
    const std::string program = (bin_dir() / "ringside-agent").string();
    ::setrlimit(RLIMIT_NOFILE, &few);
    ::execl(program.c_str(), program.c_str(), run.path().c_str(), nullptr);
    ::_exit(126);
  }
  int status = 0;
  REQUIRE(::waitpid(agent, &status, 0) == agent);
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 2);
  const auto state = last_state(run, kNoRank);
  REQUIRE(state);
  CHECK(state->state == State::kFailed);
  INFO(state->text);
  CHECK(state->text.find("not started: the agent may have 20 files open and needs") == 0);
}

TEST_CASE("a killed agent leaves no reserved disk space behind") {
  AgentRig rig;
  const auto run = rig.make_run(1, {"--steps=100000"});
  const pid_t agent = rig.start({run});
  REQUIRE(wait_for_steps(run, 0, 3, 10));
  CHECK(std::filesystem::exists(run.path() / "reserve"));
  ::kill(agent, SIGKILL);
  CHECK(wait_until(5, [&] { return !std::filesystem::exists(run.path() / "reserve"); }));
}

TEST_CASE("a command that follows a queued run prints at once that it waits") {
  struct States final : messages::RecordSink {
    std::vector<State> seen;
    void accept(const messages::Stamp&, const messages::Record& record) override {
      if (const auto* state = std::get_if<messages::RankState>(&record))
        seen.push_back(state->state);
    }
  } states;
  AgentRig rig;
  const auto first = rig.make_run(1, {"--steps=100000"});
  const auto second = rig.make_run(1, {"--steps=5"});
  rig.start({first, second});
  REQUIRE(wait_for_steps(first, 0, 3, 10));
  REQUIRE(std::filesystem::exists(second.agent_path()));
  REQUIRE(runlog::read_log(second.log_path(0), states));
  CHECK(states.seen == std::vector<State>{State::kQueued});
}
