#include "gui/view/window/machine_tables.h"

#include <fmt/format.h>

#include "gui/view/table_cells.h"

namespace ringside::view {
namespace {

Cell gib_cell(std::int64_t bytes) {
  return bytes < 0 ? unknown_cell() : Cell{bytes, gib_number(static_cast<double>(bytes))};
}

Cell told_cell(double value, int decimals) {
  return number_cell(value < 0 ? kUnknownNumber : value,
                     [decimals](double v) { return decimal_text(v, decimals); });
}

/// Returns the column with a width in pixels for the window; it is hidden early if `drop_order` is
/// high.
TableColumn sized(TableColumn column, float width, int drop_order = 0) {
  column.width = width;
  column.drop_order = drop_order;
  return column;
}

Table gpu_table(const MachineUse& use) {
  Table table{"gpus", "GPUs"};
  for (const GpuUse& gpu : use.gpus) {
    add_entries(table, {{sized(number_column("gpu", "GPU"), 34), count_cell(gpu.gpu)},
                        {sized({"name", "Name"}, 110, 3), word_cell(gpu.name)},
                        {sized(number_column("utilisation_percent", "Busy %"), 46),
                         told_cell(gpu.utilisation_percent, 0)},
                        {sized(number_column("memory_used_bytes", "Memory GiB"), 74),
                         gib_cell(gpu.memory_used_bytes)},
                        {sized(number_column("memory_total_bytes", "Of GiB"), 46, 2),
                         gib_cell(gpu.memory_total_bytes)},
                        {sized(number_column("temperature_c", "°C"), 32, 6),
                         told_cell(gpu.temperature_c, 0)},
                        {sized(number_column("power_w", "W"), 36, 5), told_cell(gpu.power_w, 0)},
                        {sized({"used_by", "Used by"}, 100), word_cell(gpu.used_by)},
                        {sized({"links", "Links"}, 100, 4), word_cell(gpu.links)},
                        hidden("uuid", gpu.uuid)});
  }
  return table;
}

Table run_table(const MachineUse& use) {
  Table table{"queue", "Runs, in queue order"};
  for (const RunUse& run : use.runs) {
    add_entries(table,
                {{sized({"run", "Run"}, 90), word_cell(run.run)},
                 {sized({"state", "State"}, 100), word_cell(run.state)},
                 {sized(number_column("seconds", "Since"), 70),
                  number_cell(run.seconds < 0 ? kUnknownNumber : run.seconds, rough_duration_text)},
                 {sized({"devices", "Devices"}, 140), word_cell(run.devices)},
                 hidden("id", run.id)});
  }
  return table;
}

Table partition_table(const MachineUse& use) {
  Table table{"partitions", "Partitions of Slurm"};
  for (const PartitionUse& one : use.partitions) {
    add_entries(table,
                {{sized({"partition", "Partition"}, 110), word_cell(one.partition)},
                 {sized(number_column("nodes", "Nodes"), 50), count_cell(one.nodes)},
                 {sized(number_column("gpus_free", "GPUs free"), 66), count_cell(one.gpus_free)},
                 {sized(number_column("gpus", "Of"), 40), count_cell(one.gpus)},
                 {sized(number_column("cores_free", "Cores free"), 70), count_cell(one.cores_free)},
                 {sized(number_column("cores", "Of"), 50), count_cell(one.cores)},
                 {sized(number_column("waiting", "Jobs that wait"), 90), count_cell(one.waiting)}});
  }
  return table;
}

/// The command without the folders of its program, so that a narrow column shows its name.
std::string named_command(const std::string& command) {
  const std::size_t folders = command.substr(0, command.find(' ')).rfind('/');
  return folders == command.npos ? command : command.substr(folders + 1);
}

Table process_table(const MachineUse& use) {
  Table table{"processes", "Processes"};
  for (const ProcessUse& process : use.processes) {
    add_entries(
        table,
        {{sized(number_column("pid", "PID"), 60), {process.pid, std::to_string(process.pid)}},
         {sized({"user", "User"}, 80), word_cell(process.user)},
         {sized(number_column("cores", "Cores"), 44), told_cell(process.cores, 2)},
         {sized(number_column("memory_bytes", "Memory GiB"), 74, 2),
          gib_cell(process.memory_bytes)},
         {sized({"gpus", "GPU"}, 40), word_cell(process.gpus)},
         {sized({"run", "Run"}, 80, 3), word_cell(process.run)},
         {sized({"command", "Command"}, 200, 1), word_cell(named_command(process.command))}});
  }
  return table;
}

}  // namespace

std::string machine_line(const MachineUse& use) {
  std::string text = use.host + ":";
  if (use.cores > 0) text += " " + plural(use.cores, "core", "cores");
  if (use.load >= 0) text += ", load " + decimal_text(use.load, 1);
  if (use.memory_total_bytes > 0 && use.memory_available_bytes >= 0) {
    text += fmt::format("; {} of {} memory free",
                        gib_number(static_cast<double>(use.memory_available_bytes)),
                        gib_text(static_cast<double>(use.memory_total_bytes)));
  }
  if (use.disk_free_bytes >= 0)
    text += "; " + gib_text(static_cast<double>(use.disk_free_bytes)) + " disk free";
  return text;
}

std::vector<Table> machine_tables(const MachineUse& use) {
  std::vector<Table> tables{gpu_table(use), run_table(use), partition_table(use),
                            process_table(use)};
  std::erase_if(tables, [](const Table& table) { return table.rows.empty(); });
  return tables;
}

}  // namespace ringside::view
