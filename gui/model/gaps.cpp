#include "gui/model/gaps.h"

#include <algorithm>

namespace ringside::model {

void Gaps::add(Step begin, Step end) {
  if (gaps_.size() == kMost) {
    for (std::size_t i = 0; i < kMost / 2; ++i)
      gaps_[i] = {gaps_[2 * i].begin, gaps_[2 * i + 1].end};
    gaps_.resize(kMost / 2);
  }
  gaps_.push_back({begin, end});
}

void Gaps::truncate(Step size) {
  while (!gaps_.empty() && gaps_.back().begin >= size) gaps_.pop_back();
  if (!gaps_.empty()) gaps_.back().end = std::min(gaps_.back().end, size);
}

bool Gaps::touch(Step begin, Step end) const {
  const auto first = std::partition_point(gaps_.begin(), gaps_.end(),
                                          [&](const Gap& gap) { return gap.end <= begin; });
  return first != gaps_.end() && first->begin < end;
}

}  // namespace ringside::model
