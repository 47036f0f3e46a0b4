// What ranks could not send while the agent did not answer, taken from their folders into the log
// of the node. Used by the agent's loop only.
#pragma once

#include <functional>
#include <optional>

#include "protocol/messages/event_records.h"
#include "protocol/messages/spec/node_ranks.h"
#include "protocol/runlog/run_folder.h"
#include "protocol/runlog/unsent_log.h"
#include "trainer/agent/nodes/node_log.h"

namespace ringside::agent {

/// Appends what the log does not have of this rank's file, and removes the file when all of it was
/// written. `heard` is given each part of it too. What there is to say about it; nothing where
/// there was nothing new.
std::optional<messages::Notice> take_unsent(
    const std::filesystem::path& file, const runlog::UnsentSender& of, NodeLog& log,
    const std::function<void(std::span<const std::byte>)>& heard);

/// Takes the unsent records of all ranks of a node in an attempt whose agent may have died before
/// they ended, and posts a notice where what they produced last cannot be counted.
void take_unsent_of_attempt(const runlog::RunFolder& folder, std::int32_t attempt, Node node,
                            const messages::NodeRanks& ranks, NodeLog& log);

}  // namespace ringside::agent
