// `--on ssh://HOST`: runs the same command with the `ringside` of that machine, or copies its run
// to this one. Main thread.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "gui/cli/command/commands.h"
#include "gui/cli/command/interrupts.h"
#include "gui/remote/follower.h"

namespace ringside::cli {

Option add_on(Command& command, CommonOptions& options, const std::string& help);

/// Returns a command line without --on and its value; words after `--` are not changed.
std::vector<std::string> without_on(std::vector<std::string> words);
/// Replaces the settings file `file` by `/dev/stdin`, whether it was given as the argument or as
/// the value of an option.
std::vector<std::string> with_input(std::vector<std::string> words, const std::string& file);

/// The kind of a remote command, which decides how long a local signal waits for it.
enum class CommandKind : std::uint8_t {
  kLook,    ///< reads, and ends within minutes
  kGlance,  ///< reads what goes on now, and ends at once
  kAct,     ///< acts as long as it takes; a signal ends it
  kStay,    ///< follows a run: the first signal stops the run, which may take some time
};

/// Runs the command on the other machine with its output and signals; returns its exit code.
/// Whatever that machine does, a signal ends this soon, and the output is limited, sanitized text.
/// `file`: a local settings file to send along; empty or the name of a preset: none.
Result<int> run_remotely(const CommonOptions& options, const std::vector<std::string>& typed,
                         CommandKind errand, const std::string& file = {});

/// The same with these words, and `input` as the command's standard input (/dev/stdin).
Result<int> send_there(const CommonOptions& options, std::vector<std::string> words,
                       std::string input, CommandKind errand);

/// A run of another machine, copied here.
struct CopiedRun {
  std::filesystem::path folder;
  std::unique_ptr<remote::Follower> follower;  ///< null: the run was copied once
};

/// Finds the run on the other machine and copies it. With `follow` the copy is updated until the
/// run ends, and trouble with the connection is printed to standard error. A signal cancels it,
/// which gives not_done().
Result<CopiedRun> copy_run(const CommonOptions& options, const Interrupts& interrupts, bool follow);

}  // namespace ringside::cli
