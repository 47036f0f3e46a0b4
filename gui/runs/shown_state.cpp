#include "gui/runs/shown_state.h"

#include "protocol/wire/agent_card.h"

namespace ringside::runs {

AgentPresence agent_presence(const runlog::RunFolder& folder) {
  std::error_code ignored;
  if (!std::filesystem::exists(folder.agent_path(), ignored)) return AgentPresence::kLeft;
  const auto card = wire::read_card(folder.agent_path());
  return card && wire::is_alive(*card) ? AgentPresence::kAlive : AgentPresence::kGone;
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
    shown.detail = "its agent never began; see agent.log in the run folder";
  } else {
    shown.detail =
        "its agent vanished while the run was " + std::string(messages::name_of(recorded->state));
  }
  return shown;
}

}  // namespace ringside::runs
