// What is missing in the log of a run, in words; the same in the command line, the report and the
// window. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gui/runs/log_end.h"

namespace ringside::view {

/// "Damaged parts of the log were skipped: ..." of so many bytes; empty: there are none.
std::string skipped_text(std::uint64_t bytes, std::uint64_t first);

/// "The log of node 1 is missing"; empty: none is.
std::string missing_logs_text(const std::vector<Node>& nodes);

/// A sentence each: logs that are missing, damaged bytes and where, a log that is cut off and what
/// it ends with, records that never came into it. Empty: nothing is missing.
std::string damage_text(const runs::LogDamage& damage);

}  // namespace ringside::view
