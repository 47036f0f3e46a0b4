// Appends records that ranks could not send while the agent did not respond from their folders to
// the node's log. Used by the agent's loop only.
#pragma once

#include <functional>
#include <optional>

#include "protocol/messages/event_records.h"
#include "protocol/messages/spec/node_ranks.h"
#include "protocol/runlog/run_folder.h"
#include "protocol/runlog/unsent_log.h"
#include "trainer/agent/nodes/node_log.h"

namespace ringside::agent {

/// Appends those records of this rank's file that the log does not have, and removes the file when
/// all were written. `heard` is also called with each part. Returns a notice about it, or nothing
/// if there was nothing new.
std::optional<messages::Notice> take_unsent(
    const std::filesystem::path& file, const runlog::UnsentSender& of, NodeLog& log,
    const std::function<void(std::span<const std::byte>)>& heard);

/// Takes the unsent records of all ranks of a node in an attempt whose agent may have died before
/// them, and posts a notice if the number of records lost at the end is unknown.
void take_unsent_of_attempt(const runlog::RunFolder& folder, std::int32_t attempt, Node node,
                            const messages::NodeRanks& ranks, NodeLog& log);

}  // namespace ringside::agent
