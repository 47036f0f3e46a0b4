// The values that a library may propose for each setting: one of a list, or a number in a range,
// each in the syntax of `--set`. Pure; any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "gui/launch/studies/combinations.h"

namespace ringside::launch {

/// A range of numbers, "optimizer.lr=0.001..0.1:log"; whole numbers if both ends are whole.
struct Range {
  std::string name;
  double low = 0;
  double high = 0;
  bool logarithmic = false;
  bool whole = false;
};

struct Space {
  std::vector<std::string> names;  ///< names of choices and ranges, as typed
  std::vector<Swept> choices;
  std::vector<Range> ranges;
  std::vector<std::string> vary;   ///< all choices and ranges, as typed
  std::vector<std::string> fixed;  ///< settings with a single value, for the recipe

  /// Returns the number of combinations; infinite if a range is not of whole numbers.
  double size() const;
};

/// Bad request: ends in the wrong order, a logarithm of 0, a repeated name, or nothing to choose.
Result<Space> parse_space(const std::vector<std::string>& sets);

}  // namespace ringside::launch
