// Completion for the shells: the words that can end a command line that is being typed. Pure.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "gui/cli/command.h"

namespace ringside::cli {

/// Values that a word can have: `what` is how --help calls it, "RUN" or "KEY=VALUE,...".
using KnownValues = std::function<std::vector<std::string>(std::string_view what)>;

/// Whole words that begin as the last one of `line` does, which is "ringside" and what is typed
/// behind it; empty where only the shell knows, as names of files. One that ends in = goes on.
std::vector<std::string> completions(std::string_view line, const DescribedCommands& commands,
                                     const KnownValues& values);

/// A script that has bash, zsh or fish ask `ringside completion`; empty: another shell.
std::string_view completion_script(std::string_view shell);

}  // namespace ringside::cli
