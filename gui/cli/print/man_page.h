// The page of man(1) about `ringside`, from what its commands say of themselves. Pure.
#pragma once

#include <string>

#include "gui/cli/command.h"

namespace ringside::cli {

/// In the macros of man(7).
std::string man_page(const DescribedCommands& commands);

}  // namespace ringside::cli
