// One run folder held by the agent: its settings, its log, and the endpoint file through which
// ranks and viewers find it. Created by open_run, used by the agent's loop only.
#pragma once

#include <optional>
#include <string>

#include "protocol/messages/spec/node_ranks.h"
#include "protocol/messages/spec/run_spec.h"
#include "protocol/messages/states.h"
#include "protocol/runlog/run_folder.h"
#include "protocol/wire/authenticator.h"
#include "trainer/agent/nodes/node_log.h"
#include "trainer/agent/processes/spawn_plan.h"

namespace ringside::agent {

struct RunItem {
  runlog::RunFolder folder;
  std::optional<runlog::FolderLock> lock;  ///< until the run is over
  messages::RunSpec spec;
  Node node = 0;              ///< this agent's node
  messages::NodeRanks ranks;  ///< its ranks
  std::int32_t attempt = 0;
  std::optional<NodeLog> log;  ///< until the run is over
  wire::AgentEndpoint endpoint;
  messages::State state = messages::State::kQueued;
  std::string state_text{};  ///< text of that record
  bool begun = false;        ///< its ranks were started
  bool unwanted = false;     ///< a person stopped it: it is over, and not continued after its time
                             ///< limit or a lost node
  int misses = 0;            ///< consecutive checks in which its folder was missing

  bool is_over() const { return messages::is_final(state); }
};

/// Locks the folder, or adopts the lock that the parent process passed on, reads its spec.toml and
/// opens its log, to which unsent records of a dead agent's ranks are appended. Nothing in the
/// folder changes unless the lock is ours. A bad request when another agent has it or the settings
/// are wrong.
Result<RunItem> open_run(const std::filesystem::path& path, const Clock& clock,
                         std::optional<int> left_open = {}, Node node = 0);

/// The folder was deleted or moved, even if ranks created a new one for their files. False when the
/// file system does not respond.
bool is_gone(const RunItem& item);

/// Lets the run's ranks and viewers connect: writes agent.json. `node_endpoint` is for the agents
/// of other nodes; empty when there are none.
Result<void> announce(RunItem& item, wire::Authenticator& authenticator,
                      const std::string& viewer_endpoint, const std::string& telemetry_endpoint,
                      const std::string& node_endpoint = {});

/// The run is over: the log is complete and synced, agent.json is removed, the lock released.
void close_run(RunItem& item, wire::Authenticator& authenticator);

void record_run_state(RunItem& item, const Clock& clock, messages::State state,
                      const std::string& text);

}  // namespace ringside::agent
