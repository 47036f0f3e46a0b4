// What a library that proposes settings may choose from: one of some values, or a number between
// two, each as `--set` takes it. Pure; any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "gui/launch/combinations/combinations.h"

namespace ringside::launch {

/// A number between two: "optimizer.lr=0.001..0.1:log", whole where both ends are.
struct Range {
  std::string name;
  double low = 0;
  double high = 0;
  bool logarithmic = false;
  bool whole = false;
};

struct Space {
  std::vector<std::string> names;  ///< of choices and ranges, as they were typed
  std::vector<Swept> choices;
  std::vector<Range> ranges;
  std::vector<std::string> vary;   ///< all of them as they were typed
  std::vector<std::string> fixed;  ///< settings of one value, for the recipe

  /// How many combinations there are; infinite where a range has more than whole numbers.
  double size() const;
};

/// A bad request: ends in the wrong order, a logarithm of 0, a name given twice, nothing to choose.
Result<Space> parse_space(const std::vector<std::string>& sets);

}  // namespace ringside::launch
