// The metrics: values that are measured on a rank in every step, and how they are shown. A field of
// StepReport with a row here is stored and appears in the table of ranks, its column chooser, the
// grid and the report; CSV and TensorBoard use the fields themselves. Plain data.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>

namespace ringside::model {

/// The columns by step. Times in ns. kOwnWork = data wait + host to device + forward + backward:
/// what the rank did before it was ready. This time, not that of the whole step, shows who is slow.
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
  kLossScale,
  kSkipped,
  kLocalGradNorm,
  kNonFiniteBuckets,
  kCount,
};
inline constexpr std::size_t kMetrics = static_cast<std::size_t>(Metric::kCount);

/// How steps are combined into one figure of a rank: the newest step, the mean of recent steps, or
/// the sum of all.
enum class OverSteps : std::uint8_t { kNewest, kRecentMean, kSum };
enum class OverRanks : std::uint8_t { kNone, kMean, kSum };

struct MetricInfo {
  Metric metric = Metric::kCount;
  std::string_view field{};  ///< of StepReport; empty: computed from several
  std::string_view key{};    ///< name in files and settings; never changes
  std::string_view label{};  ///< "Grad norm"; empty: never shown by itself
  std::string_view unit{};   ///< unit of the shown value
  int decimals = 0;          ///< negative: as many as the number has
  double scale = 1;          ///< factor from the stored to the shown value
  OverSteps over_steps = OverSteps::kNewest;
  OverRanks over_ranks = OverRanks::kNone;
  bool lower_is_better = true;  ///< tables are sorted with the worst rank first
  bool shown = false;           ///< shown in the table of ranks by default
  /// Order in which columns of that table are hidden if there is no room, highest first; 0: never.
  int drop_order = 14;
  /// Usual value, which is not stored and is assumed where nothing is stored; NaN: none.
  double at_rest = std::numeric_limits<double>::quiet_NaN();
  bool at_intervals = false;  ///< not measured in every step: the newest measured one counts
};

namespace detail {
inline constexpr MetricInfo phase(Metric metric, std::string_view field, std::string_view key,
                                  std::string_view label) {
  return {metric, field, key, label, "ms", 1, 1e-6, OverSteps::kRecentMean, OverRanks::kMean};
}
}  // namespace detail

/// One row per metric, in their order.
inline constexpr std::array<MetricInfo, kMetrics> kMetricInfos{{
    {.metric = Metric::kLoss,
     .field = "loss",
     .key = "loss",
     .label = "Step loss",
     .decimals = 3,
     .over_ranks = OverRanks::kMean,
     .shown = true,
     .drop_order = 0},
    {.metric = Metric::kGradNorm,
     .field = "grad_norm",
     .key = "grad_norm",
     .label = "Grad norm",
     .decimals = 2,
     .shown = true,
     .drop_order = 10,
     .at_intervals = true},
    {.metric = Metric::kLr, .field = "lr", .key = "lr", .label = "Learning rate", .decimals = -1},
    {.metric = Metric::kSamples,
     .field = "samples",
     .key = "samples",
     .label = "Batch",
     .over_ranks = OverRanks::kSum,
     .lower_is_better = false},
    {.metric = Metric::kCorrect, .field = "correct", .key = "correct"},
    detail::phase(Metric::kDataWait, "data_wait_ns", "data_wait", "Data wait"),
    detail::phase(Metric::kHostToDevice, "host_to_device_ns", "host_to_device", "Copy"),
    detail::phase(Metric::kForward, "forward_ns", "forward", "Forward"),
    detail::phase(Metric::kBackward, "backward_ns", "backward", "Backward"),
    detail::phase(Metric::kExposedComm, "exposed_comm_ns", "exposed_comm", "Exposed comm"),
    detail::phase(Metric::kOptimizer, "optimizer_ns", "optimizer", "Optimizer"),
    detail::phase(Metric::kStepTime, "step_ns", "step_time", "Step mean"),
    {.metric = Metric::kOwnWork,
     .key = "own",
     .label = "Data + compute",
     .unit = "ms",
     .decimals = 1,
     .scale = 1e-6,
     .over_steps = OverSteps::kRecentMean,
     .shown = true,
     .drop_order = 1},
    {.metric = Metric::kLossScale,
     .field = "loss_scale",
     .key = "loss_scale",
     .label = "Loss scale",
     .decimals = -1,
     .lower_is_better = false,
     .at_rest = 1},
    {.metric = Metric::kSkipped,
     .field = "skipped",
     .key = "skipped_steps",
     .label = "Skipped steps",
     .over_steps = OverSteps::kSum,
     .at_rest = 0},
    {.metric = Metric::kLocalGradNorm,
     .field = "local_grad_norm",
     .key = "local_grad_norm",
     .label = "Local grad norm",
     .decimals = 2,
     .at_intervals = true},
    {.metric = Metric::kNonFiniteBuckets,
     .field = "non_finite_buckets",
     .key = "non_finite_buckets",
     .at_rest = 0},
}};

inline constexpr const MetricInfo& info_of(Metric metric) {
  return kMetricInfos[static_cast<std::size_t>(metric)];
}

}  // namespace ringside::model
