#include "gui/runs/shown_state.h"

#include <algorithm>
#include <chrono>
#include <vector>

#include "protocol/messages/rank_records.h"
#include "protocol/runlog/copy_mark.h"
#include "protocol/wire/agent_endpoint.h"

namespace ringside::runs {
namespace {

double age_s(const std::filesystem::path& file) {
  std::error_code error;
  const auto changed = std::filesystem::last_write_time(file, error);
  if (error) return 0;
  const auto age = std::filesystem::file_time_type::clock::now() - changed;
  return std::chrono::duration<double>(age).count();
}

}  // namespace

AgentPresence agent_presence(const runlog::RunFolder& folder, Node node) {
  if (runlog::FolderLock::is_held(folder, node)) return AgentPresence::kAlive;
  std::error_code ignored;
  if (!std::filesystem::exists(folder.agent_path(node), ignored)) {
    const auto copy = runlog::copy_mark(folder);
    return copy && copy->live.contains(node) ? AgentPresence::kElsewhere : AgentPresence::kLeft;
  }
  const auto endpoint = wire::read_agent_endpoint(folder.agent_path(node));
  if (!endpoint) return AgentPresence::kGone;
  if (wire::is_alive(*endpoint)) return AgentPresence::kAlive;
  return wire::is_elsewhere(*endpoint) ? AgentPresence::kElsewhere : AgentPresence::kGone;
}

bool contact_lost(AgentPresence presence, double silent_s) {
  return presence == AgentPresence::kElsewhere && silent_s > kFileDelayS;
}

bool may_grow(const runlog::RunFolder& folder) {
  const AgentPresence decides = agent_presence(folder);
  if (decides == AgentPresence::kAlive || decides == AgentPresence::kElsewhere) return true;
  const std::vector<Node> nodes = folder.logged_nodes();
  return std::any_of(nodes.begin(), nodes.end(), [&](Node node) {
    const AgentPresence presence = node == 0 ? decides : agent_presence(folder, node);
    if (presence == AgentPresence::kAlive) return true;
    return presence == AgentPresence::kElsewhere &&
           !contact_lost(presence, age_s(folder.log_path(node)));
  });
}

std::string if_it_is_gone(const runlog::RunFolder& folder) {
  if (const auto copy = runlog::copy_mark(folder))
    return "See on " + copy->machine + " that it is gone";
  return "If you know that it is gone, delete " + folder.agent_path().string();
}

ShownState shown_state(const std::optional<messages::RankState>& recorded, AgentPresence presence,
                       double silent_s) {
  ShownState shown;
  if (recorded && messages::is_final(recorded->state)) {
    shown.word = messages::name_of(recorded->state);
    shown.detail = recorded->text;
    shown.ended = true;
    return shown;
  }
  if (contact_lost(presence, silent_s)) {
    shown.word = "lost contact";
    shown.detail =
        "its agent is on another machine, and nothing has come from it for a while: only there can "
        "be seen whether it lives";
    return shown;
  }
  if (presence == AgentPresence::kAlive || presence == AgentPresence::kElsewhere) {
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
    // An agent that ends in order writes a final state first.
    const std::string state(messages::name_of(recorded->state));
    shown.detail = presence == AgentPresence::kGone
                       ? "its agent died while the run was " + state +
                             ": the last reports of its ranks may be missing"
                       : "its log ends while the run was " + state + ": the end is missing in it";
  }
  return shown;
}

}  // namespace ringside::runs
