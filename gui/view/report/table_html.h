// A table as HTML: its rows with totals, and its notes. Pure.
#pragma once

#include <string>

#include "gui/view/table.h"

namespace ringside::view {

/// The class attribute of a text in that tone: " class=\"r err\"", or nothing. `right`: a number.
std::string class_attribute(Tone tone, bool right = false);

/// Rows and notes only; nothing for a table without rows. All text is escaped.
std::string rows_html(const Table& table);
std::string table_html(const Table& table);

}  // namespace ringside::view
