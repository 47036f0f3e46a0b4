// Tells which node of its runs an agent stands for, and which of the folders it was given have one.
// Reads settings; any thread.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

#include "protocol/base/ids.h"
#include "protocol/base/result.h"
#include "protocol/base/variables.h"
#include "protocol/messages/spec/node_ranks.h"

namespace ringside::agent {

struct NodePlace {
  Node node = 0;
  std::vector<std::filesystem::path> folders;  ///< that have ranks on this node
  messages::NodeRanks ranks{};                 ///< of the last of them
};

/// Number of nodes of the run in this folder; 1 where its settings cannot be read, which whoever
/// opens it says.
std::int64_t nodes_of(const std::filesystem::path& run_folder);
/// Whether a run in one of these folders may compute on GPUs.
bool want_gpus(const std::vector<std::filesystem::path>& run_folders);

/// `asked`: by --node; else SLURM_NODEID or GROUP_RANK tell. Where no run is on several nodes it is
/// node 0, whatever they say. A bad request: nobody says it, or no run has that node.
Result<NodePlace> find_node(const std::vector<std::filesystem::path>& folders,
                            std::optional<Node> asked, const Variables& variables);

}  // namespace ringside::agent
