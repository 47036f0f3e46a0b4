// A note that a person wrote at a step of a run, shown as a mark on its charts. Plain data.
#pragma once

#include <cstdint>
#include <string>

namespace ringside::runs {

struct ChartNote {
  std::int64_t step = 0;  ///< counts from 0, as in the records
  std::string text;       ///< empty: there is no note at this step
  bool operator==(const ChartNote&) const = default;
};

}  // namespace ringside::runs
