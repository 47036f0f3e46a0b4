// A script can start a launcher of its own, such as torchrun, whose processes are ranks within a
// rank. They send no telemetry for that rank. Instead, the first of them writes their number to the
// file `nested_ranks` in the rank's folder, and the agent reports it. Any thread.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

namespace ringside::runlog {

/// Best effort; an existing file is not changed.
void leave_nested_ranks(const std::filesystem::path& rank_folder, std::int32_t count);

/// The number of nested ranks; empty when none were started.
std::optional<std::int32_t> nested_ranks(const std::filesystem::path& rank_folder);

}  // namespace ringside::runlog
