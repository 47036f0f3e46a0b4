// Man pages of `ringside` and the programs beside it, made from their --help. Pure.
#pragma once

#include <string>
#include <string_view>

#include "gui/cli/command/command.h"

namespace ringside::cli {

/// The page of `ringside` in the macros of man(7).
std::string man_page(const DescribedCommands& commands);
/// The page of another program, from the output of its --help (the layout of CLI11).
std::string man_page_of(std::string_view program, std::string_view help);

}  // namespace ringside::cli
