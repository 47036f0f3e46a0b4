// The state of a run as people are shown it: what the log recorded last, corrected by whether its
// agent still lives and by what its place says, so that no run stays "training" for ever. What
// looks at a folder reads files; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "gui/launch/place_news.h"
#include "protocol/messages/rank_records.h"
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

/// All that a run's state follows from.
struct Seen {
  std::optional<messages::RankState> recorded;  ///< the newest of the run in its log
  AgentPresence presence = AgentPresence::kLeft;
  double silent_s = 0;  ///< age of the newest record, of an agent that itself cannot be seen
  std::optional<launch::News> news = {};  ///< of a run that somebody else may hold or end
  bool unheard = false;                   ///< it is followed, and nothing has come for too long
  std::int32_t stopped_pid = 0;           ///< of an agent that is seen to be stopped (SIGSTOP)
  bool not_copied = false;                ///< the folder is a copy of settings alone
  std::string no_record = {};             ///< why the log has no state of a run that has begun
};

/// An agent that cannot be seen and whose place says since that the run waits is gone.
AgentPresence presence_beside(AgentPresence presence, const std::optional<launch::News>& news);

/// By the table of gui/runs/STATES.md. Pure.
ShownState shown_state(const Seen& seen);

/// "in Slurm, job 12: waiting for resources"; what follows "Queued ". With why the place has not
/// answered since when, where that is longer.
std::string words_of(const launch::News& news);

}  // namespace ringside::runs
