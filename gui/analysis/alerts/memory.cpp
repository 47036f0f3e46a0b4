#include "gui/analysis/alerts/memory.h"

#include "gui/model/machine_model.h"
#include "gui/model/rank_model.h"
#include "gui/model/run_model.h"
#include "protocol/messages/memory_names.h"

namespace ringside::analysis {

RankMemory memory_of(const model::RunModel& model, const model::RankModel& rank) {
  const auto told = [&](const char* name) {
    const model::ScalarName* values = model.scalars().find(name);
    const model::ScalarSeries* series = values == nullptr ? nullptr : values->of(rank.rank);
    return series == nullptr ? RankMemory::kNotReported : series->latest() * kMib;
  };
  RankMemory memory;
  memory.allocated = told(messages::kMemoryAllocated);
  memory.reserved = told(messages::kMemoryReserved);
  memory.peak = told(messages::kMemoryPeak);
  memory.parameters = told(messages::kMemoryParameters);
  memory.gradients = told(messages::kMemoryGradients);
  memory.optimizer = told(messages::kMemoryOptimizer);
  const double parts = memory.parameters + memory.gradients + memory.optimizer;
  // The parts are reported only when their number changes, so they may exceed the allocated memory
  // after a script has freed its gradients.
  if (memory.allocated >= parts) memory.rest = memory.allocated - parts;
  memory.in_steps = memory.peak - memory.allocated;
  if (const model::DeviceModel* device = read_device_of(model, rank))
    memory.left =
        static_cast<double>(device->latest.memory_total_bytes - device->peak_memory_bytes);
  return memory;
}

const model::DeviceModel* read_device_of(const model::RunModel& model,
                                         const model::RankModel& rank) {
  using messages::DeviceField;
  const model::DeviceModel* device =
      rank.hello ? model.device(rank.node, rank.hello->device_uuid) : nullptr;
  const bool read = device != nullptr && is_valid(device->latest, DeviceField::kMemoryUsed) &&
                    is_valid(device->latest, DeviceField::kMemoryTotal);
  return read ? device : nullptr;
}

}  // namespace ringside::analysis
