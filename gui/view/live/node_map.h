// The nodes of a run as groups of ranks: who is where, how each group and its host are; and words
// of nodes. Pure.
#pragma once

#include <string>
#include <vector>

#include "gui/model/run_model_fwd.h"
#include "gui/view/table.h"
#include "protocol/messages/spec/run_spec.h"

namespace ringside::view {

/// "2 × 3"; with a rest "5 on 2 nodes"; ", on one host" where they are virtual.
std::string nodes_text(const messages::RunSpec& spec);

/// "Rank 5 (node 1, local 1)" where the run has several nodes, else nothing.
std::string rank_place(const model::RunModel& model, Rank rank);

/// " on node 1" where the run has several nodes, else nothing.
std::string on_node(const model::RunModel& model, Rank rank);

namespace label {
inline constexpr const char* kNoLog = "no log";
}

/// "r0-r3, r6": ascending ranks, runs of them together.
std::string ranks_text(const std::vector<Rank>& ranks);
/// "rank 2", "ranks 0, 1 and 3"
std::string ranks_in_words(const std::vector<Rank>& ranks);

/// A row per node, "n1" its key, from the rows of the table of ranks: its ranks, their devices, the
/// worst of their states, the slowest of their times, its host's newest sample, and its clock; and
/// a note for each whose log comes late. A node of several has its row before any of its ranks was
/// heard; "no log" where its log is missing.
Table build_node_table(const model::RunModel& model, const Table& ranks,
                       const std::vector<Node>& missing_logs = {});

}  // namespace ringside::view
