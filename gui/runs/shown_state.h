// The state of a run as people are shown it: what the log recorded last, corrected by whether its
// agent still lives, so that no run stays "training" for ever. Pure apart from agent_presence; any
// thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "protocol/messages/record_types.h"
#include "protocol/runlog/run_folder.h"

namespace ringside::runs {

enum class AgentPresence : std::uint8_t {
  kAlive,      ///< it holds the lock of the run folder, or the process that wrote agent.json runs
  kGone,       ///< agent.json is there, its process is not: it was killed
  kLeft,       ///< no agent.json: it ended in order or never came
  kElsewhere,  ///< on another machine, whose processes and locks are not seen here: agent.json is
               ///< of that one, or the run is a copy of a live one there
};

/// Looks at the lock of the folder, which tells the truth in every container of the machine, and at
/// agent.json and the process it names (pid, start time, boot id).
AgentPresence agent_presence(const runlog::RunFolder& folder, Node node = 0);

/// How long nothing may come before contact with an agent is lost: over its socket it is asked once
/// a second. It writes its log twice a second; a network file system may show it a minute later.
inline constexpr double kSocketDelayS = 6;
inline constexpr double kFileDelayS = 90;

/// `silent_s`: since anything came from an agent that itself cannot be seen.
bool contact_lost(AgentPresence presence, double silent_s);

/// Whether an agent of the run, on any of its nodes, may still write its log. One that cannot be
/// seen may for as long as contact_lost() waits for it, once that of node 0 has ended.
bool may_grow(const runlog::RunFolder& folder);

/// What to do about the agent of a run that may go on elsewhere, before "and resume again": "If you
/// know that it is gone, delete …"
std::string if_it_is_gone(const runlog::RunFolder& folder);

struct ShownState {
  std::string word;    ///< a messages::State by name, "interrupted", "lost contact", "not copied"
  std::string detail;  ///< one sentence, may be empty
  bool live = false;   ///< the agent lives and the run has not ended
  bool ended = false;  ///< finished, failed, stopped, did_not_die or interrupted
};

/// `recorded`: the newest state of the run in its log, nothing when there is none. `silent_s`: age
/// of the newest record; it counts where the agent itself cannot be seen.
ShownState shown_state(const std::optional<messages::RankState>& recorded, AgentPresence presence,
                       double silent_s = 0);

}  // namespace ringside::runs
