#include "gui/view/window/machine_use.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "gui/view/number_format.h"
#include "gui/view/table_cells.h"
#include "protocol/base/text.h"

namespace ringside::view {
namespace {

using Name = std::function<std::string(const RunId&)>;

/// Processes outside of runs that use fewer cores than this are not listed.
constexpr double kBusyCores = 0.05;

/// Returns the GPUs that each process computes on: "0, 2".
std::map<std::int64_t, std::string> gpus_by_process(const launch::Machine& machine) {
  std::map<std::int64_t, std::string> gpus;
  for (const launch::Gpu& gpu : machine.gpus) {
    for (const std::int64_t pid : gpu.pids) add_listed(gpus[pid], std::to_string(gpu.index));
  }
  return gpus;
}

/// Returns the run that holds the GPU, and the users of other processes on it.
std::string users_of(const launch::Gpu& gpu, const std::vector<DeviceTicket>& tickets,
                     const std::vector<ProcessLoad>& processes, const Name& name) {
  std::vector<std::string> users;
  RunId holder;
  for (const DeviceTicket& ticket : tickets) {
    if (ticket.running && std::ranges::count(ticket.wants.gpus, gpu.uuid) > 0) holder = ticket.run;
  }
  if (!holder.empty()) users.push_back(name(holder));
  for (const std::int64_t pid : gpu.pids) {
    const auto known =
        std::ranges::find(processes, pid, [](const ProcessLoad& one) { return one.process.pid; });
    const bool seen = known != processes.end();
    if (seen && !holder.empty() && known->process.run == holder) continue;
    std::string user = seen      ? known->process.user
                       : pid < 0 ? "a process that is not seen here"
                                 : "pid " + std::to_string(pid);
    if (std::ranges::find(users, user) == users.end()) users.push_back(std::move(user));
  }
  std::string text;
  for (const std::string& user : users) add_listed(text, user);
  return text;
}

std::string links_of(const launch::Gpu& gpu, const launch::Machine& machine) {
  std::string text;
  for (const launch::Link& link : machine.links) {
    if (link.a != gpu.index && link.b != gpu.index) continue;
    const int other = link.a == gpu.index ? link.b : link.a;
    add_listed(text, std::to_string(other) + " " + link.word);
  }
  return text;
}

GpuUse gpu_use(const launch::Gpu& gpu, const launch::HostActivity& around,
               const std::vector<ProcessLoad>& processes, const Name& name) {
  return {gpu.index,
          gpu.name,
          gpu.utilisation_pct,
          gpu.memory_used_bytes,
          gpu.memory_total_bytes,
          gpu.temperature_c,
          gpu.power_w,
          users_of(gpu, around.tickets, processes, name),
          links_of(gpu, around.machine),
          gpu.uuid};
}

std::string devices_of(const DeviceWants& wants, const launch::Machine& machine) {
  std::string text;
  for (const std::string& uuid : wants.gpus) {
    const auto gpu = std::ranges::find(machine.gpus, uuid, &launch::Gpu::uuid);
    text += text.empty() ? "GPU " : ", ";
    text += gpu == machine.gpus.end() ? uuid : std::to_string(gpu->index);
  }
  if (wants.cpu_slots > 0) add_listed(text, plural(wants.cpu_slots, "CPU slot", "CPU slots"));
  return text;
}

RunUse run_use(const DeviceTicket& ticket, const launch::Machine& machine, std::int64_t now_wall_ns,
               const Name& name) {
  const double seconds = static_cast<double>(now_wall_ns - ticket.since_wall_ns) * 1e-9;
  return {name(ticket.run), ticket.running ? kHasDevices : kWaitsForDevices, std::max(0.0, seconds),
          devices_of(ticket.wants, machine), ticket.run};
}

std::vector<ProcessUse> process_uses(const std::vector<ProcessLoad>& processes,
                                     const launch::Machine& machine, const Name& name,
                                     std::size_t most) {
  const auto gpus = gpus_by_process(machine);
  std::vector<const ProcessLoad*> shown;
  for (const ProcessLoad& one : processes) {
    if (!one.process.run.empty() || gpus.contains(one.process.pid) || one.cores >= kBusyCores)
      shown.push_back(&one);
  }
  const auto busy = [](const ProcessLoad* one) { return std::isnan(one->cores) ? 0 : one->cores; };
  std::ranges::stable_sort(shown, std::greater<>(), busy);
  shown.resize(std::min(shown.size(), most));
  std::vector<ProcessUse> uses;
  for (const ProcessLoad* one : shown) {
    const launch::ProcessUse& process = one->process;
    const auto on = gpus.find(process.pid);
    uses.push_back({process.pid, process.user, one->cores, process.memory_bytes,
                    on == gpus.end() ? "" : on->second,
                    process.run.empty() ? "" : name(process.run), process.words});
  }
  return uses;
}

}  // namespace

std::vector<ProcessLoad> loads_of(const std::vector<launch::ProcessUse>& before,
                                  std::vector<launch::ProcessUse> now, double seconds) {
  std::map<std::int64_t, std::int64_t> used;
  for (const launch::ProcessUse& process : before) used[process.pid] = process.cpu_ns;
  std::vector<ProcessLoad> loads;
  for (launch::ProcessUse& process : now) {
    const auto earlier = used.find(process.pid);
    // A reused process id belongs to another process, whose CPU time is lower than the earlier
    // one's.
    const bool known = earlier != used.end() && process.cpu_ns >= earlier->second && seconds > 0;
    const double cores =
        known ? static_cast<double>(process.cpu_ns - earlier->second) * 1e-9 / seconds
              : kUnknownNumber;
    loads.push_back({std::move(process), cores});
  }
  return loads;
}

MachineUse machine_use(const launch::HostActivity& around,
                       const std::vector<ProcessLoad>& processes, std::int64_t now_wall_ns,
                       const Name& name, std::size_t most) {
  const launch::Machine& machine = around.machine;
  MachineUse use;
  use.host = machine.host;
  use.cores = use.cpu_slots_free = machine.cores;
  use.memory_available_bytes = machine.memory_available_bytes;
  use.memory_total_bytes = machine.memory_total_bytes;
  if (machine.gpu_expected) use.gpu_problem = machine.driver_problem;
  for (const launch::Gpu& gpu : machine.gpus)
    use.gpus.push_back(gpu_use(gpu, around, processes, name));
  for (const DeviceTicket& ticket : around.tickets) {
    use.runs.push_back(run_use(ticket, machine, now_wall_ns, name));
    if (ticket.running) use.cpu_slots_free -= ticket.wants.cpu_slots;
  }
  use.cpu_slots_free = std::max<std::int64_t>(0, use.cpu_slots_free);
  use.processes = process_uses(processes, machine, name, most);
  return use;
}

}  // namespace ringside::view
