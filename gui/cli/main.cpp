// The command `ringside`: parses, runs one command, returns its exit code. Without arguments it
// becomes the dashboard.
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <exception>
#include <iostream>
#include <new>
#include <string>

#include "gui/cli/command/commands.h"
#include "gui/cli/print/terminal.h"
#include "gui/launch/paths.h"
#include "protocol/host/process_setup.h"

namespace {

using namespace ringside;

/// Replaces this process with the dashboard; an empty `runs_dir` means the default folder.
int open_dashboard(const std::string& runs_dir = {}) {
  const auto dashboard = launch::find_program("ringside-dashboard");
  if (!dashboard) {
    return cli::report(
        {ErrorKind::kFailure,
         dashboard.error().message + "; `ringside --help` lists what works without a window"});
  }
  std::string path = dashboard->string();
  std::string place = "--runs-dir=" + runs_dir;
  char* const argv[] = {path.data(), runs_dir.empty() ? nullptr : place.data(), nullptr};
  ::execv(path.c_str(), argv);
  return cli::report({ErrorKind::kFailure, "cannot start " + path + ": " + std::strerror(errno)});
}

// Runs a command. An exception of a library becomes an error message instead of a core dump.
int act(const cli::Action& action) {
  try {
    return cli::code_of(action());
  } catch (const std::bad_alloc&) {
    return cli::report({ErrorKind::kFailure, "there is not enough memory for this"});
  } catch (const std::exception& error) {
    return cli::report({ErrorKind::kFailure, std::string("unexpected: ") + error.what()});
  }
}

}  // namespace

int main(int argc, char** argv) {
  set_up_process();
  if (argc == 1) return open_dashboard();
  cli::CommonOptions options;
  cli::Action action;
  const auto declare = [&options](cli::Command& root) {
    cli::declare_runs_dir(root, options);
    for (const auto add : cli::kCommands) add(root);
  };
  if (const auto code = cli::parse(argc, argv, declare, action))
    return std::cout.flush() ? *code : cli::end_of_output(1);
  return action ? cli::end_of_output(act(action)) : open_dashboard(options.runs_dir);
}
