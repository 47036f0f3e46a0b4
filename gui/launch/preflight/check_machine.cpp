// Checks of devices, ports, memory and other processes on them.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "gui/launch/preflight/preflight.h"
#include "protocol/base/text.h"
#include "protocol/host/platform.h"

namespace ringside::launch {
namespace {

// Memory of a rank with a small model and a generated set, measured as 0.15 GB; data and optimizer
// state come on top.
constexpr std::int64_t kRankBytes = 300'000'000;
// CUDA version that LibTorch 2.11 and 2.15 are built for.
constexpr int kCudaMajor = 13;

bool wants_gpus(const Plan& plan) {
  return !plan.runs.empty() && plan.runs.back().spec.devices.kind == "cuda";
}

/// Maximum number of processes at a time.
std::int64_t ranks_of(const Plan& plan) {
  std::int64_t most = 0;
  for (const PlannedRun& run : plan.runs)
    most = std::max<std::int64_t>(most, messages::process_count(run.spec));
  return most;
}

std::string gpu_name(const Machine& machine, const std::string& uuid) {
  for (const Gpu& gpu : machine.gpus) {
    if (gpu.uuid == uuid) return "GPU " + std::to_string(gpu.index);
  }
  return uuid;
}

DeviceWants wants_of(const Plan& plan) {
  DeviceWants wants;
  if (wants_gpus(plan)) {
    wants.gpus = plan.runs.back().spec.devices.ids;
  } else {
    wants.cpu_slots = ranks_of(plan);
  }
  return wants;
}

/// Whether a run that has a ticket computes on the GPU.
bool is_held(const std::vector<DeviceTicket>& tickets, const std::string& gpu) {
  return std::ranges::any_of(tickets, [&](const DeviceTicket& ticket) {
    const auto& gpus = ticket.wants.gpus;
    return ticket.running && std::ranges::find(gpus, gpu) != gpus.end();
  });
}

/// Names processes that compute on the plan's GPUs, or on any GPU for a plan without runs, without
/// the ranks of runs that have a ticket.
std::string foreign_processes(const Plan& plan, const HostActivity& around) {
  const auto wants = wants_of(plan);
  std::string text;
  const auto add = [&text](const std::string& process, const Gpu& gpu) {
    text += (text.empty() ? "" : "; ") + process + " computes on GPU " + std::to_string(gpu.index);
  };
  for (const Gpu& gpu : around.machine.gpus) {
    const bool wanted = std::ranges::find(wants.gpus, gpu.uuid) != wants.gpus.end();
    if (!wanted && !plan.runs.empty()) continue;
    for (const std::int64_t pid : gpu.pids) {
      if (pid < 0) {
        if (!is_held(around.tickets, gpu.uuid)) add("a process outside this container", gpu);
        continue;
      }
      const bool ours = std::ranges::any_of(around.tickets, [pid](const DeviceTicket& ticket) {
        return std::ranges::find(ticket.rank_pids, pid) != ticket.rank_pids.end();
      });
      if (ours) continue;
      add(describe_process(pid), gpu);
    }
  }
  return text;
}

Check behind_others(const Plan& plan, const std::string& wait) {
  constexpr const char* kTitle = titles::kDevicesFree;
  const std::string& when_busy = plan.runs.back().spec.devices.when_busy;
  if (when_busy == "share") {
    return {Verdict::kWarning,
            kTitle,
            "this run would compute at the same time as others: " + wait,
            "its times will mean little; devices.when_busy = \"wait\" queues it instead",
            {}};
  }
  if (when_busy == "refuse") {
    return {Verdict::kFail,
            kTitle,
            "devices.when_busy = \"refuse\", and this run would wait " + wait,
            "leave that out, and it is queued",
            {}};
  }
  return {Verdict::kWarning,
          kTitle,
          "this run will be queued " + wait,
          "`ringside stop RUN` removes it from the queue",
          {}};
}

/// The first GPU of the plan, or of all GPUs for a plan without runs, that no rank can compute on,
/// with the reason.
std::string unusable_gpu(const Plan& plan, const Machine& machine) {
  const auto wants = wants_of(plan);
  const auto spec = plan.runs.empty() ? messages::RunSpec() : plan.runs.back().spec;
  for (const Gpu& gpu : machine.gpus) {
    const bool wanted = std::ranges::find(wants.gpus, gpu.uuid) != wants.gpus.end();
    if (!wanted && !plan.runs.empty()) continue;
    const std::string why = unusable(gpu, machine, spec);
    if (!why.empty()) return "GPU " + std::to_string(gpu.index) + " (" + gpu.name + "): " + why;
  }
  return {};
}

int major_of(const std::string& version) {
  int major = 0;
  for (const char c : version) {
    if (c < '0' || c > '9') break;
    major = 10 * major + (c - '0');
  }
  return major;
}

}  // namespace

std::string gigabytes_text(std::uint64_t bytes) {
  return std::to_string(bytes / 1'000'000'000) + "." + std::to_string(bytes / 100'000'000 % 10) +
         " GB";
}

Check check_devices_free(const Plan& plan, const HostActivity& around) {
  constexpr const char* kTitle = titles::kDevicesFree;
  DeviceTicket mine;
  mine.number = ~std::uint64_t{0};
  mine.wants = wants_of(plan);
  const auto name = [&](const std::string& uuid) { return gpu_name(around.machine, uuid); };
  const auto ahead = ahead_of(mine, around.tickets, around.machine.cores);
  if (!plan.runs.empty() && !ahead.empty())
    return behind_others(plan, describe_wait(mine.wants, ahead, name));
  if (const std::string foreign = foreign_processes(plan, around); !foreign.empty()) {
    return {Verdict::kWarning, kTitle, foreign,
            "times will be worse than they could be; choose another GPU, or look what it is",
            "nvidia-smi"};
  }
  const auto slots = static_cast<std::int64_t>(around.machine.cores);
  if (!plan.runs.empty() && mine.wants.cpu_slots > slots) {
    return {
        Verdict::kWarning,
        kTitle,
        std::to_string(mine.wants.cpu_slots) + " ranks on " + std::to_string(slots) +
            (slots == 1 ? " CPU slot" : " CPU slots") +
            " share cores: more ranks will not make this run faster, and its speedup means little",
        "set devices.world_size = " + std::to_string(slots) + " or less",
        {}};
  }
  if (!plan.runs.empty()) {
    return {Verdict::kPass,
            kTitle,
            wants_gpus(plan) ? "no other process on " + std::to_string(mine.wants.gpus.size()) +
                                   (mine.wants.gpus.size() == 1 ? " GPU" : " GPUs")
                             : std::to_string(mine.wants.cpu_slots) + " of " +
                                   std::to_string(around.machine.cores) + " CPU slots wanted",
            {},
            {}};
  }
  std::string busy;
  for (const auto& ticket : around.tickets)
    busy += (busy.empty() ? "run " : ", run ") + ticket.run + (ticket.running ? "" : " (waits)");
  return {
      Verdict::kPass, kTitle, busy.empty() ? "not used by any run" : "in use by " + busy, {}, {}};
}

Check check_devices_alive(const Plan& plan, const Machine& machine) {
  constexpr const char* kTitle = titles::kDevicesAnswer;
  const bool gpus = wants_gpus(plan);
  if (gpus && machine.gpus.empty()) {
    return {Verdict::kFail, kTitle,
            machine.driver_problem.empty() ? "this machine has no GPU" : machine.driver_problem,
            "use devices.kind = \"cpu\", or check the driver", "nvidia-smi"};
  }
  for (const Gpu& gpu : machine.gpus) {
    if (gpu.memory_total_bytes > 0) continue;
    return {Verdict::kWarning, kTitle,
            "GPU " + std::to_string(gpu.index) + " does not report its memory",
            "a failed GPU often responds again after a reboot; inspect it",
            "nvidia-smi -q -i " + std::to_string(gpu.index)};
  }
  if (!machine.gpus.empty() && major_of(machine.cuda) > 0 && major_of(machine.cuda) < kCudaMajor) {
    return {gpus ? Verdict::kFail : Verdict::kWarning,
            kTitle,
            "driver " + machine.driver + " supports CUDA up to " + machine.cuda + ", and " +
                std::to_string(kCudaMajor) + ".0 is needed",
            "install driver 580 or newer",
            {}};
  }
  if (std::string why = unusable_gpu(plan, machine); !why.empty()) {
    return {gpus ? Verdict::kFail : Verdict::kWarning, kTitle, std::move(why),
            "choose another GPU or devices.kind = \"cpu\", or install a LibTorch built for it",
            "nvidia-smi --query-gpu=name,compute_cap --format=csv"};
  }
  if (!machine.gpus.empty()) {
    return {Verdict::kPass,
            kTitle,
            std::to_string(machine.gpus.size()) + (machine.gpus.size() == 1 ? " GPU" : " GPUs") +
                ", driver " + machine.driver + ", CUDA up to " + machine.cuda,
            {},
            {}};
  }
  return {Verdict::kPass,
          kTitle,
          std::to_string(machine.cores) + (machine.cores == 1 ? " CPU slot" : " CPU slots") +
              ", no GPU",
          {},
          {}};
}

Check check_orphans(const std::vector<Orphan>& orphans) {
  constexpr const char* kTitle = titles::kOrphans;
  if (orphans.empty()) return {Verdict::kPass, kTitle, "every rank has its agent", {}, {}};
  std::string text;
  std::string pids;
  for (const Orphan& orphan : orphans) {
    add_listed(text, orphan.program + " " + std::to_string(orphan.pid) + " of run " + orphan.run);
    pids += " " + std::to_string(orphan.pid);
  }
  return {Verdict::kWarning, kTitle, "the agent is gone of " + text,
          "they hold memory and devices; kill them", "kill -KILL" + pids};
}

Check check_ports(bool knows_peer_owners) {
  constexpr const char* kTitle = titles::kPorts;
  const int fd = open_socket(AF_INET, SOCK_STREAM);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const bool bound =
      fd >= 0 && ::bind(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  const int error = errno;
  if (fd >= 0) ::close(fd);
  if (bound && !knows_peer_owners) {
    return {
        Verdict::kWarning, kTitle,
        "127.0.0.1 has free ports, but the kernel does not tell whose a connection is: any user "
        "of this machine can join the ranks",
        "its module for that is missing", "modprobe tcp_diag"};
  }
  if (bound)
    return {Verdict::kPass, kTitle, "127.0.0.1 has free ports; each run takes its own", {}, {}};
  return {Verdict::kFail, kTitle,
          std::string("127.0.0.1 has no free port: ") + std::strerror(error),
          "end programs with many connections, or bring the loopback interface up",
          "ip link set lo up"};
}

Check check_memory(const Plan& plan, const Machine& machine) {
  constexpr const char* kTitle = titles::kMemory;
  if (machine.memory_available_bytes < 0)
    return {Verdict::kPass, kTitle, "free memory is not known", {}, {}};
  const auto free_bytes = static_cast<std::uint64_t>(machine.memory_available_bytes);
  const std::string found = gigabytes_text(free_bytes) + " of " +
                            gigabytes_text(static_cast<std::uint64_t>(
                                std::max<std::int64_t>(0, machine.memory_total_bytes))) +
                            " free";
  const std::int64_t ranks = std::max<std::int64_t>(1, ranks_of(plan));
  if (machine.memory_available_bytes >= ranks * kRankBytes)
    return {Verdict::kPass, kTitle, found, {}, {}};
  return {Verdict::kWarning, kTitle,
          found + ", and " + std::to_string(ranks) + (ranks == 1 ? " rank needs" : " ranks need") +
              " about " + gigabytes_text(static_cast<std::uint64_t>(ranks * kRankBytes)),
          "use fewer ranks, or see what uses it", "ps aux --sort=-rss | head"};
}

}  // namespace ringside::launch
