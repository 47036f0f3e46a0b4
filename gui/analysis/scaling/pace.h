// The speed of a run after its warm-up with its statistical error, and whether it is slower than
// another run. Consecutive steps are correlated (a busy host is busy for a while), so the error is
// computed from stretches of steps, not from single ones. Pure functions of models.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "gui/analysis/scaling/scaling_fit.h"
#include "gui/model/run_model_fwd.h"
#include "protocol/base/ids.h"

namespace ringside::analysis {

/// Samples of all ranks per second after the warm-up, with the standard error.
struct Pace {
  double samples_per_s = 0;  ///< NaN: the ranks do not report their samples
  double relative_error = 0;
  Step steps = 0;
  double step_ns = 0;       ///< mean
  std::size_t freedom = 1;  ///< degrees of freedom of the error
};
/// Standard error of the mean of consecutive step times.
struct MeanError {
  double error = 0;
  std::size_t freedom = 1;
};
/// Computed from means of stretches of at least 10 steps; if neighbouring stretches are correlated,
/// as with a drift, they count for fewer. Never smaller than for independent steps.
MeanError mean_error(std::span<const double> times);

/// Nothing with fewer than 10 timed steps.
std::optional<Pace> pace_of(const model::RunModel& model);
/// Whether `run` is slower than `other` by more than 3 standard errors of both and 2 %.
bool surely_slower(const Pace& run, const Pace& other);

/// Half of the 95 % interval of the difference between the means of two groups of values, from
/// their sums of squares about their own means: Student's t with the pooled deviation. 0 if neither
/// group has two values.
double difference_half(double squares_a, std::size_t count_a, double squares_b,
                       std::size_t count_b);

/// Result for a limit: kept, broken, or undecided because of noise.
enum class LimitVerdict : std::uint8_t { kPass, kFail, kTooNoisy };
/// Name for scripts; never changes.
std::string_view name_of(LimitVerdict verdict);

/// Relative increase of the step time: 0.05 is 5 % slower, negative is faster.
struct Slowdown {
  Interval slower;  ///< 95 % interval
  LimitVerdict verdict = LimitVerdict::kTooNoisy;
  /// The interval is mostly due to differences between repeats, and not between steps.
  bool of_repeats = false;
  /// Factor by which more steps or repeats would decide, at the same noise; 0: it is decided, or no
  /// number would, since the run is at the limit.
  double times_as_many = 0;
};
/// Compares the repeats of one study setting with those of another; neither may be empty. Fails if
/// the whole interval is above `limit`, passes if none of it is.
Slowdown slowdown(std::span<const Pace> ours, std::span<const Pace> theirs, double limit);

/// Differences that give the steps of two runs different work, so that their times cannot be
/// compared: "batch.size 64 against 32". Empty: none is known.
std::vector<std::string> other_step_work(const model::RunModel& run,
                                         const model::RunModel& baseline);
/// All other differences, which may be the subject of the comparison: "train.precision bf16 against
/// fp32", "train.py was edited".
std::vector<std::string> other_settings_of(const model::RunModel& run,
                                           const model::RunModel& baseline);

}  // namespace ringside::analysis
