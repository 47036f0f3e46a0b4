#include "gui/view/window/machine_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <utility>

#include "gui/view/table_cells.h"

namespace ringside::view {
namespace {

using Name = std::function<std::string(const RunId&)>;

/// Below this a process of nobody's run is not worth a row.
constexpr double kBusyCores = 0.05;

Cell gib_cell(std::int64_t bytes) {
  return bytes < 0 ? unknown_cell() : Cell{bytes, gib_number(static_cast<double>(bytes))};
}

Cell told_cell(double value, int decimals) {
  return number_cell(value < 0 ? kUnknownNumber : value,
                     [decimals](double v) { return decimal_text(v, decimals); });
}

/// The GPUs that each process computes on: "0, 2".
std::map<std::int64_t, std::string> gpus_by_process(const launch::Machine& machine) {
  std::map<std::int64_t, std::string> gpus;
  for (const launch::Gpu& gpu : machine.gpus) {
    for (const std::int64_t pid : gpu.pids) {
      std::string& text = gpus[pid];
      text += (text.empty() ? "" : ", ") + std::to_string(gpu.index);
    }
  }
  return gpus;
}

/// The run that has the GPU, and the users of processes there that are not of that run.
std::string users_of(const launch::Gpu& gpu, const MachineUse& use, const Name& name) {
  std::vector<std::string> users;
  RunId holder;
  for (const DeviceTicket& ticket : use.around.tickets) {
    if (ticket.running && std::ranges::count(ticket.wants.gpus, gpu.uuid) > 0) holder = ticket.run;
  }
  if (!holder.empty()) users.push_back(name(holder));
  for (const std::int64_t pid : gpu.pids) {
    const auto known = std::ranges::find(use.processes, pid,
                                         [](const ProcessLoad& one) { return one.process.pid; });
    const bool seen = known != use.processes.end();
    if (seen && !holder.empty() && known->process.run == holder) continue;
    std::string user = seen      ? known->process.user
                       : pid < 0 ? "a process that is not seen here"
                                 : "pid " + std::to_string(pid);
    if (std::ranges::find(users, user) == users.end()) users.push_back(std::move(user));
  }
  std::string text;
  for (const std::string& user : users) text += (text.empty() ? "" : ", ") + user;
  return text;
}

Table gpu_table(const MachineUse& use, const Name& name) {
  Table table{"gpus", "GPUs"};
  for (const launch::Gpu& gpu : use.around.machine.gpus) {
    add_entries(
        table, {{number_column("gpu", "GPU"), count_cell(gpu.index)},
                {{"name", "name"}, word_cell(gpu.name)},
                {number_column("utilisation_percent", "busy %"), told_cell(gpu.utilisation_pct, 0)},
                {number_column("memory_used_bytes", "memory GiB"), gib_cell(gpu.memory_used_bytes)},
                {number_column("memory_total_bytes", "of GiB"), gib_cell(gpu.memory_total_bytes)},
                {number_column("temperature_c", "°C"), told_cell(gpu.temperature_c, 0)},
                {number_column("power_w", "W"), told_cell(gpu.power_w, 0)},
                {{"used_by", "used by"}, word_cell(users_of(gpu, use, name))},
                hidden("uuid", gpu.uuid)});
  }
  return table;
}

std::string devices_of(const DeviceWants& wants, const launch::Machine& machine) {
  std::string text;
  for (const std::string& uuid : wants.gpus) {
    const auto gpu = std::ranges::find(machine.gpus, uuid, &launch::Gpu::uuid);
    text += text.empty() ? "GPU " : ", ";
    text += gpu == machine.gpus.end() ? uuid : std::to_string(gpu->index);
  }
  if (wants.cpu_slots > 0)
    text += (text.empty() ? "" : ", ") + plural(wants.cpu_slots, "CPU slot", "CPU slots");
  return text;
}

Table run_table(const MachineUse& use, const Name& name) {
  Table table{"runs", "Runs, in queue order"};
  for (const DeviceTicket& ticket : use.around.tickets) {
    const double seconds = static_cast<double>(use.now_wall_ns - ticket.since_wall_ns) * 1e-9;
    add_entries(table,
                {{{"run", "run"}, word_cell(name(ticket.run))},
                 {{"state", "state"}, text_cell(ticket.running ? "has its devices" : "waits")},
                 {number_column("seconds", "since"),
                  number_cell(std::max(0.0, seconds), rough_duration_text)},
                 {{"devices", "devices"}, word_cell(devices_of(ticket.wants, use.around.machine))},
                 hidden("id", ticket.run)});
  }
  return table;
}

Table process_table(const MachineUse& use, const Name& name, std::size_t most) {
  const auto gpus = gpus_by_process(use.around.machine);
  std::vector<const ProcessLoad*> shown;
  for (const ProcessLoad& one : use.processes) {
    if (!one.process.run.empty() || gpus.contains(one.process.pid) || one.cores >= kBusyCores)
      shown.push_back(&one);
  }
  const auto busy = [](const ProcessLoad* one) { return std::isnan(one->cores) ? 0 : one->cores; };
  std::ranges::stable_sort(shown, std::greater<>(), busy);
  Table table{"processes", "Processes"};
  for (const ProcessLoad* one : shown) {
    if (table.rows.size() == most) break;
    const launch::ProcessUse& process = one->process;
    const auto gpu = gpus.find(process.pid);
    add_entries(
        table,
        {{number_column("pid", "pid"), {process.pid, std::to_string(process.pid)}},
         {{"user", "user"}, word_cell(process.user)},
         {number_column("cores", "cores"),
          number_cell(one->cores, [](double v) { return decimal_text(v, 2); })},
         {number_column("memory_bytes", "memory GiB"), gib_cell(process.memory_bytes)},
         {{"gpus", "GPU"}, gpu == gpus.end() ? unknown_cell() : text_cell(gpu->second)},
         {{"run", "run"}, process.run.empty() ? unknown_cell() : text_cell(name(process.run))},
         {{"command", "command"}, word_cell(process.words)}});
  }
  return table;
}

}  // namespace

std::vector<ProcessLoad> loads_of(const std::vector<launch::ProcessUse>& before,
                                  std::vector<launch::ProcessUse> now, double seconds) {
  std::map<std::int64_t, std::int64_t> used;
  for (const launch::ProcessUse& process : before) used[process.pid] = process.cpu_ns;
  std::vector<ProcessLoad> loads;
  for (launch::ProcessUse& process : now) {
    const auto earlier = used.find(process.pid);
    // A number that comes again belongs to another process, which has used less.
    const bool known = earlier != used.end() && process.cpu_ns >= earlier->second && seconds > 0;
    const double cores =
        known ? static_cast<double>(process.cpu_ns - earlier->second) * 1e-9 / seconds
              : kUnknownNumber;
    loads.push_back({std::move(process), cores});
  }
  return loads;
}

std::string machine_line(const MachineUse& use) {
  const launch::Machine& machine = use.around.machine;
  std::string text = fmt::format("{}: {}, load {}", machine.host,
                                 plural(machine.cores, "core", "cores"), decimal_text(use.load, 1));
  if (machine.memory_total_bytes > 0) {
    text += fmt::format("; {} of {} memory free",
                        gib_number(static_cast<double>(machine.memory_available_bytes)),
                        gib_text(static_cast<double>(machine.memory_total_bytes)));
  }
  return text;
}

std::vector<Table> machine_tables(const MachineUse& use, const Name& name, std::size_t most) {
  std::vector<Table> tables{gpu_table(use, name), run_table(use, name),
                            process_table(use, name, most)};
  std::erase_if(tables, [](const Table& table) { return table.rows.empty(); });
  return tables;
}

}  // namespace ringside::view
