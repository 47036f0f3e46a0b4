// An agent and the srun tasks of its node, each a separate process, without Slurm.
#include "trainer/agent/tasks/task_spawner.h"

#include <poll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <optional>
#include <thread>

#include "protocol/base/clock.h"
#include "protocol/host/files.h"
#include "tests/support/catch.h"
#include "tests/support/nobody.h"
#include "tests/support/patience.h"
#include "tests/support/temp_folder.h"
#include "trainer/agent/processes/orphan_reaper.h"
#include "trainer/agent/processes/process_sweep.h"
#include "trainer/agent/processes/signals.h"
#include "trainer/agent/tasks/task_rank.h"
#include "trainer/probe/proc_files.h"

using namespace ringside;
using namespace ringside::agent;
using ringside::testing::kPatienceNs;

namespace {

bool comes_true(const std::function<bool()>& is_so) {
  const std::int64_t deadline_ns = mono_now_ns() + kPatienceNs;
  while (!is_so()) {
    if (mono_now_ns() > deadline_ns) return false;
    std::this_thread::yield();
  }
  return true;
}

class TaskSpawnerRig {
 public:
  TaskSpawnerRig() : marker_(marker_of_this_process() + ":tasks" + std::to_string(++made)) {
    auto reaper = OrphanReaper::start(marker_);
    REQUIRE(reaper);
    reaper_.emplace(std::move(*reaper));
    auto own = PosixSpawner::make(marker_, *reaper_);
    REQUIRE(own);
    own_.emplace(std::move(*own));
  }
  ~TaskSpawnerRig() {
    if (spawner) spawner->leave({0, {}});
    spawner.reset();
    for (const pid_t task : tasks_) {
      ::kill(task, SIGKILL);
      ::waitpid(task, nullptr, 0);
    }
  }

  /// Another task of this node, with its own variable.
  pid_t start_task(int local_rank) {
    const pid_t pid = ::fork();
    if (pid == 0) {
      ::prctl(PR_SET_PDEATHSIG, SIGKILL);
      ::setenv("SLURM_LOCALID", std::to_string(local_rank).c_str(), 1);
      block_signals();
      const auto code = serve_rank(file(), local_rank, [] { return own_place(false); });
      ::_exit(code ? *code : 3);
    }
    tasks_.push_back(pid);
    return pid;
  }

  Result<std::unique_ptr<TaskSpawner>> gathered(int tasks) {
    return TaskSpawner::gather(*own_, file(), tasks, 0);
  }
  void gather(int tasks) {
    auto all = gathered(tasks);
    REQUIRE(all);
    spawner = std::move(*all);
  }

  Spawned start(int local_rank, std::vector<std::string> argv) {
    const auto one = spawner->spawn({std::move(argv),
                                     {"PATH=/usr/bin:/bin", "RINGSIDE_AGENT=" + marker_},
                                     folder.path(),
                                     {},
                                     -1,
                                     local_rank});
    REQUIRE(one);
    return *one;
  }

  void wait(const Spawned& one) const {
    pollfd ended{one.exit_fd, POLLIN, 0};
    REQUIRE(::poll(&ended, 1, static_cast<int>(kPatienceNs / 1'000'000)) == 1);
  }

  /// Exit code, or 128 + signal.
  int end_of(pid_t task) {
    std::erase(tasks_, task);
    int status = 0;
    REQUIRE(comes_true([&] { return ::waitpid(task, &status, WNOHANG) == task; }));
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }

  /// Tasks are children of this process here; under Slurm they are children of srun.
  std::vector<std::int64_t> survivors(const std::vector<pid_t>& leaders) {
    auto found = spawner->survivors(leaders);
    std::erase_if(found, [&](std::int64_t pid) {
      return std::find(tasks_.begin(), tasks_.end(), pid) != tasks_.end();
    });
    return found;
  }

  std::filesystem::path file() const { return folder.path() / "tasks_0"; }

  static inline int made = 0;
  TempFolder folder;
  std::unique_ptr<TaskSpawner> spawner;

 private:
  std::string marker_;
  std::optional<OrphanReaper> reaper_;
  std::optional<PosixSpawner> own_;
  std::vector<pid_t> tasks_;
};

/// A zombie counts as dead: this process may be its reaper and does not reap it.
bool lives(pid_t pid) {
  const auto stat = probe::process_stat("/", pid);
  return stat && stat->state != 'Z';
}

}  // namespace

TEST_CASE("a rank runs in its task, and its exit status is reported") {
  TaskSpawnerRig rig;
  const pid_t task = rig.start_task(1);
  rig.gather(2);
  const auto places = rig.spawner->places();
  REQUIRE(places.size() == 2);
  const auto& environment = places[1].environment;
  CHECK(std::find(environment.begin(), environment.end(), "SLURM_LOCALID=1") != environment.end());
  CHECK_FALSE(places[1].cores.empty());
  const Spawned there = rig.start(1, {"sh", "-c", "echo $PPID; exit 7"});
  rig.wait(there);
  CHECK(rig.spawner->exited(there.pid) == ExitStatus{7, 0});
  CHECK(rig.spawner->exited(there.pid) == ExitStatus{7, 0});
  CHECK(read_text(rig.folder.path() / "stdout") == std::to_string(task) + "\n");
  rig.spawner->reap(there);
  CHECK(comes_true([&] { return !lives(there.pid); }));
  // Started again, as the next attempt does; the first rank of the node is the agent's own child.
  const Spawned again = rig.start(1, {"sh", "-c", "kill -SEGV $$"});
  const Spawned here = rig.start(0, {"sh", "-c", "exit 3"});
  rig.wait(again);
  rig.wait(here);
  CHECK(rig.spawner->exited(again.pid) == ExitStatus{-1, SIGSEGV});
  CHECK(rig.spawner->exited(here.pid) == ExitStatus{3, 0});
  rig.spawner->reap(again);
  rig.spawner->reap(here);
  rig.spawner->leave({0, {}});
  CHECK(rig.end_of(task) == 0);
}

TEST_CASE("the end of a rank that ends at once is noticed") {
  TaskSpawnerRig rig;
  rig.start_task(1);
  rig.gather(2);
  for (int round = 0; round < 50; ++round) {
    const Spawned one = rig.start(1, {"true"});
    rig.wait(one);
    CHECK(comes_true([&] { return rig.spawner->exited(one.pid).has_value(); }));
    rig.spawner->reap(one);
  }
}

TEST_CASE("a failure to start a rank has a reason, and the task stays for another attempt") {
  TaskSpawnerRig rig;
  rig.start_task(1);
  rig.gather(2);
  const auto none = rig.spawner->spawn({{"/no/such/program"}, {}, rig.folder.path(), {}, -1, 1});
  REQUIRE_FALSE(none);
  CHECK(none.error().message.find("/no/such/program") != std::string::npos);
  const Spawned one = rig.start(1, {"true"});
  rig.wait(one);
  rig.spawner->reap(one);
}

TEST_CASE(
    "helpers of a rank in another task are found, even after they left its group and marker") {
  TaskSpawnerRig rig;
  rig.start_task(1);
  rig.gather(2);
  const Spawned rank = rig.start(
      1, {"sh", "-c", "env -i setsid sh -c 'trap \"\" TERM; echo $$; exec sleep 1000' & wait"});
  const auto stdout_path = rig.folder.path() / "stdout";
  REQUIRE(comes_true([&] { return read_text(stdout_path).value_or("").ends_with('\n'); }));
  const auto helper = std::stoll(read_text(stdout_path).value());
  rig.spawner->signal_group(rank.pid, SIGKILL);
  rig.wait(rank);
  CHECK(rig.spawner->exited(rank.pid) == ExitStatus{-1, SIGKILL});
  const std::vector<pid_t> leaders{rank.pid};
  CHECK(comes_true([&] { return rig.survivors(leaders) == std::vector<std::int64_t>{helper}; }));
  rig.spawner->kill(helper);
  CHECK(comes_true([&] { return rig.survivors(leaders).empty(); }));
  rig.spawner->reap(rank);
}

TEST_CASE("a killed task takes its rank with it, and is reported as a killed rank") {
  TaskSpawnerRig rig;
  const pid_t task = rig.start_task(1);
  rig.gather(2);
  const Spawned rank = rig.start(1, {"sleep", "1000"});
  ::kill(task, SIGKILL);
  rig.wait(rank);
  CHECK(rig.spawner->exited(rank.pid) == ExitStatus{-1, SIGKILL});
  CHECK(rig.end_of(task) == 128 + SIGKILL);
  CHECK(comes_true([&] { return !lives(rank.pid); }));
  rig.spawner->reap(rank);
  const auto next = rig.spawner->spawn({{"true"}, {}, rig.folder.path(), {}, -1, 1});
  REQUIRE_FALSE(next);
  CHECK(next.error().message.find("local rank 1") != std::string::npos);
}

TEST_CASE("R1: an agent that is gone ends its tasks, their ranks and what those started") {
  TaskSpawnerRig rig;
  const pid_t task = rig.start_task(1);
  rig.gather(2);
  const Spawned rank = rig.start(1, {"sh", "-c", "sleep 1000 & echo $!; wait"});
  const auto stdout_path = rig.folder.path() / "stdout";
  REQUIRE(comes_true([&] { return read_text(stdout_path).value_or("").ends_with('\n'); }));
  const auto helper = static_cast<pid_t>(std::stoll(read_text(stdout_path).value()));
  rig.spawner.reset();
  ::close(rank.exit_fd);  // the descriptor is that of the connection
  CHECK(rig.end_of(task) == 1);
  CHECK(comes_true([&] { return !lives(rank.pid) && !lives(helper); }));
  CHECK_FALSE(std::filesystem::exists(rig.file()));
}

TEST_CASE("the second of two tasks with the same local rank is refused") {
  TaskSpawnerRig rig;
  const pid_t first = rig.start_task(1);
  Result<std::unique_ptr<TaskSpawner>> gathered = failure("not yet");
  std::thread gathers([&] { gathered = rig.gathered(3); });
  const pid_t second = rig.start_task(1);
  int status = 0;
  pid_t refused = 0;
  REQUIRE(comes_true([&] {
    for (const pid_t task : {first, second}) {
      if (::waitpid(task, &status, WNOHANG) == task) refused = task;
    }
    return refused != 0;
  }));
  CHECK(WEXITSTATUS(status) == 1);
  rig.start_task(2);
  gathers.join();
  REQUIRE(gathered);
  CHECK((*gathered)->places().size() == 3);
  (*gathered)->leave({0, {}});
}

TEST_CASE("S2: a connection of another user is refused unread") {
  int ends[2];
  REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0);
  const auto own = TaskChannel::of(Descriptor(ends[0]));
  REQUIRE(own);
  CHECK(own->peer() == ::getpid());
  ::close(ends[1]);
  if (!testing::can_become_nobody()) return;
  auto listener = TaskListener::open();
  REQUIRE(listener);
  const pid_t other =
      testing::start_as_nobody([&] { return TaskChannel::connect(listener->name()) ? 0 : 1; });
  CHECK_FALSE(listener->accept(kPatienceNs));
  // The other user's process does not accept us as its agent, either.
  CHECK(testing::wait_for_nobody(other) == 1);
}

TEST_CASE("a message with an excessive length is refused before reading it") {
  int ends[2];
  REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends) == 0);
  auto channel = TaskChannel::of(Descriptor(ends[0]));
  REQUIRE(channel);
  CHECK(channel->receive().value() == std::nullopt);
  const unsigned char huge[4] = {0xff, 0xff, 0xff, 0x7f};
  REQUIRE(::write(ends[1], huge, sizeof huge) == 4);
  CHECK_FALSE(channel->receive());
  ::close(ends[1]);
}
