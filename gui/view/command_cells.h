// Command lines beside each other in a table. Pure; any thread.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "gui/view/table.h"

namespace ringside::view {

/// The words of a command line, and the cell that shows it.
using CommandCell = std::pair<const std::vector<std::string>*, Cell*>;

/// What sets each command line apart: a column is too narrow for the words that all begin or end
/// with. An option stays with its value; the hint has all of it.
void cut_commands(const std::vector<CommandCell>& lines);

}  // namespace ringside::view
