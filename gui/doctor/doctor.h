// Runs the checks one after the other and reports the result of each. Any one thread; takes
// minutes.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "gui/doctor/check.h"
#include "gui/launch/child.h"
#include "gui/launch/machine.h"
#include "protocol/base/result.h"

namespace ringside::doctor {

struct DoctorRequest {
  bool gpu = false;  ///< all checks, on GPUs; otherwise those that can run on CPU slots
  bool quick = false;
  std::vector<std::string> only{};  ///< names of checks; empty: all
  double limit_s = 0;               ///< time limit of each check; 0: its default
  launch::Cancelled cancelled{};
};

/// A bad request names the nearest check for each unknown name.
Result<void> known_checks(const std::vector<std::string>& names);

/// Called before each check, with `result` null, and after it.
using CheckWatch = std::function<void(const CheckKind&, const CheckResult* result)>;

/// One result per check, in their order. A check that cannot run is skipped with the reason; one
/// that gives no numbers fails. No process of their runs remains, and the list of runs does not
/// show them.
std::vector<CheckResult> examine(const launch::Machine& machine, const DoctorRequest& request,
                                 const CheckWatch& watch = {});

/// Whether no check failed.
bool healthy(const std::vector<CheckResult>& results);

}  // namespace ringside::doctor
