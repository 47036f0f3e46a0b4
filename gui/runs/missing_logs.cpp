#include "gui/runs/missing_logs.h"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <string>
#include <system_error>

namespace ringside::runs {

namespace fs = std::filesystem;

bool has_begun(const runlog::RunFolder& folder) {
  std::error_code error;
  for (fs::directory_iterator it(folder.path(), error), end; !error && it != end;
       it.increment(error)) {
    const std::string name = it->path().filename().string();
    if (name == "checkpoints" || name.starts_with("attempt_")) return true;
  }
  return false;
}

std::vector<Node> nodes_without(const messages::RunSpec& spec, const std::vector<Node>& logged) {
  const auto nodes = static_cast<Node>(std::max<std::int64_t>(1, spec.devices.nodes));
  std::vector<Node> without;
  for (Node node = 0; node < nodes; ++node) {
    if (!std::binary_search(logged.begin(), logged.end(), node)) without.push_back(node);
  }
  return without;
}

std::vector<Node> missing_logs(const runlog::RunFolder& folder, const messages::RunSpec& spec,
                               bool ranks_spoke) {
  if (!ranks_spoke && !has_begun(folder)) return {};
  return nodes_without(spec, folder.logged_nodes());
}

}  // namespace ringside::runs
