// A script can start a launcher of its own, such as torchrun, whose processes are ranks inside a
// rank. They report no telemetry for that rank. The first of them writes the file `nested_ranks`
// with their number into the rank's folder, and the agent reports it. Written by them, read by the
// agent; any thread.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

namespace ringside::runlog {

/// Best effort, and once: where the file is there it stays as it is.
void leave_nested_ranks(const std::filesystem::path& rank_folder, std::int32_t count);

/// How many there are; nothing where none were started.
std::optional<std::int32_t> nested_ranks(const std::filesystem::path& rank_folder);

}  // namespace ringside::runlog
