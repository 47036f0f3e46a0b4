// Rows of the differences between the programs of compared runs: lines of their files, versions of
// packages, the commit. Pure.
#pragma once

#include <span>

#include "gui/view/table.h"

namespace ringside::launch {
struct SavedProgram;
}

namespace ringside::view {

/// Appends a row for each file whose text differs between the runs, each package of another
/// version, and the commit; the first cell names it, and one cell per run follows. A file is
/// described by its changed lines relative to the first run that has it. A null program (nothing of
/// it was stored) has empty cells.
void add_program_differences(std::span<const launch::SavedProgram* const> programs, Table& table);

}  // namespace ringside::view
