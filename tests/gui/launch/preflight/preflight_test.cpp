// Missing and wrong data files, unwritable folders and busy GPUs are reported before a start.
#include "gui/launch/preflight/preflight.h"

#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include "protocol/base/clock.h"
#include "protocol/wire/agent_endpoint.h"
#include "tests/gui/runs/run_on_disk.h"
#include "tests/support/catch.h"
#include "tests/support/patience.h"
#include "tests/support/temp_folder.h"

using namespace ringside;
using launch::Verdict;

namespace {

messages::DataSpec mnist_in(const std::filesystem::path& root) {
  messages::DataSpec data;
  data.name = "mnist";
  data.root = root.string();
  return data;
}

bool has(const launch::Check& check, const std::string& words) {
  return result_text(check).find(words) != std::string::npos;
}

launch::HostActivity two_gpus() {
  launch::HostActivity around;
  around.machine.gpus.resize(2);
  for (int i = 0; i < 2; ++i) {
    auto& gpu = around.machine.gpus[static_cast<std::size_t>(i)];
    gpu.index = i;
    gpu.uuid = "GPU-" + std::to_string(i);
    gpu.memory_total_bytes = 1 << 30;
  }
  around.machine.driver = "580.1";
  around.machine.cuda = "13.0";
  return around;
}

launch::Plan gpu_plan(std::vector<std::string> ids) {
  launch::Plan plan;
  plan.runs.resize(1);
  plan.runs[0].spec.devices.kind = "cuda";
  plan.runs[0].spec.devices.world_size = static_cast<std::int64_t>(ids.size());
  plan.runs[0].spec.devices.ids = std::move(ids);
  return plan;
}

launch::Plan cpu_plan(std::int64_t ranks) {
  launch::Plan plan;
  plan.runs.resize(1);
  plan.runs[0].spec.devices.kind = "cpu";
  plan.runs[0].spec.devices.world_size = ranks;
  return plan;
}

DeviceTicket ticket_on(const std::string& gpu) {
  DeviceTicket ticket;
  ticket.number = 1;
  ticket.run = "20261121T134005Z-7f3a1c";
  ticket.running = true;
  ticket.rank_pids = {4711};
  ticket.wants.gpus = {gpu};
  return ticket;
}

void write_mnist(const TempFolder& folder) {
  for (const auto& [name, size] : {std::pair{"train-images-idx3-ubyte", 47'040'016},
                                   {"train-labels-idx1-ubyte", 60'008},
                                   {"t10k-images-idx3-ubyte", 7'840'016},
                                   {"t10k-labels-idx1-ubyte", 10'008}}) {
    const auto path = std::filesystem::path("MNIST/raw") / name;
    folder.write(path, "");
    std::filesystem::resize_file(folder.path() / path, static_cast<std::uintmax_t>(size));
  }
}

}  // namespace

TEST_CASE("a complete data set passes, plain or compressed") {
  const TempFolder folder;
  write_mnist(folder);
  CHECK(launch::check_data(mnist_in(folder.path())).verdict == Verdict::kPass);
  std::filesystem::remove(folder.path() / "MNIST/raw/train-labels-idx1-ubyte");
  folder.write("MNIST/raw/train-labels-idx1-ubyte.gz", "packed");
  CHECK(launch::check_data(mnist_in(folder.path())).verdict == Verdict::kPass);
}

TEST_CASE("a missing or short data file is reported with what was expected and found") {
  const TempFolder folder;
  write_mnist(folder);
  const auto labels = folder.path() / "MNIST/raw/t10k-labels-idx1-ubyte";
  std::filesystem::resize_file(labels, 10'000);
  const auto shorter = launch::check_data(mnist_in(folder.path()));
  CHECK(shorter.verdict == Verdict::kFail);
  CHECK(shorter.detail.find("t10k-labels-idx1-ubyte has 10000 bytes, expected 10008") !=
        std::string::npos);
  std::filesystem::remove(labels);
  const auto missing = launch::check_data(mnist_in(folder.path()));
  CHECK(missing.verdict == Verdict::kFail);
  CHECK(missing.detail.find("missing") != std::string::npos);
  CHECK(has(missing, "digits"));
  CHECK(missing.command.starts_with("ringside data get mnist --root "));
}

TEST_CASE("generated data needs the set itself or a writable folder, but no files") {
  const TempFolder folder;
  messages::DataSpec data;
  data.name = "shapes";
  data.root = (folder.path() / "not/yet/made").string();
  CHECK(launch::check_data(data).verdict == Verdict::kPass);
  folder.write("file", "in the way");
  data.root = (folder.path() / "file/below").string();
  const auto refused = launch::check_data(data);
  CHECK(refused.verdict == Verdict::kFail);
  CHECK(has(refused, "data.root"));
  CHECK(refused.detail.find("is not a folder") != std::string::npos);
  data.name = "integers";
  CHECK(launch::check_data(data).verdict == Verdict::kPass);
}

TEST_CASE("a published archive of CIFAR can be used without unpacking") {
  const TempFolder folder;
  messages::DataSpec data;
  data.name = "cifar10";
  data.root = folder.path();
  CHECK(launch::check_data(data).verdict == Verdict::kFail);
  folder.write("cifar-10-binary.tar.gz", "");
  CHECK(launch::check_data(data).verdict == Verdict::kFail);
  std::filesystem::resize_file(folder.path() / "cifar-10-binary.tar.gz", 170'052'171);
  CHECK(launch::check_data(data).verdict == Verdict::kPass);
}

TEST_CASE("an image folder needs train, and test or val") {
  const TempFolder folder;
  messages::DataSpec data;
  data.name = "image_folder";
  data.root = folder.path();
  std::filesystem::create_directories(folder.path() / "train/cat");
  const auto missing = launch::check_data(data);
  CHECK(missing.verdict == Verdict::kFail);
  CHECK(missing.detail.find("test (or val)") != std::string::npos);
  std::filesystem::create_directories(folder.path() / "val/cat");
  CHECK(launch::check_data(data).verdict == Verdict::kPass);
}

TEST_CASE("a run folder may be missing, but not a file or on a disk that is too small") {
  const TempFolder folder;
  CHECK(launch::check_folder(folder.path() / "not/yet/made", 1).verdict != Verdict::kFail);
  folder.write("file", "x");
  const auto file = launch::check_folder(folder.path() / "file", 1);
  CHECK(file.verdict == Verdict::kFail);
  CHECK(has(file, "--runs-dir"));
  CHECK(launch::check_folder(folder.path(), ~std::uint64_t{0}).verdict == Verdict::kFail);
}

TEST_CASE("R13: a GPU with other processes on it gives a warning that names the process") {
  auto around = two_gpus();
  around.machine.gpus[1].pids = {999'999'999};
  CHECK(launch::check_devices_free(gpu_plan({"GPU-0"}), around).verdict == Verdict::kPass);
  const auto busy = launch::check_devices_free(gpu_plan({"GPU-1"}), around);
  CHECK(busy.verdict == Verdict::kWarning);
  CHECK(has(busy, "pid 999999999 computes on GPU 1"));
  CHECK(busy.command == "nvidia-smi");
  around.machine.gpus[1].pids = {::getpid()};
  CHECK(has(launch::check_devices_free(gpu_plan({"GPU-1"}), around), std::to_string(::getpid())));
}

TEST_CASE("R13: a GPU that another run has is waited for, shared or refused, as the settings say") {
  auto around = two_gpus();
  around.tickets = {ticket_on("GPU-1")};
  around.machine.gpus[1].pids = {4711};  // its rank is not a foreign process
  auto plan = gpu_plan({"GPU-0", "GPU-1"});
  const auto waits = launch::check_devices_free(plan, around);
  CHECK(waits.verdict == Verdict::kWarning);
  CHECK(has(waits, "will be queued behind run 20261121T134005Z-7f3a1c (rank pid 4711) on GPU 1"));
  plan.runs[0].spec.devices.when_busy = "refuse";
  CHECK(launch::check_devices_free(plan, around).verdict == Verdict::kFail);
  plan.runs[0].spec.devices.when_busy = "share";
  const auto shared = launch::check_devices_free(plan, around);
  CHECK(shared.verdict == Verdict::kWarning);
  CHECK(has(shared, "at the same time"));
  CHECK(launch::check_devices_free(gpu_plan({"GPU-0"}), around).verdict == Verdict::kPass);
  CHECK(has(launch::check_devices_free({}, around), "in use by run 20261121T134005Z-7f3a1c"));
}

TEST_CASE("a file system that stores nothing is refused for that, not for its size") {
  const auto proc = launch::check_folder("/proc/foo", 1);
  CHECK(proc.verdict == Verdict::kFail);
  CHECK(has(proc, "cannot write into /proc"));
  CHECK(has(proc, "--runs-dir"));
}

TEST_CASE("a run on CPU slots waits only if fewer are free than it has ranks") {
  launch::HostActivity around;
  around.machine.cores = 4;
  DeviceTicket ticket = ticket_on("none");
  ticket.wants = {{}, 3};
  around.tickets = {ticket};
  CHECK(launch::check_devices_free(cpu_plan(1), around).verdict == Verdict::kPass);
  const auto waits = launch::check_devices_free(cpu_plan(2), around);
  CHECK(waits.verdict == Verdict::kWarning);
  CHECK(has(waits, "on 3 CPU slots"));
  around.tickets.clear();
  CHECK(launch::check_devices_free(cpu_plan(4), around).detail == "4 of 4 CPU slots wanted");
  const auto crowded = launch::check_devices_free(cpu_plan(5), around);
  CHECK(crowded.verdict == Verdict::kWarning);
  CHECK(has(crowded, "5 ranks on 4 CPU slots share cores"));
  CHECK(has(crowded, "devices.world_size = 4 or less"));
}

TEST_CASE(
    "devices that do not respond, and a driver that is too old, are reported with what to do") {
  launch::Machine none;
  none.driver_problem = "no NVIDIA driver here";
  CHECK(launch::check_devices_alive(cpu_plan(2), none).verdict == Verdict::kPass);
  const auto missing = launch::check_devices_alive(gpu_plan({"GPU-0"}), none);
  CHECK(missing.verdict == Verdict::kFail);
  CHECK(has(missing, "no NVIDIA driver here"));
  auto machine = two_gpus().machine;
  CHECK(launch::check_devices_alive(gpu_plan({"GPU-0"}), machine).verdict == Verdict::kPass);
  machine.gpus[1].memory_total_bytes = -1;
  const auto silent = launch::check_devices_alive(gpu_plan({"GPU-0"}), machine);
  CHECK(silent.verdict == Verdict::kWarning);
  CHECK(silent.command == "nvidia-smi -q -i 1");
  machine.gpus[1].memory_total_bytes = 1;
  machine.cuda = "12.4";
  const auto old = launch::check_devices_alive(gpu_plan({"GPU-0"}), machine);
  CHECK(old.verdict == Verdict::kFail);
  CHECK(has(old, "CUDA up to 12.4, and 13.0 is needed"));
}

TEST_CASE("R13: a process without a pid in this container is reported, unless a run has the GPU") {
  auto around = two_gpus();
  around.machine.gpus[1].pids = {-1};
  const auto foreign = launch::check_devices_free(gpu_plan({"GPU-1"}), around);
  CHECK(foreign.verdict == Verdict::kWarning);
  CHECK(foreign.detail == "a process outside this container computes on GPU 1");
  around.tickets = {ticket_on("GPU-1")};
  CHECK_FALSE(has(launch::check_devices_free({}, around), "outside this container"));
}

TEST_CASE("a GPU that LibTorch was not built for is reported by name before the start") {
  auto machine = two_gpus().machine;
  machine.cuda_code = {"sm_80", "sm_90"};
  machine.gpus[0].capability = "9.0";
  machine.gpus[1].capability = "6.1";
  machine.gpus[1].name = "P40";
  CHECK(launch::check_devices_alive(gpu_plan({"GPU-0"}), machine).verdict == Verdict::kPass);
  CHECK(launch::check_devices_alive(cpu_plan(2), machine).verdict == Verdict::kPass);
  const auto old = launch::check_devices_alive(gpu_plan({"GPU-1"}), machine);
  CHECK(old.verdict == Verdict::kFail);
  CHECK(old.detail ==
        "GPU 1 (P40): compute capability 6.1 is not among what LibTorch was built for (sm_80, "
        "sm_90)");
  // An empty plan is that of `ringside doctor`.
  CHECK(launch::check_devices_alive({}, machine).verdict == Verdict::kWarning);
}

TEST_CASE("a working folder that cannot be entered is reported before the start") {
  const TempFolder temp;
  temp.write("file", "x");
  messages::ProgramSpec program;
  program.argv = {"/bin/sh", "train.sh"};
  program.cwd = temp.path().string();
  CHECK(launch::check_working_folder(program).verdict == Verdict::kPass);
  for (const char* wrong : {"nowhere", "file"}) {
    program.cwd = (temp.path() / wrong).string();
    const auto check = launch::check_working_folder(program);
    CHECK(check.verdict == Verdict::kFail);
    CHECK(has(check, program.cwd));
    CHECK(has(check, "set program.cwd"));
  }
  launch::Plan plan = cpu_plan(1);
  plan.runs[0].spec.program = program;
  CHECK(!launch::refuse_failures(launch::check_files(plan, temp.path())));
  plan.runs[0].spec.program.cwd.clear();  // as in runs from before this setting
  CHECK(launch::refuse_failures(launch::check_files(plan, temp.path())));
}

namespace {

/// Processes whose environment makes them ranks of an agent; the destructor ends them.
class FakeRanks {
 public:
  FakeRanks() = default;
  FakeRanks(const FakeRanks&) = delete;
  FakeRanks& operator=(const FakeRanks&) = delete;
  ~FakeRanks() { end(); }
  void end() {
    for (const pid_t pid : pids_) {
      ::kill(pid, SIGKILL);
      ::waitpid(pid, nullptr, 0);
    }
    pids_.clear();
  }
  pid_t start(const std::string& marker, const std::string& run_dir) {
    const pid_t pid = ::fork();
    if (pid != 0) return pids_.emplace_back(pid);
    std::string agent = "RINGSIDE_AGENT=" + marker;
    std::string folder = "RINGSIDE_RUN_DIR=" + run_dir;
    std::string program = "/bin/sleep";
    std::string seconds = "1000";
    std::array<char*, 3> environment{agent.data(), folder.data(), nullptr};
    std::array<char*, 3> argv{program.data(), seconds.data(), nullptr};
    ::execve(argv[0], argv.data(), environment.data());
    ::_exit(127);
  }

 private:
  std::vector<pid_t> pids_;
};

bool is_orphan(pid_t pid, const std::string& run) {
  for (const auto& one : launch::find_orphans()) {
    if (one.pid == pid && one.run == run && one.program == "sleep") return true;
  }
  return false;
}

bool becomes_orphan(pid_t pid, const std::string& run) {
  const std::int64_t until_ns = mono_now_ns() + testing::kPatienceNs;
  while (mono_now_ns() < until_ns) {
    if (is_orphan(pid, run)) return true;
  }
  return false;
}

}  // namespace

TEST_CASE("R13: a rank whose agent is gone is found by its environment") {
  constexpr const char* kRun = "20261121T134005Z-7f3a1c";
  auto agent = wire::endpoint_of_this_process();
  FakeRanks ranks;
  const pid_t living = ranks.start(wire::marker_of(agent), std::string("/runs/") + kRun);
  ++agent.agent_start_ticks;  // the start time of another process that cannot exist
  const pid_t orphan = ranks.start(wire::marker_of(agent), std::string("/runs/") + kRun);
  CHECK(becomes_orphan(orphan, kRun));
  CHECK_FALSE(is_orphan(living, kRun));
  ranks.end();
  CHECK_FALSE(is_orphan(orphan, kRun));
}

TEST_CASE(
    "R13: a rank is not orphaned while its agent holds the run folder's lock, wherever that runs") {
  const TempFolder temp;
  const runlog::RunFolder folder(temp.path());
  auto agent = support::agent_endpoint_of(folder.id(), false);
  FakeRanks ranks;
  const pid_t rank = ranks.start(wire::marker_of(agent), folder.path().string());
  REQUIRE(becomes_orphan(rank, folder.id()));  // shows that it has become a rank, after exec
  auto lock = std::make_optional(runlog::FolderLock::take(folder).value());
  CHECK_FALSE(is_orphan(rank, folder.id()));
  REQUIRE(wire::write_agent_endpoint(folder.agent_path(), agent));
  CHECK_FALSE(is_orphan(rank, folder.id()));
  // The run is resumed by another agent, which does not manage the old rank.
  ++agent.agent_start_ticks;
  REQUIRE(wire::write_agent_endpoint(folder.agent_path(), agent));
  CHECK(is_orphan(rank, folder.id()));
}

TEST_CASE("this process and its parent, with a rank's environment", "[.looks_at_itself]") {
  REQUIRE(std::getenv("RINGSIDE_AGENT") != nullptr);
  for (const auto& one : launch::find_orphans()) {
    CHECK(one.pid != ::getpid());
    CHECK(one.pid != ::getppid());
  }
}

TEST_CASE("R13: the process that looks for orphans, and its shell, are not orphans") {
  const pid_t shell = ::fork();
  if (shell == 0) {
    std::string agent = "RINGSIDE_AGENT=1:1:stale";
    std::string folder = "RINGSIDE_RUN_DIR=/runs/20261121T134005Z-7f3a1c";
    std::string self = std::filesystem::read_symlink("/proc/self/exe").string();
    std::string program = "/bin/sh";
    std::string option = "-c";
    std::string command = "\"$0\" '[.looks_at_itself]' >/dev/null; exit $?";
    std::array<char*, 3> environment{agent.data(), folder.data(), nullptr};
    std::array<char*, 5> argv{program.data(), option.data(), command.data(), self.data(), nullptr};
    ::execve(argv[0], argv.data(), environment.data());
    ::_exit(127);
  }
  int status = 0;
  REQUIRE(::waitpid(shell, &status, 0) == shell);
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 0);
}

TEST_CASE("orphaned ranks are named with the command that ends them") {
  CHECK(launch::check_orphans({}).verdict == Verdict::kPass);
  const auto left = launch::check_orphans({{4711, "run-a", "python3"}, {4712, "run-a", "python3"}});
  CHECK(left.verdict == Verdict::kWarning);
  CHECK(has(left, "python3 4711 of run run-a"));
  CHECK(left.command == "kill -KILL 4711 4712");
}

TEST_CASE("memory is enough, too little for the ranks, or unknown") {
  launch::Machine machine;
  CHECK(launch::check_memory(cpu_plan(2), machine).verdict == Verdict::kPass);
  machine.memory_total_bytes = 8'000'000'000;
  machine.memory_available_bytes = 1'000'000'000;
  CHECK(launch::check_memory(cpu_plan(2), machine).verdict == Verdict::kPass);
  const auto little = launch::check_memory(cpu_plan(8), machine);
  CHECK(little.verdict == Verdict::kWarning);
  CHECK(has(little, "1.0 GB of 8.0 GB free, and 8 ranks need about 2.4 GB"));
}

TEST_CASE("S2: there are free ports on the loopback address, and ranks can tell who connects") {
  CHECK(launch::check_ports(true).verdict == Verdict::kPass);
  const auto open = launch::check_ports(false);
  CHECK(open.verdict == Verdict::kWarning);
  CHECK(has(open, "any user of this machine can join the ranks"));
  CHECK(open.command == "modprobe tcp_diag");
}

TEST_CASE("a preflight has every check once, also without a run") {
  const TempFolder folder;
  launch::HostActivity around = two_gpus();
  around.orphans = {{4711, "run-a", "python3"}};
  auto plan = cpu_plan(2);
  plan.runs[0].spec.data.root = folder.path().string();
  plan.warnings = {"be careful"};
  const auto titles = [](const std::vector<launch::Check>& checks) {
    std::vector<std::string> list;
    for (const auto& check : checks) list.push_back(check.title);
    return list;
  };
  CHECK(titles(launch::preflight(plan, around, folder.path())) ==
        std::vector<std::string>{launch::titles::kDevicesFree, launch::titles::kDevicesAnswer,
                                 launch::titles::kOrphans, launch::titles::kPorts,
                                 launch::titles::kData, launch::titles::kWeights,
                                 launch::titles::kPrograms, launch::titles::kRunFolder,
                                 launch::titles::kMemory, launch::titles::kPlan});
  CHECK(titles(launch::preflight({}, around, folder.path())) ==
        std::vector<std::string>{launch::titles::kDevicesFree, launch::titles::kDevicesAnswer,
                                 launch::titles::kOrphans, launch::titles::kPorts,
                                 launch::titles::kPrograms, launch::titles::kRunFolder,
                                 launch::titles::kMemory});
}

TEST_CASE("the first failure becomes the error, and warnings do not") {
  CHECK(launch::refuse_failures({{Verdict::kWarning, "a", "b", {}, {}}}));
  const auto refused = launch::refuse_failures(
      {{Verdict::kPass, "a", "b", {}, {}}, {Verdict::kFail, "c", "it is so", "do this", "cmd x"}});
  REQUIRE(!refused);
  CHECK(refused.error().message == "it is so; do this: `cmd x`");
}
