// Tables as text for a terminal and as JSON. Pure.
#pragma once

#include <string>
#include <vector>

#include "gui/cli/print/json.h"
#include "gui/view/table.h"

namespace ringside::cli {

/// Header, rows and totals in columns. Texts that exceed `width` are wrapped (0: never). Numbers
/// and long words are not, so a line may still be wider.
std::string table_text(const view::Table& table, bool color, std::size_t width = 0);
/// Tables under their titles, with their notes; a run is named before its tables.
std::string tables_text(const std::vector<view::Table>& tables, bool color);

/// Rows as objects with the keys of the columns; unknown values are null. Totals follow the rows.
Json rows_json(const view::Table& table);
/// JSON with id, title, run, notes and the rows.
Json table_json(const view::Table& table);
Json tables_json(const std::vector<view::Table>& tables);

}  // namespace ringside::cli
