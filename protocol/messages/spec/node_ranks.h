// Assigns the ranks of a run to its nodes in order: the same number to each, the rest to the last.
// Pure.
#pragma once

#include <cstdint>
#include <string>

#include "protocol/base/ids.h"
#include "protocol/messages/spec/run_spec.h"

namespace ringside::messages {

struct NodeRanks {
  Rank first = 0;
  std::int32_t count = 0;
  bool contains(Rank rank) const { return rank >= first && rank - first < count; }
};

/// The launcher whose variables a program gets: "torchrun", "slurm" or "script", from RINGSIDE_AS
/// in program.environment. A script is one process that itself starts a rank for each device.
std::string started_as(const RunSpec& spec);

/// devices.ranks_per_node, or the number that spreads the ranks evenly.
std::int64_t ranks_per_node(const RunSpec& spec);

/// The processes that the agent of `node` starts; empty for a node that the run does not have.
NodeRanks ranks_of_node(const RunSpec& spec, Node node);

/// Number of devices that these processes use. There are more devices than processes with
/// devices.parallel = "dp" and for a script.
std::int64_t devices_of_node(const RunSpec& spec, Node node);

/// Whether devices.virtual_nodes is set and the run has several nodes.
bool has_virtual_nodes(const RunSpec& spec);

/// The processes on the host of `node`: those of the node, or those of all virtual nodes.
NodeRanks ranks_of_host(const RunSpec& spec, Node node);

/// Number of devices that these processes use.
std::int64_t devices_of_host(const RunSpec& spec, Node node);

Node node_of_rank(const RunSpec& spec, Rank rank);

/// Changes the number of ranks and keeps the ranks per node, which determines the number of nodes.
void set_world_size(RunSpec& spec, std::int64_t ranks);

}  // namespace ringside::messages
