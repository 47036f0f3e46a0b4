// Rows of what differs between the programs of compared runs: lines of their files, versions of
// packages, the commit. Pure.
#pragma once

#include <span>

#include "gui/view/table.h"

namespace ringside::launch {
struct KeptProgram;
}

namespace ringside::view {

/// Appends a row for each file whose text is not the same in all runs, each package of another
/// version, and the commit; the first cell names it, then one per run. Null: nothing was kept of
/// it, its cell is empty. A file is told by lines against the first run that has it.
void add_program_differences(std::span<const launch::KeptProgram* const> programs, Table& table);

}  // namespace ringside::view
