#include "trainer/agent/run_item.h"

#include <sys/stat.h>

#include <cerrno>
#include <utility>

#include "protocol/host/files.h"
#include "protocol/runlog/whole_argv.h"
#include "trainer/agent/nodes/not_begun.h"
#include "trainer/agent/unsent_records.h"

namespace ringside::agent {
namespace {

namespace fs = std::filesystem;

bool is_missing(const fs::path& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) != 0 && (errno == ENOENT || errno == ENOTDIR);
}

}  // namespace

bool is_gone(const RunItem& item) {
  return is_missing(item.folder.spec_path()) && is_missing(item.folder.log_path(item.node));
}

Result<RunItem> open_run(const fs::path& path, const Clock& clock, std::optional<int> left_open,
                         Node node) {
  std::error_code error;
  const runlog::RunFolder folder(fs::absolute(path, error));
  if (!fs::is_directory(folder.path(), error)) {
    return bad_request(folder.path().string() +
                       " is not a run folder: start runs with `ringside run`");
  }
  auto lock = left_open ? runlog::FolderLock::adopt(folder, *left_open)
                        : runlog::FolderLock::take(folder, node);
  if (!lock) return pass(lock);
  clear_not_begun(folder, node);
  const auto text = read_text(folder.spec_path());
  if (!text) return bad_request(text.error().message);
  auto spec = RINGSIDE_TRY(messages::parse_run_spec(*text, folder.spec_path().string()));
  auto program = RINGSIDE_TRY(runlog::with_secrets(folder, spec.program));
  spec.program = std::move(program);
  const messages::NodeRanks ranks = messages::ranks_of_node(spec, node);
  auto log = RINGSIDE_TRY(NodeLog::open(folder, node, clock));
  const std::int32_t attempt = folder.attempts();
  take_unsent_of_attempt(folder, attempt - 1, node, ranks, log);
  return RunItem{folder, std::move(*lock), std::move(spec), node,
                 ranks,  attempt,          std::move(log),  {}};
}

Result<void> announce(RunItem& item, wire::Authenticator& authenticator,
                      const std::string& viewer_endpoint, const std::string& telemetry_endpoint,
                      const std::string& node_endpoint) {
  auto endpoint =
      RINGSIDE_TRY(authenticator.authorize(item.folder.id(), telemetry_endpoint, viewer_endpoint));
  endpoint.node_endpoint = node_endpoint;
  item.endpoint = endpoint;
  return wire::write_agent_endpoint(item.folder.agent_path(item.node), endpoint);
}

void close_run(RunItem& item, wire::Authenticator& authenticator) {
  item.log->close();
  authenticator.revoke(item.endpoint);
  std::error_code ignored;
  fs::remove(item.folder.agent_path(item.node), ignored);
  item.log.reset();
  item.lock.reset();
}

void record_run_state(RunItem& item, const Clock& clock, messages::State state,
                      const std::string& text) {
  messages::RankState record;
  record.state = state;
  record.attempt = item.attempt;
  record.text = text;
  record.wall_ns = clock.wall_ns();
  item.log->post(record);
  item.state = state;
  item.state_text = text;
}

}  // namespace ringside::agent
