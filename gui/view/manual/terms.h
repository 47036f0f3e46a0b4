// Terms that are explained on the screen beside their use: columns, parts of a step, entries of
// legends, figures and verdicts. Each has one text, and the section of the manual with more. Pure.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gui/view/manual/manual_places.h"

namespace ringside::view {

// Terms that have no label of their own on the screen where they are explained.
namespace label {
inline constexpr const char* kFairTerm = "Fair comparison";
inline constexpr const char* kIdealTerm = "Ideal";
inline constexpr const char* kEfficiencyTerm = "Efficiency";
}  // namespace label

struct Term {
  /// Keys of columns: "p50", or "nodes.memory" of one table; separated by "|".
  std::string_view keys{};
  /// Names on the screen, in the palette and in common use; separated by "|".
  std::string_view names{};
  std::string_view text{};  ///< what it is, how it is measured, what to do
  const char* topic = "";
  const char* section = "";

  ManualPlace place() const { return {topic, section}; }
};

std::span<const Term> terms();

/// The term of a column; null: none. A term of that table's column has priority.
const Term* column_term(std::string_view table, std::string_view column);
/// The term of that name, ignoring case; null: none.
const Term* named_term(std::string_view name);

std::vector<std::string> names_of(const Term& term);

}  // namespace ringside::view
