// Assigns the ranks of a run to its nodes: in order, so many on each, the rest on the last. Pure.
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

/// The launcher whose variables a program gets: "torchrun", "slurm" or "script", as RINGSIDE_AS in
/// program.environment says. A script is one process that starts a rank for each device itself.
std::string started_as(const RunSpec& spec);

/// devices.ranks_per_node, or what spreads the ranks evenly.
std::int64_t ranks_per_node(const RunSpec& spec);

/// The processes that the agent of `node` starts; none on a node that the run does not have.
NodeRanks ranks_of_node(const RunSpec& spec, Node node);

/// Devices that its processes compute on: more than those with devices.parallel =
/// "dp" and for a script.
std::int64_t devices_of_node(const RunSpec& spec, Node node);

/// devices.virtual_nodes, where there are several.
bool has_virtual_nodes(const RunSpec& spec);

/// The processes on the host of `node`: its own, and where nodes are virtual those of all.
NodeRanks ranks_of_host(const RunSpec& spec, Node node);

/// Devices that those compute on.
std::int64_t devices_of_host(const RunSpec& spec, Node node);

Node node_of_rank(const RunSpec& spec, Rank rank);

/// Another number of ranks, on as many nodes as they fill with as many on each as before.
void set_world_size(RunSpec& spec, std::int64_t ranks);

}  // namespace ringside::messages
