// Completion for shells: the words that can complete a partly typed command line. Pure.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "gui/cli/command/command.h"

namespace ringside::cli {

/// The possible values of a word; `what` is its name in --help, "RUN" or "KEY=VALUE,...".
using KnownValues = std::function<std::vector<std::string>(std::string_view what)>;

/// Whole words that begin like the last one of `line`, which starts with "ringside"; empty if only
/// the shell knows them, such as file names. A word that ends in = can be continued.
std::vector<std::string> completions(std::string_view line, const DescribedCommands& commands,
                                     const KnownValues& values);

/// Shell script with which bash, zsh or fish calls `ringside completion`; empty: another shell.
std::string_view completion_script(std::string_view shell);

}  // namespace ringside::cli
