// The rules of alerts that need arithmetic: the origin of a broken loss, a loss that diverges,
// steps that take twice the time, a slowed device, a disk that fills up. Each returns nothing if
// what it needs was not recorded or the figure is within its noise. Pure functions of the model.
//
// | Rule          | Needs                            | Nothing below or for                       |
// |---------------|----------------------------------|--------------------------------------------|
// | broken_loss   | loss of every rank               | one step; an unknown loss                  |
// | broken_gradient | local gradients of a step      | one bucket of one rank in one step         |
// | diverged      | mean loss, 200 steps             | 6 deviations of a step, 3/4 of what was    |
// |               |                                  | gained, half of the lowest; and twice the  |
// |               |                                  | loss of the first step                     |
// | loss_spike    | mean loss, 200 steps before it   | 12 deviations, three times the highest of  |
// |               |                                  | the 200 steps before                       |
// | slow_steps    | step time of one rank, 60 steps  | twice the median, 6 deviations, every      |
// |               |                                  | second quartile above 1.5 times            |
// | slowed_device | throttle reasons                 | 5 s without a break; a power cap           |
// | low_disk      | free bytes on the run's disk     | 1 GiB, or two of its largest checkpoints   |
// | memory_creep  | allocated bytes of a rank, 64    | a drop in between, 1 MiB and 0.1 %; if     |
// |               | samples, at least 1 s apart      | it lasts until the planned end, or a day   |
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "gui/analysis/range.h"

namespace ringside::messages {
struct RunSpec;
}

namespace ringside::analysis {

/// Number of steps of a rank whose loss is NaN or Inf, and the first of them; -1: none.
struct NonFinite {
  Step first = -1;
  std::uint64_t count = 0;
};
NonFinite non_finite_losses(const model::RunModel& model, Rank rank);

/// Why the rank with the first broken loss is not taken for its origin.
enum class NoOrigin : std::uint8_t {
  kNone,       ///< it is the origin
  kOnlyRank,   ///< the only rank of the run
  kAllAtOnce,  ///< every rank's loss broke in the same step: something they share was broken before
  kGradient,   ///< like kAllAtOnce, and the averaged gradient of the step before was NaN or Inf
  kNotHeard,   ///< a rank's loss of that step is missing
};

/// The first step with a loss that is NaN or Inf. A rank computes its loss before anything is
/// exchanged in the step, so a rank whose loss breaks before the others' is the origin.
struct BrokenLoss {
  Step step = -1;
  std::vector<Rank> ranks;  ///< ranks whose loss broke in that step, ascending
  std::uint64_t steps = 0;  ///< number of steps with a broken loss, on the rank with the most
  NoOrigin no_origin = NoOrigin::kNone;
  bool origin_known() const { return no_origin == NoOrigin::kNone; }
};
std::optional<BrokenLoss> broken_loss(const model::RunModel& model);

/// Whether the loss broke and is NaN or Inf at the end: the result is worthless, even if the run
/// ended normally.
bool ended_in_nan(const model::RunModel& model);

/// Whether a run that ended so counts as failed, which its settings can turn off.
bool nan_is_failure(const messages::RunSpec& spec);

/// The first step in which a gradient was NaN or Inf before the all-reduce, and the ranks that
/// computed it: the origin of a loss that breaks on all ranks at once. Steps that a loss scaler
/// skipped do not count; nothing if a loss was NaN or Inf before that.
struct BrokenGradient {
  Step step = -1;
  std::vector<Rank> ranks;  ///< ascending
  bool all_heard = false;   ///< the gradients of the other ranks are known to be finite
};
std::optional<BrokenGradient> broken_gradient(const model::RunModel& model);

/// The newest steps compared with an earlier time of the same run; medians.
struct Change {
  double before = 0;
  double now = 0;
  Step before_step = 0;  ///< approximate step of the earlier time
};
/// The loss rose from its lowest, so that most of the progress is lost. Or it is far above that of
/// the first step, so that nothing was gained.
std::optional<Change> diverged(const model::RunModel& model);

/// A step among the newest 50, `before_step`, whose loss is far above those before it; `before` is
/// their median.
std::optional<Change> loss_spike(const model::RunModel& model);

/// Whole step times in ns of the lowest rank that reports them: of the first 200 steps after the
/// warm-up of this attempt, and of the newest 50.
std::optional<Change> slow_steps(const model::RunModel& model);

struct SlowedDevice {
  std::size_t index = 0;  ///< index in RunModel::devices()
  Rank rank = kNoRank;    ///< rank that uses the device; kNoRank: none reported it
  double seconds = 0;     ///< without interruption
};
std::vector<SlowedDevice> slowed_devices(const model::RunModel& model);

struct LowDisk {
  Node node = 0;
  std::int64_t free_bytes = 0;
  std::int64_t wanted_bytes = 0;  ///< limit that the free space is below
};
std::vector<LowDisk> low_disks(const model::RunModel& model);

/// Memory that a rank holds at the end of a step and never frees: among 64 samples, the minimum of
/// the newest quarter is above all samples of the first half, and that of the second quarter above
/// that of the first.
struct MemoryCreep {
  Rank rank = kNoRank;         ///< that will run out first, or else grows fastest
  double bytes_per_step = 0;   ///< between the minimums of the first and the last quarter
  double allocated_bytes = 0;  ///< at the end of the newest step
  /// Steps until its peak, growing at this rate, exceeds the device's memory.
  std::optional<double> steps{};
  double seconds_per_step = 0;
};
/// Nothing if the memory will last until the planned end of the run, or for a day if no end is
/// planned. If the capacity of the device is unknown, or several ranks share it, growth below 5 %
/// is not reported.
std::optional<MemoryCreep> memory_creep(const model::RunModel& model);

}  // namespace ringside::analysis
