// The clock of one node against that of node 0: the comparisons by which times were converted, and
// the steps that each was used for. All ranks of a node have the times of a step converted by the
// same comparison, so that their order among themselves is exact. Plain data, used by one thread.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "gui/model/bounds.h"
#include "gui/model/column.h"
#include "protocol/base/ids.h"
#include "protocol/messages/event_records.h"

namespace ringside::model {

/// The difference clock(node) - clock(node 0), and its uncertainty, at one moment.
struct ClockOffset {
  std::int64_t offset_ns = 0;
  std::int64_t uncertainty_ns = 0;  ///< at `at_ns`
  std::int64_t at_ns = 0;           ///< on the clock of node 0
  /// Uncertainty at another time, which grows because clocks drift.
  std::int64_t uncertainty_at(std::int64_t ns) const {
    return std::min(kMaxOffsetNs, uncertainty_ns + messages::clock_drift_ns(ns - at_ns));
  }
};

class ClockHistory {
 public:
  /// Adds a newer offset, by which times are converted from now on.
  void add(const ClockOffset& told) {
    // An offset that was not used for any step is replaced.
    if (!told_.empty() && !newest_used_) told_.pop_back();
    told_.push_back(told);
    newest_used_ = false;
  }
  /// The newest offset; at least one must have been added.
  const ClockOffset& newest() const { return told_.back(); }

  /// The offset for times of this step: the newest one when the first rank of the node reported the
  /// step.
  const ClockOffset& use_for(Step step) {
    const auto at = static_cast<std::size_t>(step);
    const std::int32_t known = of_step_.at(at);
    if (known >= 0) return told_[static_cast<std::size_t>(known)];
    of_step_.set(at, static_cast<std::int32_t>(told_.size() - 1));
    newest_used_ = true;
    return told_.back();
  }
  /// Uncertainty of a time of that step against node 0; kMaxOffsetNs if none was converted.
  std::int64_t uncertainty_of(Step step, std::int64_t at_ns) const {
    const std::int32_t known = of_step_.at(static_cast<std::size_t>(step));
    return known < 0 ? kMaxOffsetNs : told_[static_cast<std::size_t>(known)].uncertainty_at(at_ns);
  }

  /// Forgets steps from this one on, as they are trained again.
  void truncate(Step first_step) { of_step_.truncate(static_cast<std::size_t>(first_step)); }
  std::size_t memory_bytes() const {
    return told_.capacity() * sizeof(ClockOffset) + of_step_.memory_bytes();
  }

 private:
  std::vector<ClockOffset> told_;
  Column<std::int32_t> of_step_;  ///< by step: index in told_; negative: none
  bool newest_used_ = false;      ///< a step refers to the newest offset
};

}  // namespace ringside::model
