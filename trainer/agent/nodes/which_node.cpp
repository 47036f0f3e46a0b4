#include "trainer/agent/nodes/which_node.h"

#include <algorithm>
#include <string>
#include <utility>

#include "protocol/base/text.h"
#include "protocol/host/files.h"
#include "protocol/messages/spec/run_spec.h"
#include "protocol/runlog/run_folder.h"

namespace ringside::agent {
namespace {

Result<Node> told_node(const Variables& variables, std::int64_t nodes) {
  for (const char* name : {"SLURM_NODEID", "GROUP_RANK"}) {
    const char* text = variables(name);
    if (text == nullptr || *text == '\0') continue;
    if (const auto node = whole_number<Node>(text)) return *node;
    return bad_request(std::string(name) + " = \"" + text + "\" is not the number of a node");
  }
  return bad_request("this run is on " + std::to_string(nodes) +
                     " nodes: start an agent on each of them, with --node 0, --node 1 and so on");
}

// Returns the default settings if they cannot be read.
messages::RunSpec settings_of(const std::filesystem::path& run_folder) {
  const runlog::RunFolder folder(run_folder);
  const auto text = read_text(folder.spec_path());
  auto spec = text ? messages::parse_run_spec(*text, folder.spec_path().string())
                   : Result<messages::RunSpec>(pass(text));
  return spec ? std::move(*spec) : messages::RunSpec();
}

}  // namespace

std::int64_t nodes_of(const std::filesystem::path& run_folder) {
  return settings_of(run_folder).devices.nodes;
}

bool want_gpus(const std::vector<std::filesystem::path>& run_folders) {
  return std::any_of(run_folders.begin(), run_folders.end(),
                     [](const auto& folder) { return settings_of(folder).devices.kind != "cpu"; });
}

Result<NodePlace> find_node(const std::vector<std::filesystem::path>& folders,
                            std::optional<Node> asked, const Variables& variables) {
  std::vector<std::int64_t> nodes;
  for (const auto& folder : folders) nodes.push_back(nodes_of(folder));
  const std::int64_t most = nodes.empty() ? 1 : *std::max_element(nodes.begin(), nodes.end());
  NodePlace place;
  if (asked) {
    place.node = *asked;
  } else if (most > 1) {
    const auto told = RINGSIDE_TRY(told_node(variables, most));
    place.node = told;
  }
  if (place.node < 0 || place.node >= most) {
    return bad_request("there is no node " + std::to_string(place.node) + ": " +
                       (most > 1 ? "the nodes are 0 to " + std::to_string(most - 1)
                                 : std::string("devices.nodes is 1")));
  }
  for (std::size_t i = 0; i < folders.size(); ++i) {
    if (place.node < nodes[i]) place.folders.push_back(folders[i]);
  }
  place.ranks = messages::ranks_of_node(settings_of(place.folders.back()), place.node);
  return place;
}

}  // namespace ringside::agent
