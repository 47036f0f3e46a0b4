#include "gui/model/holes.h"

#include <algorithm>

namespace ringside::model {

void Holes::add(Step begin, Step end) {
  if (holes_.size() == kMost) {
    for (std::size_t i = 0; i < kMost / 2; ++i)
      holes_[i] = {holes_[2 * i].begin, holes_[2 * i + 1].end};
    holes_.resize(kMost / 2);
  }
  holes_.push_back({begin, end});
}

void Holes::truncate(Step size) {
  while (!holes_.empty() && holes_.back().begin >= size) holes_.pop_back();
  if (!holes_.empty()) holes_.back().end = std::min(holes_.back().end, size);
}

bool Holes::touch(Step begin, Step end) const {
  const auto first = std::partition_point(holes_.begin(), holes_.end(),
                                          [&](const Hole& hole) { return hole.end <= begin; });
  return first != holes_.end() && first->begin < end;
}

}  // namespace ringside::model
