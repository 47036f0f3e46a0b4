// Rows of a table that are written as objects of JSON: one in each line, with or without a log's
// words before it, or a list of them in one document. Pure; any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ringside::watch {

/// Numbers and words by name; names of what lies deeper are joined by "/". A value that is not a
/// number has a short text, so that it can be counted.
using NamedCells = std::vector<std::pair<std::string, std::string>>;

/// Cells of the object that a line ends with; nothing: there is none with a number in it.
std::optional<NamedCells> json_row(std::string_view line);

/// Whether a text may be a document of JSON, by how it begins.
bool begins_as_json(std::string_view text);

struct JsonRows {
  std::vector<NamedCells> rows;     ///< empty: the document is not whole, or has none
  std::vector<std::string> beside;  ///< names of lists that are not read
};

/// Rows of a whole document: its longest list of objects, at most one level down, or the lists of
/// numbers by name that an object has.
JsonRows json_rows(std::string_view document);

}  // namespace ringside::watch
