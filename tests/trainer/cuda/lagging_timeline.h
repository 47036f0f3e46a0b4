// A device whose work completes `lag` stamps later; stamp n means the time n * 1000. With kNever it
// never completes.
#pragma once

#include <limits>

#include "trainer/cuda/timeline.h"

namespace ringside::testing {

class LaggingTimeline final : public cuda::Timeline {
 public:
  static constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max() / 2;

  explicit LaggingTimeline(std::int64_t lag) : lag_(lag) {}
  std::int64_t record() override { return ++newest_; }
  std::optional<std::int64_t> resolve(std::int64_t stamp) override {
    if (stamp <= 0) return stamp;
    if (stamp + lag_ > newest_ + waited_) {
      ++waited_;
      return std::nullopt;
    }
    return stamp * 1000;
  }
  std::int64_t uncertainty_ns() override { return uncertainty; }
  double drift_ppm() override { return drift; }
  std::int64_t uncertainty = 0;
  double drift = std::numeric_limits<double>::quiet_NaN();

 private:
  std::int64_t lag_;
  std::int64_t newest_ = 0;
  std::int64_t waited_ = 0;
};

}  // namespace ringside::testing
