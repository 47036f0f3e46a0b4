// `ringside stack RUN [--rank R]`: prints the present call stacks of the ranks.
#include "gui/cli/command/commands.h"
#include "gui/cli/print/json.h"
#include "gui/cli/print/terminal.h"
#include "gui/launch/rank_stack.h"
#include "gui/runs/find_run.h"

namespace ringside::cli {
namespace {

struct StackOptions : CommonOptions {
  Rank rank = kNoRank;
};

Json stack_json(const launch::RankStack& stack) {
  return {{"rank", stack.rank},
          {"pid", stack.pid},
          {"tools", stack.tools},
          {"text", stack.text},
          {"problem", stack.problem}};
}

Result<int> stack(const StackOptions& options) {
  const auto found = RINGSIDE_TRY(runs::find_run(options.runs_folder(), options.run));
  const auto stacks = RINGSIDE_TRY(launch::read_stacks(found.folder, options.rank));
  bool whole = true;
  Json json = Json::array();
  for (const launch::RankStack& one : stacks) {
    whole = whole && !one.tools.empty();
    json.push_back(stack_json(one));
    if (options.json) continue;
    print(stdout, launch::stack_text(one) + "\n");
    if (!one.problem.empty())
      print(stderr, "Rank " + std::to_string(one.rank) + ": " + one.problem + "\n");
  }
  if (options.json) print(stdout, dump(json, 2) + "\n");
  return whole ? 0 : 1;
}

}  // namespace

void add_stack(Command& app) {
  auto options = std::make_shared<StackOptions>();
  Command command = app.add_command(
      "stack",
      "Print the current call stacks of a run's ranks, by faulthandler or py-spy (Python), "
      "eu-stack or gdb");
  add_run_name(command, *options);
  command.add_option("--rank INT", options->rank, "Only this rank");
  add_json(command, *options, "A list of objects");
  add_runs_dir(command, *options);
  command.action([options] { return stack(*options); });
}

}  // namespace ringside::cli
