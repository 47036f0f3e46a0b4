// A table as CSV. Pure.
#pragma once

#include <string>

#include "gui/view/table.h"

namespace ringside::view {

/// Keys of the columns, then values at full length; what is not known is empty. No spreadsheet
/// takes a text for a formula.
std::string table_csv(const Table& table);

}  // namespace ringside::view
