#include "trainer/agent/nodes/not_begun.h"

#include <chrono>
#include <filesystem>
#include <system_error>

#include "protocol/host/files.h"

namespace ringside::agent {
namespace {

namespace fs = std::filesystem;

// How long it may take to start the agents of all nodes, by hand or on a slow file system. An agent
// that starts again within this time removes its earlier file.
constexpr std::int64_t kStartNs = 20'000'000'000;
// Older files belong to an earlier start.
constexpr std::chrono::seconds kOld{60};

fs::path path_of(const runlog::RunFolder& folder, Node node) {
  return folder.path() / ("not_begun_" + std::to_string(node) + ".json");
}

}  // namespace

void leave_not_begun(const runlog::RunFolder& folder, Node node, const std::string& text) {
  (void)write_text_atomically(path_of(folder, node), text);
}

void clear_not_begun(const runlog::RunFolder& folder, Node node) {
  std::error_code ignored;
  fs::remove(path_of(folder, node), ignored);
}

std::optional<std::string> read_not_begun(const runlog::RunFolder& folder, Node node, Node reader,
                                          std::int64_t looked_ns) {
  std::error_code none;
  const auto left = fs::last_write_time(path_of(folder, node), none);
  if (none) return std::nullopt;
  const auto came = fs::last_write_time(folder.agent_path(reader), none);
  if (none || came - left > kOld) return std::nullopt;
  if (left < came && looked_ns < kStartNs) return std::nullopt;
  const auto text = read_text(path_of(folder, node));
  return text ? std::optional(*text) : std::nullopt;
}

}  // namespace ringside::agent
