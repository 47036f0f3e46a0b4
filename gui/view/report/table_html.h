// A table as HTML: its rows with totals, its notes. Pure.
#pragma once

#include <string>

#include "gui/view/table.h"

namespace ringside::view {

/// How a text of that tone is set: " class=\"r err\"", or nothing. `right`: it is a number.
std::string class_attribute(Tone tone, bool right = false);

/// Rows and notes alone; nothing for a table without rows. Every text in it stays text.
std::string rows_html(const Table& table);
/// The table as a section under its title.
std::string table_html(const Table& table);

}  // namespace ringside::view
