// `ringside data make|get`: passes its arguments to ringside-data, the program beside it that
// generates and downloads data sets.
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "gui/cli/command/commands.h"
#include "gui/cli/print/terminal.h"
#include "gui/launch/paths.h"

namespace ringside::cli {
namespace {

Result<int> hand_on(std::vector<std::string> arguments) {
  const auto program = RINGSIDE_TRY(launch::find_program("ringside-data"));
  arguments.insert(arguments.begin(), program.string());
  std::vector<char*> pointers;
  for (auto& argument : arguments) pointers.push_back(argument.data());
  pointers.push_back(nullptr);
  ::execv(pointers[0], pointers.data());
  return failure("cannot start " + arguments[0] + ": " + std::strerror(errno));
}

}  // namespace

void add_data(Command& app) {
  Command command = app.add_command("data", "Make or fetch a data set");
  // The options and --help are those of ringside-data.
  command.action_with_rest(hand_on);
}

}  // namespace ringside::cli
