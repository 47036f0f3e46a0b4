// Counts the lines that differ between two texts. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace ringside::view {

struct LineChanges {
  std::size_t added = 0;
  std::size_t removed = 0;
  bool at_least = false;  ///< there are too many to count all
};

/// The smallest number of lines to remove from `one` and to add to it to get `other`, by Myers'
/// greedy algorithm (E. Myers, An O(ND) Difference Algorithm and Its Variations, 1986).
LineChanges line_changes(std::string_view one, std::string_view other);

/// "+2 −1", "> 400 lines"; empty: no difference.
std::string text_of(const LineChanges& changes);

}  // namespace ringside::view
