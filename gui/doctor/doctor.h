// Runs the checks one after the other and says what each found. Any one thread; minutes long.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "gui/doctor/check.h"
#include "gui/launch/child.h"
#include "gui/launch/machine.h"
#include "protocol/base/result.h"

namespace ringside::doctor {

struct Wish {
  bool gpu = false;  ///< all checks, on GPUs; else those that have a form for CPU slots
  bool quick = false;
  std::vector<std::string> only{};  ///< names of checks; empty: all
  double limit_s = 0;               ///< time limit of each check; 0: its default
  launch::Cancelled cancelled{};
};

/// A bad request names the nearest check for a name that is none.
Result<void> known_checks(const std::vector<std::string>& names);

/// Told before each check begins and after it; `result` is null before.
using CheckWatch = std::function<void(const CheckKind&, const CheckResult* result)>;

/// One result per check, in their order. A check that cannot be done is skipped with the reason;
/// one that does not come to its numbers fails. No run of them is left, and none is in the list of
/// runs.
std::vector<CheckResult> examine(const launch::Machine& machine, const Wish& wish,
                                 const CheckWatch& watch = {});

/// True when none failed.
bool healthy(const std::vector<CheckResult>& results);

}  // namespace ringside::doctor
