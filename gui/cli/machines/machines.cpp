// `ringside machines` shows this machine and others; each is asked on its own thread.
#include <algorithm>
#include <atomic>
#include <list>
#include <thread>

#include "gui/cli/command/commands.h"
#include "gui/cli/command/interrupts.h"
#include "gui/cli/print/table_print.h"
#include "gui/cli/print/terminal.h"
#include "gui/remote/machines.h"
#include "gui/session/machines/machine_query.h"
#include "gui/view/window/machine_board.h"
#include "protocol/base/clock.h"

namespace ringside::cli {
namespace {

struct MachinesOptions : CommonOptions {
  std::vector<std::string> names;
  bool ask = false;
};

/// A machine that is being asked, on its own thread.
struct Question {
  std::optional<session::OtherMachine> machine;  ///< empty: this machine
  view::BoardMachine told;
  std::atomic<bool> answered{false};
  std::thread thread;
};

void look(Question& question, const std::filesystem::path& runs_dir,
          const launch::Cancelled& cancelled) {
  auto use = question.machine ? session::look_there(*question.machine)
                              : session::MachineLooks(runs_dir).look(true, cancelled);
  view::BoardMachine& told = question.told;
  (use ? told.answered_wall_ns : told.failed_wall_ns) = SystemClock().wall_ns();
  if (use) told.use = std::move(*use);
  if (!use) told.problem = use.error().message;
  question.answered = true;
}

/// Parses "box" or "ssh://box".
Result<session::OtherMachine> named_machine(const std::string& name) {
  return session::other_machine(name.starts_with("ssh://") ? name : "ssh://" + name);
}

/// Lists this machine, the named machines, and the other known ones.
Result<std::list<Question>> questions(const MachinesOptions& options) {
  std::list<Question> all;
  all.emplace_back().told.watched = true;
  const auto add = [&all](session::OtherMachine machine, bool ask) {
    std::string address = remote::text_of(machine.address);
    for (const Question& one : all)
      if (one.told.address == address) return;
    Question& made = all.emplace_back();
    made.machine = std::move(machine);
    made.told.address = std::move(address);
    made.told.watched = ask;
  };
  for (const std::string& name : options.names) {
    auto machine = RINGSIDE_TRY(named_machine(name));
    add(std::move(machine), true);
  }
  for (const remote::Address& address : remote::known_machines())
    if (auto machine = session::other_machine(remote::text_of(address)))
      add(std::move(*machine), options.ask);
  return all;
}

/// Asks all machines at the same time; a signal cancels it.
void ask(std::list<Question>& all, const std::filesystem::path& runs_dir,
         const Interrupts& interrupts) {
  for (Question& one : all) {
    if (!one.told.watched) continue;
    one.thread = std::thread(
        [&one, &runs_dir, &interrupts] { look(one, runs_dir, [&] { return interrupts.any(); }); });
  }
  for (Question& one : all) {
    constexpr std::int64_t kPauseNs = 50'000'000;
    while (one.thread.joinable() && !one.answered && !interrupts.any()) pause_ns(kPauseNs);
    if (interrupts.any() && one.machine) one.machine->deadline->end();
    if (one.thread.joinable()) one.thread.join();
  }
}

Json machine_json(const view::BoardMachine& machine) {
  return {{"machine", machine.address.empty() ? Json(nullptr) : Json(machine.address)},
          {"asked", machine.watched},
          {"problem", machine.problem.empty() ? Json(nullptr) : Json(machine.problem)},
          {"use", machine.use ? session::to_json(*machine.use) : Json(nullptr)}};
}

void print_board(const std::vector<view::BoardMachine>& machines) {
  print(stdout, table_text(view::board_table(machines).table, wants_color(stdout)));
  bool unasked = false;
  for (const view::BoardMachine& machine : machines) {
    unasked = unasked || !machine.watched;
    if (!machine.problem.empty()) print(stdout, machine.problem + "\n");
    if (machine.use && !machine.use->slurm_problem.empty())
      print(stdout, "Slurm does not answer: " + machine.use->slurm_problem + "\n");
  }
  if (unasked) print(stdout, "Others are asked by name, or all with --ask.\n");
}

Result<int> machines(const MachinesOptions& options) {
  const Interrupts interrupts;
  auto all = RINGSIDE_TRY(questions(options));
  ask(all, options.runs_folder(), interrupts);
  if (interrupts.any()) return interrupts.exit_code();
  std::vector<view::BoardMachine> told;
  for (Question& one : all) told.push_back(std::move(one.told));
  if (!options.json) {
    print_board(told);
  } else {
    Json json = Json::array();
    for (const view::BoardMachine& machine : told) json.push_back(machine_json(machine));
    print(stdout, dump(json, 2) + "\n");
  }
  const bool failed = std::ranges::any_of(
      told, [](const view::BoardMachine& machine) { return !machine.problem.empty(); });
  return failed ? 1 : 0;
}

}  // namespace

void add_machines(Command& app) {
  auto options = std::make_shared<MachinesOptions>();
  Command command = app.add_command(
      "machines", "This machine and others by ssh: GPUs, cores, who uses them, queue, disk");
  command.add_option("NAME", options->names, "Ask these, too: box, or ssh://me@box:2222");
  command.add_flag("--ask", options->ask, "Ask all of ~/.ssh/config and those used lately");
  add_json(command, *options, "One JSON array of objects");
  add_runs_dir(command, *options);
  command.footer(
      "A machine that does not answer is named with the reason, and the exit code is 1.");
  command.action([options] { return machines(*options); });
}

}  // namespace ringside::cli
