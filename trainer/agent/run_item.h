// One run folder held by the agent: its settings, its log, and the endpoint file by which ranks and
// viewers find it. Made by open_run, used by the agent's loop only.
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
  Node node = 0;              ///< the one that this agent stands for
  messages::NodeRanks ranks;  ///< its ranks
  std::int32_t attempt = 0;
  std::optional<NodeLog> log;  ///< until the run is over
  wire::AgentEndpoint endpoint;
  messages::State state = messages::State::kQueued;
  std::string state_text{};  ///< what was recorded with it
  bool begun = false;        ///< its ranks were started
  bool unwanted = false;     ///< a person stopped it: it is over, whatever its time and nodes do
  int misses = 0;            ///< looks in a row at which it was gone

  bool is_over() const { return messages::is_final(state); }
};

/// Locks the folder, or adopts the lock that whoever started this process has left open, reads its
/// spec.toml and opens its log, which gets what ranks of an agent that died could not send. Nothing
/// in the folder changes unless the lock is ours. A bad request: another agent has it, or its
/// settings are wrong.
Result<RunItem> open_run(const std::filesystem::path& path, const Clock& clock,
                         std::optional<int> left_open = {}, Node node = 0);

/// The folder was deleted or moved; ranks may have made one anew for their files. Not where its
/// file system does not answer.
bool is_gone(const RunItem& item);

/// Lets the run's ranks and viewers in: writes agent.json. `node_endpoint`: where the agents of
/// other nodes are heard; empty where there are none.
Result<void> announce(RunItem& item, wire::Authenticator& authenticator,
                      const std::string& viewer_endpoint, const std::string& telemetry_endpoint,
                      const std::string& node_endpoint = {});

/// The run is over: the log is on the disk and complete, agent.json and the lock are gone.
void close_run(RunItem& item, wire::Authenticator& authenticator);

/// Writes a state of the whole run into its log.
void record_run_state(RunItem& item, const Clock& clock, messages::State state,
                      const std::string& text);

}  // namespace ringside::agent
