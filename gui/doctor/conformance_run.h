// Starts a command twice as the ranks of a run, through a real agent in a temporary folder, and
// judges its records. Any one thread; blocks until both runs have ended.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gui/doctor/conformance.h"
#include "gui/launch/child.h"
#include "gui/launch/machine.h"
#include "protocol/base/result.h"

namespace ringside::doctor {

struct ConformanceRequest {
  std::vector<std::string> command;
  std::int32_t ranks = 2;
  double limit_s = 60;  ///< for each start
  launch::Cancelled cancelled{};
};

/// Fails if a start did not end in time; none of its processes remains.
Result<std::vector<RuleResult>> try_conformance(const launch::Machine& machine,
                                                const ConformanceRequest& request);

}  // namespace ringside::doctor
