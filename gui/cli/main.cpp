// The command `ringside`: parses, runs one command, returns its exit code. Without arguments it
// becomes the dashboard.
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <exception>
#include <iostream>
#include <new>

#include "gui/cli/terminal.h"
#include "gui/cli/commands.h"
#include "gui/launch/paths.h"

namespace {

using namespace ringside;

int open_dashboard() {
  const auto dashboard = launch::find_program("ringside-dashboard");
  if (!dashboard) {
    return app::report(
        {ErrorKind::kFailure,
         dashboard.error().message + "; `ringside --help` lists what works without a window"});
  }
  std::string path = dashboard->string();
  char* const argv[] = {path.data(), nullptr};
  ::execv(path.c_str(), argv);
  return app::report({ErrorKind::kFailure, "cannot start " + path + ": " + std::strerror(errno)});
}

// The last net: whatever a library throws is one error, never a core dump.
int act(const app::Action& action) {
  try {
    return action();
  } catch (const std::bad_alloc&) {
    return app::report({ErrorKind::kFailure, "there is not enough memory for this"});
  } catch (const std::exception& error) {
    return app::report({ErrorKind::kFailure, std::string("unexpected: ") + error.what()});
  }
}

}  // namespace

int main(int argc, char** argv) {
  app::hold_standard_streams();
  if (argc == 1) return open_dashboard();
  CLI::App cli("Starts data-parallel training runs and shows what every rank does, live and later.",
               "ringside");
  cli.set_version_flag("--version", "ringside " RINGSIDE_VERSION);
  cli.require_subcommand(0, 1);
  cli.get_formatter()->column_width(34);
  cli.footer(
      "Without a command the dashboard opens. `ringside COMMAND --help` says more about a "
      "command.\n"
      "Exit codes: 0 done, 1 the run failed or the output could not be written, 2 the request was "
      "wrong,\n128 + signal.");
  app::Action action;
  for (const auto& add :
       {app::add_run, app::add_resume, app::add_list, app::add_show, app::add_report, app::add_tail,
        app::add_export, app::add_stop, app::add_data, app::add_presets, app::add_doctor}) {
    add(cli, action);
  }
  try {
    cli.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    const int code = cli.exit(error) == 0 ? 0 : 2;
    return std::cout.flush() ? code : app::end_of_output(1);
  }
  return action ? app::end_of_output(act(action)) : open_dashboard();
}
