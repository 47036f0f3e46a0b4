// A rank's part of its device's memory, as it told in Scalars (protocol/messages/memory_names.h).
// Pure functions of the model.
#pragma once

#include <limits>

#include "gui/model/run_model_fwd.h"

namespace ringside::analysis {

inline constexpr double kMib = 1024.0 * 1024.0;

/// Bytes at the end of the newest step that told; NaN: not known.
struct RankMemory {
  static constexpr double kUntold = std::numeric_limits<double>::quiet_NaN();
  double allocated = kUntold;   ///< of tensors
  double reserved = kUntold;    ///< what the allocator keeps for them
  double peak = kUntold;        ///< the highest `allocated` so far, within steps too
  double parameters = kUntold;  ///< that its optimizers train
  double gradients = kUntold;
  double optimizer = kUntold;
  double rest = kUntold;      ///< of `allocated`, what is none of these three
  double in_steps = kUntold;  ///< from the end of the step up to the peak
  double left = kUntold;      ///< free on the device at its fullest reading, whoever uses it
};
RankMemory memory_of(const model::RunModel& model, const model::RankModel& rank);

/// The device that a rank computes on, where its memory was read; else null.
const model::DeviceModel* read_device_of(const model::RunModel& model,
                                         const model::RankModel& rank);

}  // namespace ringside::analysis
