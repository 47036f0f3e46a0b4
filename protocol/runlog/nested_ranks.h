// Processes of a rank that another launcher inside of it has started as ranks, such as a torchrun
// in its script, do not speak for it. The first of them leaves `nested_ranks` in the rank's folder,
// with their number, so that the agent can say so. Written by them, read by the agent; any thread.
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
