// How fast a run trains after its warm-up, how far that may be chance, and whether it became slower
// than another. Steps that follow each other are alike (a busy host is busy for a while), so the
// error is that of stretches of steps, not of single ones. Pure functions of models.
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

/// Samples of all ranks per second of their steps after the warm-up, with its standard error.
struct Pace {
  double samples_per_s = 0;  ///< NaN: the ranks do not report their samples
  double relative_error = 0;
  Step steps = 0;
  double step_ns = 0;       ///< mean
  std::size_t freedom = 1;  ///< degrees of freedom of the error
};
/// Standard error of a mean of times of steps that follow each other.
struct MeanError {
  double error = 0;
  std::size_t freedom = 1;
};
/// From means of stretches of at least 10 steps; where neighbouring stretches are alike too, as
/// under a drift, they count for fewer. Never less than that of independent steps.
MeanError mean_error(std::span<const double> times);

/// Nothing with fewer than 10 timed steps.
std::optional<Pace> pace_of(const model::RunModel& model);
/// True when `run` is slower than `other` by more than 3 standard errors of both and 2 %.
bool surely_slower(const Pace& run, const Pace& other);

/// Half of the interval of 95 % of the difference of the means of two groups of values, from their
/// sums of squares about their own means: Student's t with the deviation that both have in common.
/// 0 where neither group has two values.
double difference_half(double squares_a, std::size_t count_a, double squares_b,
                       std::size_t count_b);

/// What is known of a limit: kept, broken, or lost in the noise.
enum class LimitVerdict : std::uint8_t { kPass, kFail, kTooNoisy };
/// Name for scripts; never changes.
std::string_view name_of(LimitVerdict verdict);

/// By how much steps became longer, as a share: 0.05 is 5 % slower, below 0 faster.
struct Slowdown {
  Interval slower;  ///< of 95 %
  LimitVerdict verdict = LimitVerdict::kTooNoisy;
  bool of_repeats = false;  ///< the interval is mostly what repeats differ by, else what steps do
  /// How many times as many steps or repeats would decide, at the same noise; 0: it is decided, or
  /// no number does since the run is at the limit itself.
  double times_as_many = 0;
};
/// Compares the repeats of one study setting with those of another; neither may be empty. Fails if
/// the whole interval is above `limit`, passes if none of it is.
Slowdown slowdown(std::span<const Pace> ours, std::span<const Pace> theirs, double limit);

/// Differences between two runs that give a step other work, so that its time cannot be compared:
/// "batch.size 64 against 32". Empty: none that is known.
std::vector<std::string> other_step_work(const model::RunModel& run,
                                         const model::RunModel& baseline);
/// All other differences, which may be the very thing that is judged: "train.precision bf16 against
/// fp32", "train.py was edited".
std::vector<std::string> other_settings_of(const model::RunModel& run,
                                           const model::RunModel& baseline);

}  // namespace ringside::analysis
