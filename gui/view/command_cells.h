// Shortens command lines that are shown below each other in a table. Pure; any thread.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "gui/view/table.h"

namespace ringside::view {

/// The words of a command line, and the cell that shows it.
using CommandCell = std::pair<const std::vector<std::string>*, Cell*>;

/// Shortens each command line to the words that distinguish it: a column is too narrow for words
/// with which all begin or end. An option stays with its value; the hint has the full line.
void cut_commands(const std::vector<CommandCell>& lines);

}  // namespace ringside::view
