#include "protocol/messages/spec/node_ranks.h"

#include <algorithm>
#include <string_view>

namespace ringside::messages {
namespace {

std::int64_t parts_of(std::int64_t whole, std::int64_t part) { return (whole + part - 1) / part; }

}  // namespace

std::string started_as(const RunSpec& spec) {
  constexpr std::string_view kAs = "RINGSIDE_AS=";
  for (const std::string& entry : spec.program.environment) {
    if (entry.starts_with(kAs)) return entry.substr(kAs.size());
  }
  return "torchrun";
}

std::int64_t ranks_per_node(const RunSpec& spec) {
  if (spec.devices.ranks_per_node > 0) return spec.devices.ranks_per_node;
  return std::max<std::int64_t>(
      1, parts_of(process_count(spec), std::max<std::int64_t>(1, spec.devices.nodes)));
}

NodeRanks ranks_of_node(const RunSpec& spec, Node node) {
  const std::int64_t all = process_count(spec);
  if (spec.devices.nodes <= 1)
    return node == 0 ? NodeRanks{0, static_cast<std::int32_t>(all)} : NodeRanks{};
  if (node < 0 || node >= spec.devices.nodes) return {};
  const std::int64_t each = ranks_per_node(spec);
  const std::int64_t first = std::min(all, each * node);
  return {static_cast<Rank>(first), static_cast<std::int32_t>(std::min(each, all - first))};
}

std::int64_t devices_of_node(const RunSpec& spec, Node node) {
  return spec.devices.nodes > 1 ? ranks_of_node(spec, node).count : spec.devices.world_size;
}

bool has_virtual_nodes(const RunSpec& spec) {
  return spec.devices.nodes > 1 && spec.devices.virtual_nodes;
}

NodeRanks ranks_of_host(const RunSpec& spec, Node node) {
  if (!has_virtual_nodes(spec)) return ranks_of_node(spec, node);
  return {0, static_cast<std::int32_t>(process_count(spec))};
}

std::int64_t devices_of_host(const RunSpec& spec, Node node) {
  return has_virtual_nodes(spec) ? spec.devices.world_size : devices_of_node(spec, node);
}

Node node_of_rank(const RunSpec& spec, Rank rank) {
  if (spec.devices.nodes <= 1) return 0;
  return static_cast<Node>(std::min(rank / ranks_per_node(spec), spec.devices.nodes - 1));
}

void set_world_size(RunSpec& spec, std::int64_t ranks) {
  if (spec.devices.nodes > 1) spec.devices.nodes = parts_of(ranks, ranks_per_node(spec));
  spec.devices.world_size = ranks;
}

}  // namespace ringside::messages
