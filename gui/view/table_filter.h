// Filters the rows of a table by words such as `speedup<1.5 state:failed digits`. The list of runs
// in the window and `ringside list` use the same syntax. Pure.
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

/// One word of a filter, with `key:value` (contains), `=`, `!=`, `<`, `<=`, `>` or `>=`.
struct RowTest {
  std::string word;  ///< as it was typed
  std::string key;   ///< empty: the word may occur in any text of the row
  Comparison comparison = Comparison::kHas;
  std::string value;
};

/// Returns whether the text contains the part, ignoring case.
bool has_text(std::string_view text, std::string_view part);

/// Splits a filter at spaces into its words.
std::vector<RowTest> row_tests(std::string_view filter);

/// Returns the index of the column with this key or, ignoring case, this head; columns.size() if
/// there is none.
std::size_t named_column(const std::vector<TableColumn>& columns, std::string_view name);

/// Returns whether the cell passes the test: numbers are compared by size, texts ignoring case. `=`
/// also fits the number that the cell prints, rounded as there. A number is typed as the value or
/// as a percentage: `0.99`, `99%`. An unknown value passes only
/// `!=`.
bool fits(const RowTest& test, const Cell& cell);

/// Returns "0.99" and "99%" as the number 0.99; empty for a word, which includes "nan", since
/// state:nan is one.
std::optional<double> typed_number(std::string_view text);

}  // namespace ringside::view
