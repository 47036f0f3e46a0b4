// agent.json: addresses and keys of the agent of a run, and whether that agent is still alive.
// Written by the agent, read by ranks and viewers; plain data, any thread.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "protocol/base/ids.h"
#include "protocol/base/result.h"

namespace ringside::wire {

struct AgentEndpoint {
  RunId run_id;
  std::string telemetry_endpoint;  ///< tcp://127.0.0.1:PORT, for ranks
  std::string viewer_endpoint;     ///< tcp://127.0.0.1:PORT, for viewers
  std::string node_endpoint = {};  ///< tcp://ADDRESS:PORT, for agents of other nodes; empty: none
  std::string server_public_key;   ///< Z85
  std::string client_public_key;   ///< of this run: ranks and viewers use the same pair
  std::string client_secret_key;
  std::uint64_t run_token = 0;
  std::int32_t agent_pid = 0;
  std::uint64_t agent_start_ticks = 0;  ///< process_start_ticks()
  std::string boot_id;
  std::string host;
  /// The path of agent.sock, the socket of ranks that do not use ZeroMQ; in the same folder, not
  /// stored in the file.
  std::filesystem::path local_socket = {};
};

std::filesystem::path local_socket_path(const std::filesystem::path& endpoint_file);

/// Replaces the file at once (mode 0600).
Result<void> write_agent_endpoint(const std::filesystem::path& path, const AgentEndpoint& endpoint);

/// Fails when the file is missing, malformed, or names an address that is not on this host's
/// loopback.
Result<AgentEndpoint> read_agent_endpoint(const std::filesystem::path& path);

/// True when that very process runs on this host now: pid, start time and boot id agree and it is
/// not a zombie.
bool is_alive(const AgentEndpoint& endpoint);

/// True when it was written under the kernel that runs here now, in whichever container.
bool is_of_this_boot(const AgentEndpoint& endpoint);

/// True when it is of another machine. Another boot of this one ended every process before it.
bool is_elsewhere(const AgentEndpoint& endpoint);

/// Start time of a process in clock ticks since boot, the same from every time namespace; 0 when
/// there is no such process or it is a zombie.
std::uint64_t process_start_ticks(std::int32_t pid);

/// "pid:start time:boot id", as RINGSIDE_AGENT names the agent to all that it starts.
std::string marker_of(const AgentEndpoint& endpoint);

/// An endpoint with pid, start time, boot id and host of the calling process.
AgentEndpoint endpoint_of_this_process();

}  // namespace ringside::wire
