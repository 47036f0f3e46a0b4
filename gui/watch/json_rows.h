// Table rows that are written as JSON objects: one in each line, possibly after other text of a
// log, or a list of them in one document. Pure; any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ringside::watch {

/// Cells by name; names of nested values are joined by "/". A value that is not a number has a
/// short text, so that it can be counted.
using NamedCells = std::vector<std::pair<std::string, std::string>>;

/// Cells of the object at the end of a line; nothing: there is none with a number in it.
std::optional<NamedCells> json_row(std::string_view line);

/// Whether a text may be a JSON document, judged by its beginning.
bool begins_as_json(std::string_view text);

struct JsonRows {
  std::vector<NamedCells> rows;     ///< empty: the document is incomplete, or has no rows
  std::vector<std::string> beside;  ///< names of lists that are not read
};

/// Rows of a complete document: its longest list of objects, at most one level down, or the named
/// lists of numbers in an object.
JsonRows json_rows(std::string_view document);

}  // namespace ringside::watch
