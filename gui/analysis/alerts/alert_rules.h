// The rules of alerts that need arithmetic: where a broken loss came from, a loss that diverges,
// steps that take twice the time, a device that is slowed, a disk that runs full. Each says nothing
// where what it needs was not recorded or the figure lies within its noise. Pure functions of the
// model.
//
// | Rule          | Needs                            | Says nothing below                         |
// |---------------|----------------------------------|--------------------------------------------|
// | broken_loss   | loss of every rank               | one step; an unknown loss is no broken one |
// | broken_gradient | local gradients of a step      | one bucket of one rank in one step         |
// | diverged      | mean loss, 200 steps             | 6 deviations of a step, 3/4 of what was    |
// |               |                                  | gained, half of the lowest; and twice the  |
// |               |                                  | loss of the first step                     |
// | loss_spike    | mean loss, 200 steps before it   | 12 deviations, three times the highest of  |
// |               |                                  | the 200 steps before                       |
// | slow_steps    | step time of one rank, 60 steps  | twice the median, 6 deviations, every      |
// |               |                                  | second quartile above 1.5 times            |
// | slowed_device | throttle reasons                 | 5 s without a break; a power cap           |
// | low_disk      | free bytes where the run lies    | 1 GiB, or two of its largest checkpoints   |
// | memory_creep  | allocated bytes of a rank, 64    | a fall in between, 1 MiB and 0.1 %; where  |
// |               | looks, a second or more apart    | it lasts until the planned end, or a day   |
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "gui/analysis/range.h"

namespace ringside::analysis {

/// Steps of a rank whose loss is NaN or Inf, and the first of them; -1: none.
struct NonFinite {
  Step first = -1;
  std::uint64_t count = 0;
};
NonFinite non_finite_losses(const model::RunModel& model, Rank rank);

/// Why the rank with the first broken loss is not called its origin.
enum class NoOrigin : std::uint8_t {
  kNone,       ///< it is
  kOnlyRank,   ///< the only rank of the run
  kAllAtOnce,  ///< every rank's loss broke in the same step: what they share was broken before
  kGradient,   ///< the same, and the averaged gradient of the step before was not a number
  kNotHeard,   ///< a rank did not report its loss of that step
};

/// The first step with a loss that is not a number. A rank's loss is measured before anything is
/// exchanged in its step, so that a rank which breaks before the others is where it began.
struct BrokenLoss {
  Step step = -1;
  std::vector<Rank> ranks;  ///< whose loss broke in that step, ascending
  std::uint64_t steps = 0;  ///< that are like that, on the rank with the most
  NoOrigin no_origin = NoOrigin::kNone;
  bool origin_known() const { return no_origin == NoOrigin::kNone; }
};
std::optional<BrokenLoss> broken_loss(const model::RunModel& model);

/// The first step in which a gradient was NaN or Inf before the all-reduce, on the ranks that
/// computed it so: where a loss that breaks on all ranks at once began. A step that a loss scaler
/// skipped harmed nobody and is none; nothing where a loss was not a number before that.
struct BrokenGradient {
  Step step = -1;
  std::vector<Rank> ranks;  ///< ascending
  bool all_heard = false;   ///< the others are known to have been finite
};
std::optional<BrokenGradient> broken_gradient(const model::RunModel& model);

/// The newest steps against an earlier time of the same run; medians.
struct Change {
  double before = 0;
  double now = 0;
  Step before_step = 0;  ///< about when it was so
};
/// The loss rose from its lowest: most of what the run had gained is lost again. Or it is far above
/// that of the first step, so that nothing was gained.
std::optional<Change> diverged(const model::RunModel& model);

/// A step among the newest 50, `before_step`, whose loss leaped out of those before it; `before` is
/// their median.
std::optional<Change> loss_spike(const model::RunModel& model);

/// Whole step times in ns, of the lowest rank that reports them: of the first 200 steps after the
/// warm-up of this attempt, and of the newest 50.
std::optional<Change> slow_steps(const model::RunModel& model);

struct SlowedDevice {
  std::size_t index = 0;  ///< in RunModel::devices()
  Rank rank = kNoRank;    ///< that uses the device; kNoRank: none reported it
  double seconds = 0;     ///< without a break
};
std::vector<SlowedDevice> slowed_devices(const model::RunModel& model);

struct LowDisk {
  Node node = 0;
  std::int64_t free_bytes = 0;
  std::int64_t wanted_bytes = 0;  ///< the limit it is below
};
std::vector<LowDisk> low_disks(const model::RunModel& model);

/// Memory that a rank holds at the end of a step and never gives back: the lowest of the newest
/// quarter of 64 looks lies above all that was before their newest half, and that of the second
/// above that of the first.
struct MemoryCreep {
  Rank rank = kNoRank;            ///< that runs out first, else grows fastest
  double bytes_per_step = 0;      ///< between the lowest of the first and of the last quarter
  double allocated_bytes = 0;     ///< now
  std::optional<double> steps{};  ///< until its peak, grown so, is more than its device has
  double seconds_per_step = 0;
};
/// Nothing if the memory will last until the planned end of the run, or for a day if no end is
/// planned. If the capacity of the device is not known, or several ranks share it, growth below 5 %
/// is not reported.
std::optional<MemoryCreep> memory_creep(const model::RunModel& model);

}  // namespace ringside::analysis
