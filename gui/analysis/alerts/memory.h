// A rank's memory on its device, as reported in Scalars (protocol/messages/memory_names.h). Pure
// functions of the model.
#pragma once

#include <limits>

#include "gui/model/run_model_fwd.h"

namespace ringside::analysis {

inline constexpr double kMib = 1024.0 * 1024.0;

/// Bytes at the end of the newest step with a report; NaN: unknown.
struct RankMemory {
  static constexpr double kUntold = std::numeric_limits<double>::quiet_NaN();
  double allocated = kUntold;   ///< by tensors
  double reserved = kUntold;    ///< by the allocator
  double peak = kUntold;        ///< highest `allocated` so far, including within steps
  double parameters = kUntold;  ///< trained by its optimizers
  double gradients = kUntold;
  double optimizer = kUntold;
  double rest = kUntold;      ///< part of `allocated` that is none of these three
  double in_steps = kUntold;  ///< from the end of the step to the peak
  /// Free memory of the device at its fullest reading, whoever uses the rest.
  double left = kUntold;
};
RankMemory memory_of(const model::RunModel& model, const model::RankModel& rank);

/// The device that a rank computes on, if its memory was read; otherwise null.
const model::DeviceModel* read_device_of(const model::RunModel& model,
                                         const model::RankModel& rank);

}  // namespace ringside::analysis
