// Missing parts of a run's log, in the same words for the command line, the report and the window.
// Pure.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gui/runs/log_end.h"

namespace ringside::view {

/// "Damaged parts of the log were skipped: ..." with the number of bytes; empty: there are none.
std::string skipped_text(std::uint64_t bytes, std::uint64_t first);

/// "The log of node 1 is missing"; empty if none is.
std::string missing_logs_text(const std::vector<Node>& nodes);

/// A sentence each for missing logs, damaged bytes and their offset, a log that is cut off and its
/// last record, and records that never reached the log. Empty: nothing is missing.
std::string damage_text(const runs::LogDamage& damage);

}  // namespace ringside::view
