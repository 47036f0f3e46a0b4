// A rank's memory on its device, as reported in Scalars (protocol/messages/memory_names.h). Pure
// functions of the model.
#pragma once

#include <limits>

#include "gui/model/run_model_fwd.h"

namespace ringside::analysis {

inline constexpr double kMib = 1024.0 * 1024.0;

/// Bytes at the end of the newest step with a report; NaN: unknown.
struct RankMemory {
  static constexpr double kNotReported = std::numeric_limits<double>::quiet_NaN();
  double allocated = kNotReported;   ///< by tensors
  double reserved = kNotReported;    ///< by the allocator
  double peak = kNotReported;        ///< highest `allocated` so far, including within steps
  double parameters = kNotReported;  ///< trained by its optimizers
  double gradients = kNotReported;
  double optimizer = kNotReported;
  double rest = kNotReported;      ///< part of `allocated` that is none of these three
  double in_steps = kNotReported;  ///< from the end of the step to the peak
  /// Free memory of the device at its fullest reading, whoever uses the rest.
  double left = kNotReported;
};
RankMemory memory_of(const model::RunModel& model, const model::RankModel& rank);

/// The device that a rank computes on, if its memory was read; otherwise null.
const model::DeviceModel* read_device_of(const model::RunModel& model,
                                         const model::RankModel& rank);

}  // namespace ringside::analysis
