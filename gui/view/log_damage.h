// What is missing in the log of a run, in words; the same in the command line, the report and the
// window. Pure.
#pragma once

#include <string>

#include "gui/runs/log_end.h"

namespace ringside::view {

/// A sentence each: damaged bytes and where, a log that is cut off and what it ends with, records
/// that never came into it. Empty: nothing is missing.
std::string damage_text(const runs::LogDamage& damage);

}  // namespace ringside::view
