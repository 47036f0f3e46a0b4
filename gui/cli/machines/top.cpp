// `ringside top` shows the users and load of this machine, refreshed every two seconds.
#include "gui/cli/command/commands.h"
#include "gui/cli/command/interrupts.h"
#include "gui/cli/machines/on_machine.h"
#include "gui/cli/print/live_block.h"
#include "gui/cli/print/table_print.h"
#include "gui/cli/print/terminal.h"
#include "gui/session/machines/machine_query.h"
#include "gui/view/window/machine_tables.h"
#include "protocol/base/clock.h"

namespace ringside::cli {
namespace {

constexpr std::int64_t kLookEveryNs = 2'000'000'000;
constexpr std::int64_t kPauseNs = 100'000'000;

struct TopOptions : CommonOptions {
  bool once = false;
};

void wait_for_next(const Interrupts& interrupts) {
  const std::int64_t end_ns = mono_now_ns() + kLookEveryNs;
  while (!interrupts.any() && mono_now_ns() < end_ns) pause_ns(kPauseNs);
}

Result<int> top(const TopOptions& options) {
  const bool once = options.once || options.json || !is_terminal(stdout);
  const Interrupts interrupts;
  LiveBlock block(stdout, !once);
  session::MachineLooks looks(options.runs_folder());
  while (!interrupts.any()) {
    const auto use = looks.look(options.json, [&] { return interrupts.any(); });
    if (!use && interrupts.any()) break;
    if (!use) return not_done(interrupts, use.error(), "nothing is shown");
    if (options.json) {
      print(stdout, dump(session::to_json(*use), 2) + "\n");
      return 0;
    }
    const std::string text = view::machine_line(*use) + "\n\n" +
                             tables_text(view::machine_tables(*use), wants_color(stdout));
    if (once) {
      print(stdout, text);
      return 0;
    }
    block.draw(text);
    if (!output_arrives()) return 1;
    wait_for_next(interrupts);
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
  add_json(command, *options, "One JSON object, once, with the partitions of its Slurm");
  add_runs_dir(command, *options);
  add_on(command, *options, "Print it once for another machine, over ssh");
  command.action_with_words([options](const std::vector<std::string>& typed) {
    return options->on.empty() ? top(*options)
                               : run_remotely(*options, typed, CommandKind::kGlance);
  });
}

}  // namespace ringside::cli
