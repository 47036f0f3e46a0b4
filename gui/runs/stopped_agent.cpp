#include "gui/runs/stopped_agent.h"

#include "protocol/host/host.h"
#include "protocol/wire/agent_endpoint.h"

namespace ringside::runs {

std::int32_t stopped_agent(const runlog::RunFolder& folder) {
  const auto endpoint = wire::read_agent_endpoint(folder.agent_path());
  const bool stopped = endpoint && wire::is_alive(*endpoint) && is_stopped(endpoint->agent_pid);
  return stopped ? endpoint->agent_pid : 0;
}

std::string why_unheard(std::int32_t stopped_agent) {
  const std::string pid = std::to_string(stopped_agent);
  return (stopped_agent > 0
              ? "its agent (pid " + pid + ") is stopped: `kill -CONT " + pid + "` lets it go on"
              : "its agent does not respond") +
         "; its ranks may well train";
}

}  // namespace ringside::runs
