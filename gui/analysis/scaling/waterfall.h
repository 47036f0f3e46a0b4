// The way from the ideal speedup down to the measured one: where the seconds went. The time of a
// run is cut into parts, and so is its baseline's, whose parts are shared out over the devices: the
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

/// Losses in the order of the waterfall. Times of a step are means over ranks, but for the time
/// that ranks wait for the last one: as far as that one waited longer for data, it is data wait;
/// the rest is imbalance. kOwnExchange is what a baseline of one device exchanged with itself, as
/// DDP does there: no gain of the run, which has kTransfer in full. kOverhead is the loop's own
/// work within a step. What lies outside of steps, evaluation and checkpoints, and what the run or
/// its baseline did not measure, is kNotMeasured.
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
/// "data_wait", for scripts.
inline std::size_t index_of(Loss loss) { return static_cast<std::size_t>(loss); }
std::string_view name_of(Loss loss);
/// Whether this loss occurs in every step.
inline bool is_of_steps(Loss loss) { return loss <= Loss::kOptimizer; }

/// A rank that spends longer on a part than the others do, beyond chance.
struct SlowRank {
  Rank rank = 0;
  double excess_ns = 0;  ///< per step, beyond the mean of the others
};

struct LostTime {
  Loss loss = Loss::kNotMeasured;
  bool measured = false;      ///< by both; else both have 0 and kNotMeasured holds it
  std::int64_t run_ns = 0;    ///< of the run's time
  std::int64_t ideal_ns = 0;  ///< the baseline's, shared out over the devices
  double x = 0;               ///< what it takes off the speedup; the parts add up to the whole loss
  std::int64_t times = 0;     ///< steps, evaluations or checkpoints of the run
  std::int64_t baseline_times = 0;
  double error_ns = 0;  ///< of lost_ns(), 95 %, from stretches of steps; NaN: not known
  StepRange worst;      ///< where it was largest by far; empty: nowhere
  std::optional<SlowRank> slow;
  std::int64_t lost_ns() const { return run_ns - ideal_ns; }  ///< below 0: gained
  /// Whether the loss may be chance; false where its error is not known.
  bool is_noise() const { return std::abs(static_cast<double>(lost_ns())) < error_ns; }
};

struct Waterfall {
  Speedup speedup;   ///< what the parts explain; without it nothing else is set
  double ideal = 0;  ///< speedup on as many devices
  /// The speedup if data wait, imbalance and exchange took no longer than on the baseline; 0: not
  /// known.
  double without_waiting = 0;
  std::int64_t baseline_ns = 0;
  std::int64_t ideal_ns = 0;  ///< baseline_ns, shared out
  std::int64_t run_ns = 0;
  std::array<LostTime, kLosses> parts;  ///< in the order of Loss
  StepRange steps;                      ///< of the run, compared
  std::optional<Straggler> late;        ///< in these steps
  Transfer transfer;                    ///< in those of `steps` whose buckets are stored
  double samples_per_step = 0;          ///< of one device of the run, mean
  double baseline_samples_per_step = 0;
  std::optional<double> start_up_s;  ///< outside of this clock
  std::optional<double> baseline_start_up_s;

  bool given() const { return speedup.missing == NoSpeedup::kNone; }
  const LostTime& part(Loss loss) const { return parts[static_cast<std::size_t>(loss)]; }
};

/// `baseline` may be null; `ended` as for speedup().
Waterfall waterfall(const model::RunModel& run, const model::RunModel* baseline, bool ended);

/// The time of one run cut into parts; its times as in LostTime, kNotMeasured the rest.
struct SpentTime {
  /// Time of the parts of a step, summed over all ranks.
  struct Stretch {
    StepRange steps;
    std::array<std::int64_t, kLosses> ns{};
  };

  std::int64_t total_ns = 0;
  StepRange steps;
  std::array<std::int64_t, kLosses> ns{};  ///< add up to total_ns
  std::array<std::int64_t, kLosses> times{};
  std::array<bool, kLosses> measured{};
  std::vector<Stretch> stretches;  ///< of equal length, for the spread
};
SpentTime spent_time(const model::RunModel& model, const TrainedTime& time);

}  // namespace ringside::analysis
