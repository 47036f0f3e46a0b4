// agent.json: where the agent of a run is reached and with which keys, and whether it still lives.
// Written by the agent, read by ranks and viewers; plain data, any thread.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "protocol/base/ids.h"
#include "protocol/base/result.h"

namespace ringside::wire {

struct AgentCard {
  RunId run_id;
  std::string telemetry_endpoint;  ///< tcp://127.0.0.1:PORT, for ranks
  std::string viewer_endpoint;     ///< tcp://127.0.0.1:PORT, for viewers
  std::string server_public_key;   ///< Z85
  std::string client_public_key;   ///< of this run: ranks and viewers use the same pair
  std::string client_secret_key;
  std::uint64_t run_token = 0;
  std::int32_t agent_pid = 0;
  std::uint64_t agent_start_ticks = 0;  ///< field 22 of /proc/PID/stat
  std::string boot_id;
  std::string host;
};

/// Replaces the file at once (mode 0600).
Result<void> write_card(const std::filesystem::path& path, const AgentCard& card);

/// Fails when the file is missing, malformed, or names an endpoint that is not on this host's
/// loopback.
Result<AgentCard> read_card(const std::filesystem::path& path);

/// True when that very process runs on this host now: pid, start time and boot id agree and it is
/// no zombie.
bool is_alive(const AgentCard& card);

/// Start time of a process in clock ticks since boot; 0 when there is no such process or it is a
/// zombie.
std::uint64_t process_start_ticks(std::int32_t pid);

/// Pid, start time, boot id and host of the calling process filled in.
AgentCard card_of_this_process();

}  // namespace ringside::wire
