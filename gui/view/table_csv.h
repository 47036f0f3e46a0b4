// Writes a table as CSV. Pure.
#pragma once

#include <string>

#include "gui/view/table.h"

namespace ringside::view {

/// Returns a line of column keys, then values at full precision; unknown values are empty. Texts
/// that a spreadsheet would take for a formula are escaped.
std::string table_csv(const Table& table);

}  // namespace ringside::view
