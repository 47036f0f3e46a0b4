#include "gui/launch/ask_stop.h"

#include "protocol/wire/agent_endpoint.h"

namespace ringside::launch {
namespace {

constexpr std::int64_t kAnswerNs = 5'000'000'000;

}  // namespace

Result<std::string> ask_stop(const runlog::RunFolder& folder, wire::StopMode mode) {
  const auto endpoint = wire::read_agent_endpoint(folder.agent_path());
  if (!endpoint || !wire::is_alive(*endpoint))
    return failure("the agent of run " + folder.id() + " is gone, so there is nothing to stop");
  auto client = wire::FollowClient::connect(*endpoint);
  if (!client) return pass(client);
  return client->ask_stop(mode, kAnswerNs);
}

}  // namespace ringside::launch
