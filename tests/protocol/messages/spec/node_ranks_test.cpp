// Tests which ranks are on which node.
#include "protocol/messages/spec/node_ranks.h"

#include <array>
#include <vector>

#include "protocol/messages/spec/spec_problems.h"
#include "tests/support/catch.h"

namespace ringside::messages {
namespace {

RunSpec node_ranks_spec_of(std::int64_t ranks, std::int64_t nodes, std::int64_t each = 0) {
  RunSpec spec;
  spec.devices.world_size = ranks;
  spec.devices.nodes = nodes;
  spec.devices.ranks_per_node = each;
  return spec;
}

}  // namespace

TEST_CASE("a single node has all ranks") {
  const RunSpec spec = node_ranks_spec_of(3, 1);
  CHECK(ranks_of_node(spec, 0).first == 0);
  CHECK(ranks_of_node(spec, 0).count == 3);
  CHECK(ranks_of_node(spec, 1).count == 0);
  CHECK(node_of_rank(spec, 2) == 0);
  RunSpec dp = node_ranks_spec_of(4, 1);
  dp.devices.parallel = "dp";
  CHECK(ranks_of_node(dp, 0).count == 1);
  CHECK(devices_of_node(dp, 0) == 4);
}

TEST_CASE("ranks are assigned to the nodes in order, each to exactly one") {
  const std::vector<std::array<std::int64_t, 3>> cases = {
      {6, 2, 0}, {8, 2, 4}, {7, 2, 0}, {5, 2, 4}, {128, 32, 0}};
  for (const auto& [ranks, nodes, each] : cases) {
    const RunSpec spec = node_ranks_spec_of(ranks, nodes, each);
    INFO(ranks << " ranks on " << nodes << " nodes of " << each);
    CHECK(problems(spec).empty());
    Rank next = 0;
    for (Node node = 0; node < nodes; ++node) {
      const NodeRanks here = ranks_of_node(spec, node);
      CHECK(here.first == next);
      CHECK(here.count > 0);
      for (Rank rank = here.first; rank < here.first + here.count; ++rank) {
        CHECK(node_of_rank(spec, rank) == node);
        CHECK(here.contains(rank));
      }
      next += here.count;
    }
    CHECK(next == ranks);
  }
}

TEST_CASE("a node without ranks and a rank without a node are reported") {
  CHECK(problems(node_ranks_spec_of(8, 2, 3)).size() == 1);
  CHECK(problems(node_ranks_spec_of(3, 2, 3)).size() == 1);
  CHECK(problems(node_ranks_spec_of(1, 2)).size() == 1);
  RunSpec dp = node_ranks_spec_of(4, 2);
  dp.devices.parallel = "dp";
  const auto found = problems(dp);
  REQUIRE_FALSE(found.empty());
  CHECK(found.back().message.find("devices.nodes = 1") != std::string::npos);
}

TEST_CASE("a smaller number of ranks uses only as many nodes as it fills") {
  RunSpec spec = node_ranks_spec_of(8, 2);
  set_world_size(spec, 6);
  CHECK(spec.devices.nodes == 2);
  CHECK(problems(spec).empty());
  spec = node_ranks_spec_of(8, 2);
  set_world_size(spec, 4);
  CHECK(spec.devices.nodes == 1);
  spec = node_ranks_spec_of(8, 2, 4);
  set_world_size(spec, 1);
  CHECK(spec.devices.nodes == 1);
  CHECK(spec.devices.world_size == 1);
  CHECK(problems(spec).empty());
}

TEST_CASE("virtual nodes share one host and its devices") {
  RunSpec spec = node_ranks_spec_of(8, 2);
  CHECK_FALSE(has_virtual_nodes(spec));
  CHECK(ranks_of_host(spec, 1).first == 4);
  CHECK(devices_of_host(spec, 1) == 4);
  spec.devices.virtual_nodes = true;
  CHECK(has_virtual_nodes(spec));
  CHECK(ranks_of_node(spec, 1).first == 4);
  CHECK(ranks_of_host(spec, 1).first == 0);
  CHECK(ranks_of_host(spec, 1).count == 8);
  CHECK(devices_of_host(spec, 0) == 8);
  CHECK(problems(spec).empty());
  spec.devices.nodes = 1;
  CHECK_FALSE(has_virtual_nodes(spec));
}

}  // namespace ringside::messages
