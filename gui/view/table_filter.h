// Narrows a table to the rows that a person asked for: `speedup<1.5 state:failed digits`. The list
// of runs in the window and `ringside list` understand the same. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gui/view/table.h"

namespace ringside::view {

enum class Comparison : std::uint8_t {
  kHas,
  kEqual,
  kNotEqual,
  kLess,
  kAtMost,
  kGreater,
  kAtLeast
};

/// One word of a filter: `key:value` (has), `=`, `!=`, `<`, `<=`, `>`, `>=`.
struct RowTest {
  std::string word;  ///< as it was typed
  std::string key;   ///< empty: the word may stand anywhere
  Comparison comparison = Comparison::kHas;
  std::string value;
};

/// Whether the part stands in the text, upper and lower case alike.
bool has_text(std::string_view text, std::string_view part);

/// The words of a filter, which spaces separate.
std::vector<RowTest> row_tests(std::string_view filter);

/// The place of the column with that key or, in lower case, that head; columns.size() where there
/// is none.
std::size_t named_column(const std::vector<TableColumn>& columns, std::string_view name);

/// Numbers by size, texts by their letters, upper and lower case alike. A number is typed as the
/// value is or as a percentage: `0.99`, `99%`. What is not known fits nothing but `!=`.
bool fits(const RowTest& test, const Cell& cell);

/// "0.99" and "99%" as the number that they are; nothing of a word, "nan" too: state:nan.
std::optional<double> typed_number(std::string_view text);

}  // namespace ringside::view
