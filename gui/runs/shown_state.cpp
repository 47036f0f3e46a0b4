#include "gui/runs/shown_state.h"

#include "protocol/wire/agent_endpoint.h"

namespace ringside::runs {

AgentPresence agent_presence(const runlog::RunFolder& folder) {
  std::error_code ignored;
  if (!std::filesystem::exists(folder.agent_path(), ignored)) return AgentPresence::kLeft;
  const auto endpoint = wire::read_agent_endpoint(folder.agent_path());
  return endpoint && wire::is_alive(*endpoint) ? AgentPresence::kAlive : AgentPresence::kGone;
}

ShownState shown_state(const std::optional<messages::RankState>& recorded, AgentPresence presence) {
  ShownState shown;
  if (recorded && messages::is_final(recorded->state)) {
    shown.word = messages::name_of(recorded->state);
    shown.detail = recorded->text;
    shown.ended = true;
    return shown;
  }
  if (presence == AgentPresence::kAlive) {
    shown.word = messages::name_of(recorded ? recorded->state : messages::State::kStarting);
    shown.detail = recorded ? recorded->text : "";
    shown.live = true;
    return shown;
  }
  shown.word = "interrupted";
  shown.ended = true;
  if (!recorded) {
    shown.detail = "its agent never started; see agent.log in the run folder";
  } else {
    shown.detail =
        "its agent died while the run was " + std::string(messages::name_of(recorded->state));
  }
  return shown;
}

}  // namespace ringside::runs
