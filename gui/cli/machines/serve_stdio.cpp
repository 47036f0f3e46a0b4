// `ringside serve-stdio`: the process that ssh starts on the other machine for `--on`.
#include <unistd.h>

#include "gui/cli/command/commands.h"
#include "gui/cli/print/terminal.h"
#include "gui/launch/paths.h"
#include "gui/remote/serve.h"

namespace ringside::cli {
namespace {

Result<int> serve_stdio() {
  const auto program = RINGSIDE_TRY(launch::find_program("ringside"));
  return remote::serve(STDIN_FILENO, STDOUT_FILENO, program.string());
}

}  // namespace

void add_serve_stdio(Command& app) {
  Command command = app.add_command(
      "serve-stdio",
      "Started by ssh for a ringside elsewhere: answers on its standard input and output");
  command.footer(
      "Listens nowhere, does nothing unasked, ends with its standard input. Nobody types it.");
  command.action(serve_stdio);
}

}  // namespace ringside::cli
