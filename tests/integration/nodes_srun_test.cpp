// Ranks of our trainer that srun starts on two nodes without an agent: they get Slurm's variables,
// and a hosts file with the name of the first node.
#include <sys/mount.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>

#include "protocol/host/listening.h"
#include "tests/integration/two_networks.h"
#include "tests/support/paths.h"

using namespace ringside;
using namespace ringside::testing;

namespace {

constexpr int kNoMount = 125;

/// Makes only this process read `hosts` as /etc/hosts.
bool put_in_place(const std::string& hosts) {
  return ::unshare(CLONE_NEWNS) == 0 &&
         ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
         ::mount(hosts.c_str(), "/etc/hosts", nullptr, MS_BIND, nullptr) == 0;
}

pid_t start_task(int task, const TempFolder& folder) {
  const pid_t pid = ::fork();
  if (pid != 0) return pid;
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (!put_in_place((folder.path() / "hosts").string())) ::_exit(kNoMount);
  const std::string number = std::to_string(task);
  const std::string output = (folder.path() / ("output_" + number)).string();
  const int out = ::open(output.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  ::dup2(out, 1);
  ::dup2(out, 2);
  for (const auto& [name, value] :
       std::vector<std::pair<std::string, std::string>>{{"SLURM_JOB_ID", "1230077"},
                                                        {"SLURM_STEP_ID", "0"},
                                                        {"SLURM_STEP_NODELIST", "ring[1-2]"},
                                                        {"SLURM_STEP_TASKS_PER_NODE", "1(x2)"},
                                                        {"SLURM_NTASKS", "2"},
                                                        {"SLURM_LOCALID", "0"},
                                                        {"SLURM_PROCID", number},
                                                        {"SLURM_NODEID", number}})
    ::setenv(name.c_str(), value.c_str(), 1);
  const std::string program = (bin_dir() / "ringside-trainer").string();
  const std::string spec = (folder.path() / "spec.toml").string();
  ::execl(program.c_str(), program.c_str(), "--spec", spec.c_str(), nullptr);
  ::_exit(127);
}

/// Ranks that are waited for, or killed.
class Tasks {
 public:
  explicit Tasks(std::vector<pid_t> pids) : pids_(std::move(pids)) {}
  Tasks(const Tasks&) = delete;
  Tasks& operator=(const Tasks&) = delete;
  ~Tasks() {
    for (const pid_t pid : pids_) {
      if (pid <= 0) continue;
      ::kill(pid, SIGKILL);
      ::waitpid(pid, nullptr, 0);
    }
  }
  /// Exit code of a task; nothing while it runs, -1 for a signal.
  std::optional<int> ended(std::size_t task) {
    int status = 0;
    if (pids_[task] <= 0 || ::waitpid(pids_[task], &status, WNOHANG) == 0) return std::nullopt;
    pids_[task] = -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }
  pid_t pid(std::size_t task) const { return pids_[task]; }

 private:
  std::vector<pid_t> pids_;
};

std::string spec_of(const TempFolder& folder) {
  messages::RunSpec spec;
  spec.devices.kind = "cpu";
  spec.devices.world_size = 2;
  spec.devices.threads = 1;
  spec.data.root = folder.path().string();
  spec.data.train_samples = 320;
  spec.data.test_samples = 64;
  spec.train.epochs = 1000;
  return messages::to_toml(spec);
}

}  // namespace

TEST_CASE("S1: the ranks of srun listen where the first node's name points, and on no other port") {
  if (!std::filesystem::exists(bin_dir() / "ringside-trainer")) {
    std::cout << "SKIPPED: ringside-trainer was not built (RINGSIDE_TRAINER is OFF)\n";
    return;
  }
  TwoNetworks networks;
  if (!is_there(networks)) return;
  const TempFolder folder;
  // The file also has node 1's own name, which some distributions write like this.
  folder.write("hosts", "127.0.0.1 localhost\n127.0.1.1 ring1\n10.77.0.1 ring1\n10.77.0.2 ring2\n");
  folder.write("spec.toml", spec_of(folder));
  Tasks tasks({networks.on(0, [&] { return start_task(0, folder); }),
               networks.on(1, [&] { return start_task(1, folder); })});
  std::optional<int> early;
  const auto listening = [&](std::size_t task) { return listeners_of(tasks.pid(task)); };
  const bool met = wait_until(60, [&] {
    early = tasks.ended(0);
    return early || (listening(0).size() >= 3 && listening(1).size() >= 2);
  });
  if (early == kNoMount) {
    std::cout << "SKIPPED: no file can be mounted over /etc/hosts here\n";
    return;
  }
  INFO(text_of(folder.path() / "output_0") << text_of(folder.path() / "output_1"));
  REQUIRE(met);
  REQUIRE_FALSE(early);
  bool store = false;
  for (const std::size_t task : {0U, 1U}) {
    for (const Listener& one : listening(task)) {
      INFO("task " << task << " listens on " << one.address << ":" << one.port);
      CHECK(one.address == (task == 0 ? "10.77.0.1" : "10.77.0.2"));
      store = store || (task == 0 && one.port == 10077);
    }
  }
  CHECK(store);
  for (const std::size_t task : {0U, 1U}) ::kill(tasks.pid(task), SIGTERM);
  for (const std::size_t task : {0U, 1U}) {
    std::optional<int> code;
    CHECK(wait_until(30, [&] { return (code = tasks.ended(task)).has_value(); }));
    CHECK(code == 0);
  }
}
