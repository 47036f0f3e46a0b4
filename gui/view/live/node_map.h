// The nodes of a run as groups of ranks: their members, the state of each group and of its host;
// and texts about nodes. Pure.
#pragma once

#include <string>
#include <vector>

#include "gui/model/run_model_fwd.h"
#include "gui/view/table.h"
#include "protocol/messages/spec/run_spec.h"

namespace ringside::view {

/// "2 × 3"; if ranks per node differ "5 on 2 nodes"; ", on one host" if the nodes are virtual.
std::string nodes_text(const messages::RunSpec& spec);

/// "Rank 5 (node 1, local 1)" if the run has several nodes, or else empty.
std::string rank_place(const model::RunModel& model, Rank rank);

/// " on node 1" if the run has several nodes, or else empty.
std::string on_node(const model::RunModel& model, Rank rank);

namespace label {
inline constexpr const char* kNoLog = "no log";
}

/// "r0-r3, r6": ascending ranks with consecutive ones joined.
std::string ranks_text(const std::vector<Rank>& ranks);
/// "rank 2", "ranks 0, 1 and 3"
std::string ranks_in_words(const std::vector<Rank>& ranks);

/// A row per node with the key "n1", summed up from the rows of the table of ranks: its ranks,
/// their devices, the worst of their states, the slowest of their times, its host's newest sample,
/// and its clock; and a note for each node whose log is late. With several nodes, each has its row
/// even before a rank of it has reported; "no log" if its log is missing.
Table build_node_table(const model::RunModel& model, const Table& ranks,
                       const std::vector<Node>& missing_logs = {});

}  // namespace ringside::view
