// The steps from the ideal speedup down to the measured one: where the time went. The time of a run
// is divided into parts, and so is its baseline's, whose parts are shared out over the devices: the
// ideal. A part's loss is what the run spent beyond that. Whole nanoseconds on the clock of
// speedup(), so the losses add up exactly to run time minus ideal time. Pure functions of two
// models.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "gui/analysis/scaling/speedup.h"
#include "gui/analysis/step_parts.h"

namespace ringside::analysis {

/// Losses in the order of the waterfall. Times of a step are means over ranks. The time that ranks
/// wait for the last one is data wait as far as that rank waited longer for data, and imbalance
/// otherwise. kOwnExchange is what a baseline of one device exchanged with itself, as DDP does
/// there: it is not a gain of the run, which has kTransfer in full. kOverhead is the loop's own
/// work within a step. Time outside of steps, evaluation and checkpoints, and parts that the run or
/// its baseline did not measure, are kNotMeasured.
enum class Loss : std::uint8_t {
  kDataWait,
  kImbalance,
  kTransfer,
  kOwnExchange,
  kCompute,
  kOverhead,
  kOptimizer,
  kEvaluation,
  kCheckpoint,
  kNotMeasured,
  kCount,
};
inline constexpr std::size_t kLosses = static_cast<std::size_t>(Loss::kCount);
/// Index of the loss in arrays of kLosses elements.
inline std::size_t index_of(Loss loss) { return static_cast<std::size_t>(loss); }
std::string_view name_of(Loss loss);
/// Whether this loss occurs in every step.
inline bool is_of_steps(Loss loss) { return loss <= Loss::kOptimizer; }

/// A rank that spends significantly longer on a part than the others do.
struct SlowRank {
  Rank rank = 0;
  double excess_ns = 0;  ///< per step, above the mean of the others
};

struct LostTime {
  Loss loss = Loss::kNotMeasured;
  bool measured = false;      ///< by both; otherwise both have 0 and kNotMeasured contains it
  std::int64_t run_ns = 0;    ///< part of the run's time
  std::int64_t ideal_ns = 0;  ///< the baseline's time, shared out over the devices
  double x = 0;               ///< part of the lost speedup; the parts add up to the whole loss
  std::int64_t times = 0;     ///< number of steps, evaluations or checkpoints of the run
  std::int64_t baseline_times = 0;
  double error_ns = 0;  ///< 95 % error of lost_ns(), from stretches of steps; NaN: unknown
  StepRange worst;      ///< stretch where it was by far the largest; empty: none
  std::optional<SlowRank> slow;
  std::int64_t lost_ns() const { return run_ns - ideal_ns; }  ///< negative: gained
  /// Whether the loss may be chance; false if its error is unknown.
  bool is_noise() const { return std::abs(static_cast<double>(lost_ns())) < error_ns; }
};

struct Waterfall {
  Speedup speedup;   ///< the speedup that the parts explain; if it is missing, nothing else is set
  double ideal = 0;  ///< speedup if this many devices scaled ideally
  /// The speedup if data wait, imbalance and exchange took no longer than on the baseline; 0:
  /// unknown.
  double without_waiting = 0;
  std::int64_t baseline_ns = 0;
  std::int64_t ideal_ns = 0;  ///< baseline_ns, shared out
  std::int64_t run_ns = 0;
  std::array<LostTime, kLosses> parts;  ///< in the order of Loss
  StepRange steps;                      ///< compared steps of the run
  std::optional<Straggler> late;        ///< in these steps
  Transfer transfer;                    ///< in those of `steps` whose buckets are stored
  double samples_per_step = 0;          ///< mean per device of the run
  double baseline_samples_per_step = 0;
  std::optional<double> start_up_s;  ///< not part of this clock
  std::optional<double> baseline_start_up_s;

  bool given() const { return speedup.missing == NoSpeedup::kNone; }
  const LostTime& part(Loss loss) const { return parts[static_cast<std::size_t>(loss)]; }
};

/// `baseline` may be null; `ended` as for speedup().
Waterfall waterfall(const model::RunModel& run, const model::RunModel* baseline, bool ended);

/// The time of one run divided into parts, named as in LostTime; kNotMeasured is the rest.
struct SpentTime {
  /// Times of the parts of a step, summed over all ranks.
  struct Stretch {
    StepRange steps;
    std::array<std::int64_t, kLosses> ns{};
  };

  std::int64_t total_ns = 0;
  StepRange steps;
  std::array<std::int64_t, kLosses> ns{};  ///< add up to total_ns
  std::array<std::int64_t, kLosses> times{};
  std::array<bool, kLosses> measured{};
  std::vector<Stretch> stretches;  ///< of equal length, for the error estimate
};
SpentTime spent_time(const model::RunModel& model, const TrainedTime& time);

}  // namespace ringside::analysis
