#include "gui/session/machines/machine_summary.h"

#include <algorithm>
#include <utility>

#include "gui/runs/find_run.h"

namespace ringside::session {
namespace {

/// Adds who uses the device: one of our runs, or another process.
void add_owner(view::DeviceSummary& device, const launch::Gpu& gpu,
               const std::vector<DeviceTicket>& tickets) {
  for (const DeviceTicket& ticket : tickets) {
    const auto& gpus = ticket.wants.gpus;
    if (!ticket.running || std::find(gpus.begin(), gpus.end(), gpu.uuid) == gpus.end()) continue;
    device.used_by = "run " + ticket.run;
    device.takes_turns = true;
    return;
  }
  if (!gpu.pids.empty()) device.used_by = launch::describe_process(gpu.pids.front());
}

}  // namespace

view::MachineSummary summary_of(const launch::HostActivity& around,
                                const std::filesystem::path& runs_dir) {
  const launch::Machine& machine = around.machine;
  view::MachineSummary summary;
  for (const launch::Gpu& gpu : machine.gpus) {
    view::DeviceSummary device;
    device.index = gpu.index;
    device.uuid = gpu.uuid;
    device.name = gpu.name;
    device.memory_used_bytes = gpu.memory_used_bytes;
    device.memory_total_bytes = gpu.memory_total_bytes;
    device.utilisation = gpu.utilisation_pct < 0 ? -1 : gpu.utilisation_pct / 100;
    device.temperature_c = gpu.temperature_c;
    device.power_w = gpu.power_w;
    add_owner(device, gpu, around.tickets);
    device.used_by = runs::name_runs(std::move(device.used_by), runs_dir);
    summary.gpus.push_back(std::move(device));
  }
  for (const launch::Link& link : machine.links)
    summary.links.push_back({link.a, link.b, link.word});
  for (const DeviceTicket& ticket : around.tickets)
    summary.busy_slots += ticket.running ? ticket.wants.cpu_slots : 0;
  summary.cores = machine.cores;
  summary.cpu_name = machine.cpu_name;
  summary.driver = machine.driver;
  return summary;
}

}  // namespace ringside::session
