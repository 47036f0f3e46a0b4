// How many lines of a text are others in another text. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace ringside::view {

struct LineChanges {
  std::size_t added = 0;
  std::size_t removed = 0;
  bool at_least = false;  ///< too many to be counted to the end
};

/// The fewest lines to take out of `one` and to add to make `other` of it, by Myers' greedy
/// algorithm (E. Myers, An O(ND) Difference Algorithm and Its Variations, 1986).
LineChanges line_changes(std::string_view one, std::string_view other);

/// "+2 −1", "> 400 lines"; empty: the same.
std::string text_of(const LineChanges& changes);

}  // namespace ringside::view
