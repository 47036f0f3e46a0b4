// What is measured of a rank at every step: the columns of its model. Plain data.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ringside::model {

/// The columns by step. Times in ns. kOwnWork = data wait + host to device + forward + backward:
/// what the rank did before it was ready; that, not the whole step, shows who is slow.
enum class Metric : std::uint8_t {
  kLoss,
  kGradNorm,
  kLr,
  kSamples,
  kCorrect,
  kDataWait,
  kHostToDevice,
  kForward,
  kBackward,
  kExposedComm,
  kOptimizer,
  kStepTime,
  kOwnWork,
  kCount,
};
inline constexpr std::size_t kMetrics = static_cast<std::size_t>(Metric::kCount);

}  // namespace ringside::model
