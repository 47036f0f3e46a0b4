// The pages of man(1) about `ringside` and the programs beside it, from what they say of
// themselves. Pure.
#pragma once

#include <string>
#include <string_view>

#include "gui/cli/command.h"

namespace ringside::cli {

/// In the macros of man(7).
std::string man_page(const DescribedCommands& commands);
/// The same of another program, from what its --help prints (the layout of CLI11).
std::string man_page_of(std::string_view program, std::string_view help);

}  // namespace ringside::cli
