// `--on ssh://HOST`: the same command of the `ringside` there, or a copy of its run here. Main
// thread.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "gui/cli/commands.h"
#include "gui/cli/interrupts.h"
#include "gui/remote/follower.h"

namespace ringside::cli {

/// Adds --on to a command.
Option add_on(Command& command, CommonOptions& options, const std::string& help);

/// The words of a command line without --on and its value; what stands behind `--` is left alone.
std::vector<std::string> without_on(std::vector<std::string> words);
/// The words with `/dev/stdin` in the place of the settings file `file`, which was given as the
/// argument, or else as the value of an option.
std::vector<std::string> with_input(std::vector<std::string> words, const std::string& file);

/// What a command does there, which decides how long a signal here waits for it.
enum class Errand : std::uint8_t {
  kLook,  ///< and has an end soon
  kAct,   ///< for as long as it takes; a signal ends it
  kStay,  ///< with a run: the first signal stops the run, which may take its time
};

/// Runs the command there, with its output and its signals; its exit code. Whatever that machine
/// does, a signal ends this soon, and what it prints is text with an end. `file`: a settings
/// file here, which is sent along; empty or the name of a preset: none.
Result<int> run_there(const CommonOptions& options, const std::vector<std::string>& typed,
                      Errand errand, const std::string& file = {});

/// A run of another machine, copied here.
struct CopiedRun {
  std::filesystem::path folder;
  std::unique_ptr<remote::Follower> follower;  ///< null: it was copied once
};

/// Finds the run on the other machine and copies it. With `follow` the copy is updated until the
/// run ends, and trouble with the connection is printed to standard error. A signal cancels it,
/// which gives not_done().
Result<CopiedRun> copy_run(const CommonOptions& options, const Interrupts& interrupts, bool follow);

}  // namespace ringside::cli
