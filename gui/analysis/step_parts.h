// How the time of a step is spent, per rank. The parts are whole nanoseconds and add up exactly to
// the step; unmeasured time is `other`. Pure functions of the model.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "gui/analysis/range.h"

namespace ringside::analysis {

/// Parts in the order of a step. kCommunication is exposed communication that could not be split
/// because not every rank reported when it was ready; otherwise it is in kWaitSlowest and
/// kAllReduce.
enum class Part : std::uint8_t {
  kDataWait,
  kHostToDevice,
  kForward,
  kBackward,
  kWaitSlowest,
  kAllReduce,
  kCommunication,
  kOptimizer,
  kOther,
  kCount,
};
inline constexpr std::size_t kParts = static_cast<std::size_t>(Part::kCount);
std::string_view name_of(Part part);

/// Sums over `steps` steps.
struct StepParts {
  Rank rank = 0;
  Step steps = 0;
  std::array<std::int64_t, kParts> total_ns{};
  std::array<bool, kParts>
      known{};  ///< false: never measured, or not applicable, such as waiting on a single rank
  std::int64_t step_ns = 0;  ///< equals the sum of total_ns

  double mean_ns(Part part) const;
  double mean_step_ns() const;
  double mean_own_work_ns() const;
};

/// Parts of one rank's steps, over those of the range that it reported.
StepParts step_parts(const model::RunModel& model, Rank rank, StepRange range);
/// Parts of every rank's steps, ascending by rank.
std::vector<StepParts> step_parts(const model::RunModel& model, StepRange range);
/// Parts of every rank's steps over recent_steps(), computed once per revision of the model.
const std::vector<StepParts>& recent_step_parts(const model::RunModel& model);
/// Mean over ranks, with rank kNoRank; adds up as well.
StepParts mean_of(std::span<const StepParts> ranks);

/// The gradient exchange per step, over those steps of a range whose buckets are stored (the
/// newest, `steps` of them). A bucket's transfer begins when its last rank is ready. `hidden` is
/// the part during which some rank was still in its backward pass.
struct Transfer {
  Step steps = 0;
  std::int32_t buckets = 0;     ///< per step
  std::int64_t size_bytes = 0;  ///< per step
  double transfer_ns = 0;       ///< mean per step
  double hidden_ns = 0;
  double exposed_ns = 0;
  double bus_bytes_per_s = 0;  ///< 2 (N - 1) / N x bytes / time, of a ring all-reduce
};
Transfer transfer(const model::RunModel& model, StepRange range);

}  // namespace ringside::analysis
