// Tests which node an agent runs.
#include "trainer/agent/nodes/which_node.h"

#include <filesystem>
#include <fstream>
#include <map>
#include <string>

#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"

namespace ringside::agent {
namespace {

std::filesystem::path run_of(const TempFolder& in, const std::string& name, int nodes) {
  const auto folder = in.path() / name;
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "spec.toml")
      << "[devices]\nworld_size = 8\nnodes = " + std::to_string(nodes) + "\n";
  return folder;
}

Variables variables(const std::map<std::string, std::string>& set) {
  return [set](const char* name) -> const char* {
    const auto found = set.find(name);
    return found == set.end() ? nullptr : found->second.c_str();
  };
}

}  // namespace

TEST_CASE("a run on one node is on node 0, whatever the variables say") {
  const TempFolder folder;
  const auto run = run_of(folder, "one", 1);
  const auto place = find_node({run}, {}, variables({{"GROUP_RANK", "3"}, {"SLURM_NODEID", "x"}}));
  REQUIRE(place);
  CHECK(place->node == 0);
  CHECK(place->folders.size() == 1);
  const auto wrong = find_node({run}, 1, variables({}));
  REQUIRE_FALSE(wrong);
  CHECK(wrong.error().kind == ErrorKind::kRequest);
  CHECK(wrong.error().message.find("devices.nodes is 1") != std::string::npos);
}

TEST_CASE("the option takes precedence over Slurm's variable, and that over torchrun's") {
  const TempFolder folder;
  const auto run = run_of(folder, "four", 4);
  CHECK(find_node({run}, 2, variables({{"SLURM_NODEID", "1"}}))->node == 2);
  CHECK(find_node({run}, {}, variables({{"SLURM_NODEID", "1"}, {"GROUP_RANK", "3"}}))->node == 1);
  CHECK(find_node({run}, {}, variables({{"GROUP_RANK", "3"}}))->node == 3);
  CHECK_FALSE(find_node({run}, 4, variables({})));
  CHECK_FALSE(find_node({run}, -1, variables({})));
  CHECK_FALSE(find_node({run}, {}, variables({{"GROUP_RANK", "first"}})));
  const auto untold = find_node({run}, {}, variables({}));
  REQUIRE_FALSE(untold);
  CHECK(untold.error().message.find("--node 0") != std::string::npos);
}

TEST_CASE("a node takes only the runs that have ranks on it") {
  const TempFolder folder;
  const auto baseline = run_of(folder, "baseline", 1);
  const auto run = run_of(folder, "two", 2);
  CHECK(find_node({baseline, run}, 0, variables({}))->folders.size() == 2);
  const auto other = find_node({baseline, run}, 1, variables({}));
  REQUIRE(other);
  REQUIRE(other->folders.size() == 1);
  CHECK(other->folders.front() == run);
}

}  // namespace ringside::agent
