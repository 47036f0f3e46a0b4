// `ringside top`: who uses this machine now, drawn anew every two seconds.
#include <cstdlib>

#include "gui/cli/commands.h"
#include "gui/cli/interrupts.h"
#include "gui/cli/print/live_block.h"
#include "gui/cli/print/table_print.h"
#include "gui/cli/print/terminal.h"
#include "gui/runs/find_run.h"
#include "gui/view/window/machine_tables.h"
#include "protocol/base/clock.h"

namespace ringside::cli {
namespace {

constexpr std::int64_t kLookEveryNs = 2'000'000'000;
constexpr std::int64_t kFirstLookNs = 500'000'000;  ///< until there is something to compare with
constexpr std::int64_t kPauseNs = 100'000'000;
constexpr std::size_t kMostProcesses = 1000;

struct TopOptions : CommonOptions {
  bool once = false;
};

/// Looks again and again; what a process uses is told from the second look on.
class Looks {
 public:
  Looks() : before_(launch::read_processes()), before_ns_(mono_now_ns()) {}

  Result<view::MachineUse> look(const launch::Cancelled& cancelled) {
    auto machine = RINGSIDE_TRY(launch::read_machine(cancelled));
    view::MachineUse use;
    use.around = launch::look_around(std::move(machine));
    auto now = launch::read_processes();
    const std::int64_t now_ns = mono_now_ns();
    use.processes = view::loads_of(before_, now, static_cast<double>(now_ns - before_ns_) * 1e-9);
    before_ = std::move(now);
    before_ns_ = now_ns;
    ::getloadavg(&use.load, 1);
    use.now_wall_ns = SystemClock().wall_ns();
    return use;
  }

 private:
  std::vector<launch::ProcessUse> before_;
  std::int64_t before_ns_;
};

void wait(std::int64_t ns, const Interrupts& interrupts) {
  for (const std::int64_t end_ns = mono_now_ns() + ns; !interrupts.any() && mono_now_ns() < end_ns;)
    pause_ns(kPauseNs);
}

Json known(std::int64_t bytes) { return bytes < 0 ? Json(nullptr) : Json(bytes); }

Json use_json(const view::MachineUse& use, const std::vector<view::Table>& tables) {
  const launch::Machine& machine = use.around.machine;
  Json json = {{"host", machine.host},
               {"cores", machine.cores},
               {"load", use.load},
               {"memory_available_bytes", known(machine.memory_available_bytes)},
               {"memory_total_bytes", known(machine.memory_total_bytes)},
               {"gpus", Json::array()},
               {"runs", Json::array()},
               {"processes", Json::array()}};
  for (const view::Table& table : tables) json[table.key] = rows_json(table);
  return json;
}

Result<int> top(const TopOptions& options) {
  const bool once = options.once || options.json || !is_terminal(stdout);
  const auto runs_dir = options.runs_folder();
  const Interrupts interrupts;
  LiveBlock block(stdout, !once);
  Looks looks;
  wait(kFirstLookNs, interrupts);
  while (!interrupts.any()) {
    const auto use = looks.look([&] { return interrupts.any(); });
    if (!use && interrupts.any()) break;
    if (!use) return not_done(interrupts, use.error(), "nothing is shown");
    const auto listed = runs::list_runs(runs_dir).value_or(std::vector<runs::ListedRun>());
    const auto name = [&](const RunId& id) { return runs::name_runs("run " + id, listed); };
    const auto tables = view::machine_tables(*use, name, kMostProcesses);
    if (options.json) {
      print(stdout, dump(use_json(*use, tables), 2) + "\n");
      return 0;
    }
    const std::string text =
        view::machine_line(*use) + "\n\n" + tables_text(tables, wants_color(stdout));
    if (once) {
      print(stdout, text);
      return 0;
    }
    block.draw(text);
    if (!output_arrives()) return 1;
    wait(kLookEveryNs, interrupts);
  }
  block.leave();
  return interrupts.exit_code();
}

}  // namespace

void add_top(Command& app) {
  auto options = std::make_shared<TopOptions>();
  Command command = app.add_command(
      "top", "Who uses this machine now: its GPUs and cores, runs and processes, until Ctrl-C");
  command.add_flag("--once", options->once, "Print it once, as where the output is no terminal");
  add_json(command, *options, "One JSON object, once");
  add_runs_dir(command, *options);
  command.action([options] { return top(*options); });
}

}  // namespace ringside::cli
