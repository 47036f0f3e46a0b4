// Tables as text for a terminal and as JSON. Pure.
#pragma once

#include <string>
#include <vector>

#include "gui/cli/print/json.h"
#include "gui/view/table.h"

namespace ringside::cli {

/// Heads, rows, totals, in columns. Texts that do not fit into `width` go on below themselves; 0:
/// nothing does. Numbers and long words stay whole, and with them the line may be wider.
std::string table_text(const view::Table& table, bool color, std::size_t width = 0);
/// Each under its title, with its notes; a run is named where its tables begin.
std::string tables_text(const std::vector<view::Table>& tables, bool color);

/// Rows as objects: a column's key is the name, what is not known null. Totals stand behind the
/// rows.
Json rows_json(const view::Table& table);
/// id, title, run, notes and the rows.
Json table_json(const view::Table& table);
Json tables_json(const std::vector<view::Table>& tables);

}  // namespace ringside::cli
