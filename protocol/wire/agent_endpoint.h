// agent.json: addresses and keys of a run's agent, and whether that agent is still alive. Written
// by the agent, read by ranks and viewers; plain data, any thread.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "protocol/base/ids.h"
#include "protocol/base/result.h"
#include "protocol/host/platform.h"

namespace ringside::wire {

struct AgentEndpoint {
  RunId run_id;
  std::string telemetry_endpoint;  ///< tcp://127.0.0.1:PORT, for ranks
  std::string viewer_endpoint;     ///< tcp://127.0.0.1:PORT, for viewers
  std::string node_endpoint = {};  ///< tcp://ADDRESS:PORT, for agents of other nodes; empty: none
  std::string server_public_key;   ///< Z85
  std::string client_public_key;   ///< ranks and viewers of the run share this key pair
  std::string client_secret_key;
  std::uint64_t run_token = 0;
  std::int32_t agent_pid = 0;
  std::uint64_t agent_start_ticks = 0;  ///< process_start_ticks()
  std::string boot_id;
  std::string host;
  /// Path of agent.sock, the socket for ranks that do not use ZeroMQ. It is in the same folder, so
  /// it is not stored in the file.
  std::filesystem::path local_socket = {};
};

std::filesystem::path local_socket_path(const std::filesystem::path& endpoint_file);

/// Replaces the file atomically (mode 0600).
Result<void> write_agent_endpoint(const std::filesystem::path& path, const AgentEndpoint& endpoint);

/// Fails when the file is missing or malformed, or names an address that is not on this host's
/// loopback.
Result<AgentEndpoint> read_agent_endpoint(const std::filesystem::path& path);

/// True when exactly that process runs on this host now: pid, start time and boot id match and it
/// is not a zombie.
bool is_alive(const AgentEndpoint& endpoint);

/// True when it was written under this host's current boot, in any container.
bool is_of_this_boot(const AgentEndpoint& endpoint);

/// True when it belongs to another machine. Processes of an earlier boot of this machine have
/// ended.
bool is_elsewhere(const AgentEndpoint& endpoint);

using ringside::process_start_ticks;

/// "pid:start time:boot id": the value of RINGSIDE_AGENT, which identifies the agent to all
/// processes that it starts.
std::string marker_of(const AgentEndpoint& endpoint);

/// An endpoint with the pid, start time, boot id and host of the calling process.
AgentEndpoint endpoint_of_this_process();

}  // namespace ringside::wire
