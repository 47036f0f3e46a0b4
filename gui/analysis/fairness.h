// Whether the times of two runs may be compared. Pure functions of their models and settings.
#pragma once

#include <string>
#include <vector>

#include "gui/model/run_model_fwd.h"

namespace ringside::analysis {

/// True for a setting in which fair runs may differ: how many devices, and what follows from that.
bool may_differ(const std::string& setting);

/// What stands against comparing the two: settings by their keys ("train.seed"), and a global batch
/// that rounding made another ("a real global batch of 63 against 64"). Empty: it is fair.
std::vector<std::string> unfair_in(const model::RunModel& run, const model::RunModel& other);

}  // namespace ringside::analysis
