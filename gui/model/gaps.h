// The steps of a rank that are missing because their records were lost. Steps that a program does
// not report are not in a gap. One thread; lives inside the model.
#pragma once

#include <cstddef>
#include <vector>

#include "protocol/base/ids.h"

namespace ringside::model {

class Gaps {
 public:
  /// Adds the steps in [begin, end), which come after all earlier ones. If there are very many
  /// gaps, neighbours are merged, including the steps between them.
  void add(Step begin, Step end);
  /// Forgets all gaps from step `size` on.
  void truncate(Step size);

  bool empty() const { return gaps_.empty(); }
  /// Whether a step of [begin, end) lies in a gap.
  bool touch(Step begin, Step end) const;

  std::size_t memory_bytes() const { return gaps_.capacity() * sizeof(Gap); }

 private:
  static constexpr std::size_t kMost = std::size_t{1} << 16;
  struct Gap {
    Step begin;
    Step end;
  };
  std::vector<Gap> gaps_;  ///< ascending
};

}  // namespace ringside::model
