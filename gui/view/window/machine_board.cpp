#include "gui/view/window/machine_board.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "gui/view/number_format.h"
#include "gui/view/table_cells.h"
#include "gui/view/window/machine_tables.h"
#include "gui/view/window/machine_view.h"
#include "protocol/base/text.h"

namespace ringside::view {
namespace {

std::string hour_text(std::int64_t wall_ns) { return wall_clock_text(wall_ns).substr(0, 8); }

std::string board_name(const BoardMachine& machine) {
  return machine.address.empty() ? label::kThisMachineRuns : short_name(machine.address);
}

std::int64_t free_gpus(const MachineUse& use) {
  return std::ranges::count_if(use.gpus, [](const GpuUse& gpu) { return gpu.used_by.empty(); });
}

std::string free_text(std::int64_t free, std::int64_t all) {
  return count_text(free) + " of " + count_text(all) + " free";
}

/// Lists each user of the GPUs once, then the runs that hold devices.
std::string all_users(const MachineUse& use) {
  std::vector<std::string> users;
  const auto add = [&users](const std::string& user) {
    if (!user.empty() && std::ranges::find(users, user) == users.end()) users.push_back(user);
  };
  for (const GpuUse& gpu : use.gpus) add(gpu.used_by);
  for (const RunUse& run : use.runs) {
    const bool known = std::ranges::any_of(users, [&run](const std::string& user) {
      return user == run.run || user.starts_with(run.run + ",");
    });
    if (run.state == kHasDevices && !known) add(run.run);
  }
  std::string text;
  for (const std::string& user : users) add_listed(text, user);
  return text;
}

Cell gpus_cell(const MachineUse& use) {
  if (!use.gpus.empty()) {
    const std::int64_t free = free_gpus(use);
    const auto all = static_cast<std::int64_t>(use.gpus.size());
    Cell cell{free, free_text(free, all), free > 0 ? Tone::kOk : Tone::kText};
    return cell;
  }
  if (use.gpu_problem.empty()) return {std::int64_t{0}, "none", Tone::kDim};
  Cell cell{std::int64_t{0}, "not seen", Tone::kWarning};
  cell.hint = use.gpu_problem;
  return cell;
}

Cell cores_cell(const MachineUse& use) {
  if (use.cores < 0) return unknown_cell();
  if (use.load < 0) return count_cell(use.cores);
  return {use.cores, "load " + decimal_text(use.load, 1) + " of " + count_text(use.cores)};
}

Cell free_memory_cell(const MachineUse& use) {
  if (use.memory_available_bytes < 0 || use.memory_total_bytes <= 0) return unknown_cell();
  return {use.memory_available_bytes, gib_number(static_cast<double>(use.memory_available_bytes)) +
                                          " of " +
                                          gib_number(static_cast<double>(use.memory_total_bytes))};
}

Cell free_disk_cell(const MachineUse& use) {
  if (use.disk_free_bytes < 0) return unknown_cell();
  return {use.disk_free_bytes, gib_number(static_cast<double>(use.disk_free_bytes))};
}

Cell runs_cell(const MachineUse& use) {
  const auto busy = std::ranges::count(use.runs, kHasDevices, &RunUse::state);
  const auto all = static_cast<std::int64_t>(use.runs.size());
  if (all == 0) return {all, "none", Tone::kDim};
  std::string text = plural(busy, "has devices", "have devices");
  if (busy < all) text += ", " + plural(all - busy, "waits", "wait");
  return {all, text};
}

/// Dims a row whose facts are out of date.
void dim_row(TableRow& row) {
  for (Cell& cell : row.cells)
    if (cell.shape == Shape::kNone) cell.tone = Tone::kDim;
}

TableRow machine_row(const BoardMachine& machine) {
  const StateView state = contact_view(machine);
  Cell contact{state.word, state.word, state.tone};
  contact.shape = state.shape;
  contact.hint = machine.problem;
  TableRow row{machine.address, {text_cell(board_name(machine)), contact}};
  if (!machine.use) {
    row.cells.resize(8, unknown_cell());
    return row;
  }
  const MachineUse& use = *machine.use;
  for (Cell& cell : std::vector<Cell>{gpus_cell(use), word_cell(all_users(use)), cores_cell(use),
                                      free_memory_cell(use), free_disk_cell(use), runs_cell(use)})
    row.cells.push_back(std::move(cell));
  if (machine.stale || !machine.problem.empty()) dim_row(row);
  return row;
}

TableRow partition_row(const BoardMachine& machine, const PartitionUse& one) {
  Cell gpus = one.gpus > 0 ? Cell{one.gpus_free, free_text(one.gpus_free, one.gpus),
                                  one.gpus_free > 0 ? Tone::kOk : Tone::kText}
                           : Cell{std::int64_t{0}, "none", Tone::kDim};
  TableRow row{
      machine.address + " " + one.partition,
      {text_cell(board_name(machine) + " · " + one.partition),
       {one.nodes, "Slurm, " + plural(one.nodes, "node", "nodes"), Tone::kDim},
       std::move(gpus),
       unknown_cell(),
       {one.cores, free_text(one.cores_free, one.cores)},
       unknown_cell(),
       unknown_cell(),
       {one.waiting, one.waiting > 0 ? plural(one.waiting, "job waits", "jobs wait") : "none waits",
        one.waiting > 0 ? Tone::kText : Tone::kDim}}};
  if (machine.stale || !machine.problem.empty()) dim_row(row);
  return row;
}

/// Returns the number of cores that are neither held by our runs nor kept busy by the load of the
/// last minute.
std::int64_t free_cores(const MachineUse& use) {
  const std::int64_t busy = use.load < 0 ? 0 : std::llround(use.load);
  return std::min(use.cpu_slots_free, std::max<std::int64_t>(0, use.cores - busy));
}

/// Returns "3 of 4 GPUs free" if enough are free, else an empty text.
std::string room_in(const MachineUse& use, bool gpus, std::int64_t ranks) {
  const std::int64_t free = gpus ? free_gpus(use) : free_cores(use);
  const std::int64_t all = gpus ? static_cast<std::int64_t>(use.gpus.size()) : use.cores;
  if (all <= 0 || free < ranks) return {};
  return count_text(free) + " of " + count_text(all) + (gpus ? " GPUs free" : " cores free");
}

Sentence first_sentence(const BoardInput& input, const std::optional<FreePlace>& place) {
  const std::string ranks = plural(input.need.ranks, "rank", "ranks");
  const std::string on = input.need.kind == "cuda" ? " on GPUs" : "";
  if (!place)
    return {{"No machine that answers has room for ", Style::kDim},
            {ranks + on, Style::kStrong},
            {" now", Style::kDim}};
  return {{ranks + on, Style::kStrong},
          {input.need.ranks == 1 ? " fits first on " : " fit first on ", Style::kDim},
          {place->why, Style::kStrong}};
}

Sentence told_of(const BoardMachine& machine) {
  if (!machine.problem.empty()) {
    const std::string again =
        machine.watched ? ". Asked again " + std::to_string(machine.retry_s) + " s later." : ".";
    return {{machine.problem + again, Style::kWords}};
  }
  if (machine.use) {
    const std::string& slurm = machine.use->slurm_problem;
    return slurm.empty() ? Sentence() : Sentence{{"Its Slurm does not answer: " + slurm}};
  }
  if (machine.asking) return {{"Asking…", Style::kDim}};
  return {{"Not asked yet: ", Style::kDim}, {"Space", Style::kStrong}, {" asks it", Style::kDim}};
}

}  // namespace

bool is_stale(const BoardMachine& machine, std::int64_t now_wall_ns) {
  constexpr std::int64_t kFreshNs = 120'000'000'000;
  return machine.use && now_wall_ns - machine.answered_wall_ns > kFreshNs;
}

StateView contact_view(const BoardMachine& machine) {
  if (!machine.problem.empty()) {
    const std::string since = hour_text(machine.failed_wall_ns);
    if (machine.use)
      return {"silent, as of " + hour_text(machine.answered_wall_ns), Shape::kStruckRing,
              Tone::kWarning};
    return {"no answer at " + since, Shape::kCross, Tone::kError};
  }
  if (machine.use)
    return {"as of " + hour_text(machine.answered_wall_ns),
            machine.stale ? Shape::kStruckRing : Shape::kDot,
            machine.stale ? Tone::kWarning : Tone::kOk};
  if (machine.asking) return {"asking…", Shape::kRing, Tone::kInfo};
  return {"not asked", Shape::kRing, Tone::kDim};
}

BoardTable board_table(std::span<const BoardMachine> machines) {
  BoardTable board{{"machines", "Machines"}, {}};
  board.table.columns = {left_column("machine", "Machine", 170),
                         left_column("contact", "State", 150),
                         left_column("gpus", "GPUs", 88),
                         left_column("used_by", "Used by", 150, 1),
                         left_column("cores", "Cores", 112),
                         right_column("memory", "Memory free GiB", "", 104, 3),
                         right_column("disk", "Disk free GiB", "", 86, 4),
                         left_column("queue", "Runs and queue", 140, 2)};
  for (const BoardMachine& machine : machines) {
    board.table.rows.push_back(machine_row(machine));
    board.rows.push_back({machine.address, {}, machine.watched});
    if (!machine.use) continue;
    for (const PartitionUse& one : machine.use->partitions) {
      board.table.rows.push_back(partition_row(machine, one));
      board.rows.push_back({machine.address, one.partition, machine.watched});
    }
  }
  return board;
}

std::optional<FreePlace> first_free(std::span<const BoardMachine> machines,
                                    const DeviceNeed& need) {
  for (const bool gpus : {true, false}) {
    if (need.kind == (gpus ? "cpu" : "cuda")) continue;
    for (const BoardMachine& machine : machines) {
      if (!machine.use || machine.stale || !machine.problem.empty()) continue;
      // A run that takes either kind gets GPUs on a machine that has some.
      if (!gpus && need.kind == "auto" && !machine.use->gpus.empty()) continue;
      const std::string room = room_in(*machine.use, gpus, need.ranks);
      if (!room.empty()) return FreePlace{machine.address, board_name(machine) + ": " + room};
    }
  }
  return std::nullopt;
}

BoardView build_board(const BoardInput& input) {
  BoardView view;
  view.board = board_table(input.machines);
  const auto& rows = view.board.table.rows;
  const auto found = std::ranges::find(rows, input.selected, &TableRow::key);
  if (found != rows.end()) view.selected = static_cast<std::size_t>(found - rows.begin());
  if (input.machines.size() == 1)
    view.hint = "Other machines: name them as Host in ~/.ssh/config, or type one (Ctrl M)";
  view.room = first_free(input.machines, input.need);
  view.first = first_sentence(input, view.room);
  if (rows.empty()) return view;
  const std::string& address = view.board.rows[view.selected].address;
  const auto machine = std::ranges::find(input.machines, address, &BoardMachine::address);
  view.title = machine->use ? machine_line(*machine->use) : board_name(*machine);
  view.told = told_of(*machine);
  if (machine->use) view.tables = machine_tables(*machine->use);
  if (view.tables.empty() && view.told.empty())
    view.told = {{"Nothing goes on there now.", Style::kDim}};
  return view;
}

SelectMachine launch_on(const std::string& address, const std::string& partition) {
  return {address, Page::kLaunch, partition};
}

}  // namespace ringside::view
