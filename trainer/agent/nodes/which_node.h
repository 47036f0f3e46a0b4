// Determines which node an agent runs, and which of its run folders have ranks on that node. Reads
// settings; any thread.
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
  std::vector<std::filesystem::path> folders;  ///< those with ranks on this node
  messages::NodeRanks ranks{};                 ///< of the last of them
};

/// Number of nodes of the run in this folder; 1 if its settings cannot be read, which is reported
/// when the folder is opened.
std::int64_t nodes_of(const std::filesystem::path& run_folder);
/// Whether a run in one of these folders may use GPUs.
bool want_gpus(const std::vector<std::filesystem::path>& run_folders);

/// The node from `asked` (--node), else SLURM_NODEID or GROUP_RANK. If no run has several nodes, it
/// is node 0 in any case. A bad request when the node is not known, or when no run has it.
Result<NodePlace> find_node(const std::vector<std::filesystem::path>& folders,
                            std::optional<Node> asked, const Variables& variables);

}  // namespace ringside::agent
