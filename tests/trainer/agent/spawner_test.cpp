// Tests the real spawner with small real programs.
#include "trainer/agent/processes/spawner.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <iostream>
#include <sstream>

#include "protocol/base/clock.h"
#include "tests/support/catch.h"
#include "tests/support/patience.h"
#include "tests/support/temp_folder.h"
#include "trainer/agent/processes/orphan_reaper.h"
#include "trainer/agent/processes/process_sweep.h"
#include "trainer/agent/processes/reserved_port.h"
#include "trainer/probe/proc_files.h"

using namespace ringside;
using namespace ringside::agent;

namespace {

struct SpawnerRig {
  SpawnerRig() : marker(marker_of_this_process() + ":" + std::to_string(++made)) {
    auto started = OrphanReaper::start(marker);
    REQUIRE(started);
    reaper.emplace(std::move(*started));
    auto posix = PosixSpawner::make(marker, *reaper);
    REQUIRE(posix);
    spawner.emplace(std::move(*posix));
  }
  ~SpawnerRig() {
    for (const Spawned& one : spawned) {
      spawner->signal_group(one.pid, SIGKILL);
      wait(one);
      spawner->reap(one);
    }
  }
  Spawned start(std::vector<std::string> argv, const std::string& variable = "A=1") {
    const auto one = spawner->spawn({std::move(argv),
                                     {"PATH=/usr/bin:/bin", "RINGSIDE_AGENT=" + marker, variable},
                                     folder.path()});
    REQUIRE(one);
    spawned.push_back(*one);
    return *one;
  }
  // Waits on the descriptor that the loop polls.
  void wait(const Spawned& one) const {
    pollfd ended{one.exit_fd, POLLIN, 0};
    REQUIRE(::poll(&ended, 1, static_cast<int>(testing::kPatienceNs / 1'000'000)) == 1);
  }
  std::string text(const char* name) const {
    std::ifstream stream(folder.path() / name);
    std::ostringstream all;
    all << stream.rdbuf();
    return all.str();
  }

  static inline int made = 0;
  TempFolder folder;
  std::string marker;
  std::optional<OrphanReaper> reaper;
  std::optional<PosixSpawner> spawner;
  std::vector<Spawned> spawned;
};

}  // namespace

TEST_CASE("standard input is empty, or a terminal on request") {
  SpawnerRig rig;
  rig.wait(rig.start({"sh", "-c", "test -t 0 && echo terminal; cat; echo end"}));
  CHECK(rig.text("stdout") == "end\n");
  rig.wait(rig.start({"sh", "-c", "stty size; for i in 1 2 3 4 5 6 7 8 9; do cat; done; echo end"},
                     "RINGSIDE_TTY=1"));
  CHECK(rig.text("stdout") == "end\n24 80\nend\n");
  CHECK(rig.text("stderr").empty());
}

TEST_CASE("a rank runs on the CPUs that it was given, and the spawner's own stay") {
  const auto before = cpus_of_process();
  REQUIRE_FALSE(before.empty());
  SpawnerRig rig;
  const auto one = rig.spawner->spawn({{"sh", "-c", "grep Cpus_allowed_list /proc/self/status"},
                                       {"PATH=/usr/bin:/bin", "RINGSIDE_AGENT=" + rig.marker},
                                       rig.folder.path(),
                                       {},
                                       -1,
                                       0,
                                       {before.back()}});
  REQUIRE(one);
  rig.wait(*one);
  rig.spawner->reap(*one);
  CHECK(rig.text("stdout") == "Cpus_allowed_list:\t" + std::to_string(before.back()) + "\n");
  CHECK(cpus_of_process() == before);
}

TEST_CASE("exit codes and signals are reported unchanged") {
  SpawnerRig rig;
  const Spawned code = rig.start({"sh", "-c", "exit 7"});
  rig.wait(code);
  CHECK(rig.spawner->exited(code.pid) == ExitStatus{7, 0});
  CHECK(rig.spawner->exited(code.pid) == ExitStatus{7, 0});  // querying does not reap
  const Spawned signal = rig.start({"sh", "-c", "kill -SEGV $$"});
  rig.wait(signal);
  CHECK(rig.spawner->exited(signal.pid) == ExitStatus{-1, SIGSEGV});
  const Spawned lives = rig.start({"sleep", "1000"});
  CHECK_FALSE(rig.spawner->exited(lives.pid));
}

TEST_CASE("a rank has its own output files, empty input and its own process group") {
  SpawnerRig rig;
  const Spawned one =
      rig.start({"sh", "-c", "echo out; echo err >&2; cat; ps -o pgid= -p $$ 2>/dev/null || true"});
  CHECK(::getpgid(one.pid) == one.pid);
  rig.wait(one);
  CHECK(rig.text("stdout").starts_with("out\n"));
  CHECK(rig.text("stderr").find("err\n") == 0);
}

TEST_CASE("a program runs in the requested folder, and is looked up from there") {
  SpawnerRig rig;
  std::filesystem::create_directories(rig.folder.path() / "sub");
  // A folder of that name earlier in PATH is not a program.
  std::filesystem::create_directories(rig.folder.path() / "front" / "say");
  const std::string path = "PATH=" + (rig.folder.path() / "front").string() + ":.:/usr/bin:/bin";
  const auto program = rig.folder.path() / "sub" / "say";
  std::ofstream(program) << "#!/bin/sh\npwd\n";
  std::filesystem::permissions(program, std::filesystem::perms::owner_all);
  for (const std::string name : {"./say", "say"}) {  // as a path, and looked up in PATH
    const auto one = rig.spawner->spawn({{name},
                                         {path, "RINGSIDE_AGENT=" + rig.marker},
                                         rig.folder.path(),
                                         rig.folder.path() / "sub"});
    REQUIRE(one);
    rig.spawned.push_back(*one);
    rig.wait(*one);
  }
  const std::string there = std::filesystem::canonical(rig.folder.path() / "sub").string() + "\n";
  CHECK(rig.text("stdout") == there + there);
  const auto refused = rig.spawner->spawn(
      {{"true"}, {"PATH=/usr/bin:/bin"}, rig.folder.path(), rig.folder.path() / "nowhere"});
  REQUIRE(!refused);
  CHECK(refused.error().message.find((rig.folder.path() / "nowhere").string()) !=
        std::string::npos);
}

TEST_CASE("a rank inherits only the lifeline descriptor, and no blocked or ignored signal") {
  // Without close-on-exec, as careless callers leave descriptors, under an unused number.
  const int leaked = ::fcntl(0, F_DUPFD, 30);
  std::signal(SIGPIPE, SIG_IGN);
  SpawnerRig rig;
  const Spawned one =
      rig.start({"sh", "-c", "echo $RINGSIDE_LIFELINE_FD; cat /proc/self/status; ls /proc/$$/fd"});
  rig.wait(one);
  ::close(leaked);
  std::signal(SIGPIPE, SIG_DFL);
  const std::string text = rig.text("stdout");
  CHECK(text.starts_with("3\n"));
  CHECK(text.find("SigBlk:\t0000000000000000") != std::string::npos);
  CHECK(text.find("SigIgn:\t0000000000000a00") != std::string::npos);  // USR1 and USR2
  const std::string fds = text.substr(text.rfind('\t'));
  CHECK(fds.find("\n0\n1\n") != std::string::npos);
  CHECK(fds.find("\n3\n") != std::string::npos);
  CHECK(fds.find("\n4\n") == std::string::npos);
  CHECK(fds.find("\n" + std::to_string(leaked) + "\n") == std::string::npos);
}

TEST_CASE("S2: a rank inherits a listening socket under the documented descriptor") {
  auto port = ReservedPort::take();
  REQUIRE(port);
  REQUIRE(port->open());
  SpawnerRig rig;
  const auto one = rig.spawner->spawn(
      {{"sh", "-c", "echo $RINGSIDE_LISTEN_FD; readlink /proc/$$/fd/4; ls /proc/$$/fd"},
       {"PATH=/usr/bin:/bin"},
       rig.folder.path(),
       {},
       port->listener()});
  REQUIRE(one);
  rig.spawned.push_back(*one);
  rig.wait(*one);
  const std::string socket =
      std::filesystem::read_symlink("/proc/self/fd/" + std::to_string(port->listener())).string();
  CHECK(rig.text("stdout").starts_with("4\n" + socket + "\n"));
  CHECK(rig.text("stdout").find("\n5\n") == std::string::npos);
}

TEST_CASE("descriptors that the agent inherited are not passed on") {
  SpawnerRig rig;
  const auto one =
      rig.spawner->spawn({{"sh", "-c", "cat /proc/$$/environ | tr '\\0' '\\n'"},
                          {"PATH=/usr/bin:/bin", "RINGSIDE_LIFELINE_FD=7", "RINGSIDE_LISTEN_FD=8"},
                          rig.folder.path()});
  REQUIRE(one);
  rig.spawned.push_back(*one);
  rig.wait(*one);
  CHECK(rig.text("stdout").find("RINGSIDE_LISTEN_FD") == std::string::npos);
  CHECK(rig.text("stdout").find("RINGSIDE_LIFELINE_FD=7") == std::string::npos);
  CHECK(rig.text("stdout").find("RINGSIDE_LIFELINE_FD=3") != std::string::npos);
}

TEST_CASE("a program that cannot be run is an error with its name, and leaves no process") {
  SpawnerRig rig;
  TempFolder folder;
  const auto missing = rig.spawner->spawn({{"/no/such/program"}, {}, folder.path()});
  REQUIRE_FALSE(missing);
  CHECK(missing.error().message.find("/no/such/program") != std::string::npos);
  const auto in_path = rig.spawner->spawn({{"no-such-program-anywhere"}, {}, folder.path()});
  REQUIRE_FALSE(in_path);
  CHECK(in_path.error().message.find("PATH") != std::string::npos);
  const auto nowhere = rig.spawner->spawn({{"true"}, {}, folder.path() / "missing"});
  REQUIRE_FALSE(nowhere);
  CHECK(find_processes({}, rig.marker).empty());
}

TEST_CASE("survivors are found in the group, in another session, and as orphans") {
  SpawnerRig rig;
  const Spawned one = rig.start({"sh", "-c", "sleep 1000 & setsid sleep 1000 & echo ready"});
  rig.wait(one);
  const std::vector<pid_t> leaders{one.pid};
  const auto found = rig.spawner->survivors(leaders);
  CHECK(found.size() == 2);
  for (std::int64_t pid : found) rig.spawner->kill(pid);
  const auto deadline = mono_now_ns() + testing::kPatienceNs;
  while (!rig.spawner->survivors(leaders).empty() && mono_now_ns() < deadline) {
  }
  CHECK(rig.spawner->survivors(leaders).empty());
  rig.spawner->reap_orphans(leaders);
  for (std::int64_t pid : found) CHECK_FALSE(probe::process_stat("/", pid));
}

TEST_CASE("R1: a helper that cleared its environment and left its group is found") {
  SpawnerRig rig;
  const Spawned one = rig.start({"sh", "-c", "env -i setsid sleep 1000 & echo ready"});
  rig.wait(one);
  const std::vector<pid_t> leaders{one.pid};
  const auto found = rig.spawner->survivors(leaders);
  REQUIRE(found.size() == 1);
  rig.spawner->kill(found[0]);
  const auto deadline = mono_now_ns() + testing::kPatienceNs;
  while (!rig.spawner->survivors(leaders).empty() && mono_now_ns() < deadline) {
  }
  rig.spawner->reap_orphans(leaders);
  CHECK_FALSE(probe::process_stat("/", found[0]));
}

TEST_CASE("R1: a survivor is found at any time, even during exec") {
  SpawnerRig rig;
  // Leaves the group and then repeatedly replaces itself.
  const std::string again = "exec sh -c \"$0\" \"$0\"";
  const Spawned one = rig.start({"setsid", "-f", "sh", "-c", again, again});
  rig.wait(one);
  const std::vector<pid_t> leaders{one.pid};
  int missed = 0;
  for (int look = 0; look < 300; ++look) missed += rig.spawner->survivors(leaders).empty() ? 1 : 0;
  CHECK(missed == 0);
  for (std::int64_t pid : rig.spawner->survivors(leaders)) rig.spawner->kill(pid);
  const auto deadline = mono_now_ns() + testing::kPatienceNs;
  while (!rig.spawner->survivors(leaders).empty() && mono_now_ns() < deadline) {
  }
  CHECK(rig.spawner->survivors(leaders).empty());
}

TEST_CASE("R1: the reaper kills groups and marked processes when its agent vanishes") {
  TempFolder folder;
  const std::string marker = "reaper-test:" + std::to_string(::getpid());
  int ready[2];
  REQUIRE(::pipe(ready) == 0);
  const pid_t agent = ::fork();
  REQUIRE(agent >= 0);
  if (agent == 0) {
    auto reaper = OrphanReaper::start(marker);
    auto spawner = PosixSpawner::make(marker, *reaper);
    const auto one =
        spawner->spawn({{"sh", "-c", "trap '' TERM; setsid sleep 1000 & sleep 1000 & wait"},
                        {"PATH=/usr/bin:/bin", "RINGSIDE_AGENT=" + marker},
                        folder.path()});
    while (spawner->survivors(std::vector<pid_t>{one->pid}).size() < 3) {
    }
    [[maybe_unused]] const ssize_t told = ::write(ready[1], "x", 1);
    ::raise(SIGKILL);
  }
  char letter = 0;
  REQUIRE(::read(ready[0], &letter, 1) == 1);
  const auto deadline = mono_now_ns() + testing::kPatienceNs;
  while (!find_processes({}, marker).empty() && mono_now_ns() < deadline) {
  }
  CHECK(find_processes({}, marker).empty());
  ::close(ready[0]);
  ::close(ready[1]);
}

TEST_CASE("R1: a helper without the marker, group or session of its rank dies with the agent") {
  const std::string marker = "cgroup-test:" + std::to_string(::getpid());
  TempFolder folder;
  int ready[2];
  REQUIRE(::pipe(ready) == 0);
  const pid_t agent = ::fork();
  REQUIRE(agent >= 0);
  if (agent == 0) {
    auto reaper = OrphanReaper::start(marker);
    auto spawner = PosixSpawner::make(marker, *reaper);
    // The helper's parent is alive, so the helper was not adopted.
    const auto one =
        spawner->spawn({{"sh", "-c", "env -i setsid sh -c 'echo $$; exec sleep 1000' & wait"},
                        {"PATH=/usr/bin:/bin", "RINGSIDE_AGENT=" + marker},
                        folder.path()});
    std::int64_t helper = reaper->cgroup().empty() ? -1 : 0;
    const auto until_ns = mono_now_ns() + testing::kPatienceNs;
    while (helper == 0 && mono_now_ns() < until_ns)
      std::ifstream(folder.path() / "stdout") >> helper;
    [[maybe_unused]] const ssize_t told = ::write(ready[1], &helper, sizeof helper);
    ::raise(SIGKILL);
  }
  std::int64_t helper = 0;
  REQUIRE(::read(ready[0], &helper, sizeof helper) == sizeof helper);
  REQUIRE(helper != 0);
  const auto lives = [&] {
    const auto stat = probe::process_stat("/", helper);
    return stat && stat->state != 'Z';
  };
  const auto deadline = mono_now_ns() + testing::kPatienceNs;
  while (lives() && mono_now_ns() < deadline) {
  }
  if (helper < 0) std::cout << "SKIPPED: no control group of version 2 can be made here\n";
  CHECK_FALSE(lives());
  if (helper > 0 && lives()) ::kill(static_cast<pid_t>(helper), SIGKILL);
  ::close(ready[0]);
  ::close(ready[1]);
}

TEST_CASE("R1: adopted processes die with the agent, even if the reaper was killed before") {
  TempFolder folder;
  const std::string marker = "adopter-test:" + std::to_string(::getpid());
  int ready[2];
  REQUIRE(::pipe(ready) == 0);
  const pid_t agent = ::fork();
  REQUIRE(agent >= 0);
  if (agent == 0) {
    std::signal(SIGPIPE, SIG_IGN);
    auto reaper = OrphanReaper::start(marker);
    auto spawner = PosixSpawner::make(marker, *reaper);
    ::kill(reaper->pid(), SIGKILL);
    while (spawner->check_processes().empty()) {
    }
    const auto one = spawner->spawn({{"sh", "-c", "env -i setsid sleep 1000 & exit 0"},
                                     {"PATH=/usr/bin:/bin", "RINGSIDE_AGENT=" + marker},
                                     folder.path()});
    std::vector<std::int64_t> found;
    const std::vector<pid_t> leaders{one->pid};
    while (!spawner->exited(one->pid) || found.size() != 1 ||
           ::getpgid(static_cast<pid_t>(found[0])) != found[0])
      found = spawner->survivors(leaders);
    spawner->check_processes();
    [[maybe_unused]] const ssize_t told = ::write(ready[1], found.data(), sizeof found[0]);
    ::raise(SIGKILL);
  }
  std::int64_t helper = 0;
  REQUIRE(::read(ready[0], &helper, sizeof helper) == sizeof helper);
  const auto lives = [&] {
    const auto stat = probe::process_stat("/", helper);
    return stat && stat->state != 'Z';
  };
  const auto deadline = mono_now_ns() + testing::kPatienceNs;
  while (lives() && mono_now_ns() < deadline) {
  }
  CHECK_FALSE(lives());
  ::close(ready[0]);
  ::close(ready[1]);
}

TEST_CASE("reserved ports are on loopback, differ, and can be listened on with SO_REUSEADDR") {
  const auto one = ReservedPort::take();
  const auto two = ReservedPort::take();
  REQUIRE(one);
  REQUIRE(two);
  CHECK(one->port() > 1023);
  CHECK(one->port() != two->port());
}
