// Which steps of a rank are missing because the records that would have told them were lost. Steps
// that a program does not report stand in no hole. One thread; lives inside the model.
#pragma once

#include <cstddef>
#include <vector>

#include "protocol/base/ids.h"

namespace ringside::model {

class Holes {
 public:
  /// The steps from `begin` up to and without `end`, behind all that were added before. Of very
  /// many holes neighbours are put together, with what lies between them.
  void add(Step begin, Step end);
  /// Forgets everything from `size` on.
  void truncate(Step size);

  bool empty() const { return holes_.empty(); }
  /// True when a step of [begin, end) lies in a hole.
  bool touch(Step begin, Step end) const;

  std::size_t memory_bytes() const { return holes_.capacity() * sizeof(Hole); }

 private:
  static constexpr std::size_t kMost = std::size_t{1} << 16;
  struct Hole {
    Step begin;
    Step end;
  };
  std::vector<Hole> holes_;  ///< ascending
};

}  // namespace ringside::model
