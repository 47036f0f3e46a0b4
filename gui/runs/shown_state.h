// The state of a run as people see it: the last recorded state, corrected by whether its agent is
// alive and by what its place reports, so that no run stays "training" for ever. Functions that
// take a folder read files; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "gui/launch/place_report.h"
#include "protocol/messages/rank_records.h"
#include "protocol/runlog/run_folder.h"

namespace ringside::runs {

enum class AgentPresence : std::uint8_t {
  kAlive,  ///< it holds the lock of the run folder, or the process that agent.json names is running
  kGone,   ///< agent.json exists but its process does not: it was killed
  kLeft,   ///< no agent.json: it ended normally or never started
  kElsewhere,  ///< on another machine, whose processes and locks are invisible here: agent.json
               ///< names that machine, or the run is a copy of a live one
};

/// Checks the lock of the folder, which works across all containers of the machine, and the process
/// that agent.json names (pid, start time, boot id).
AgentPresence agent_presence(const runlog::RunFolder& folder, Node node = 0);

/// Silence in seconds after which contact with an agent is lost. Over its socket it is asked once a
/// second. It writes its log twice a second, which a network file system may show a minute later.
inline constexpr double kSocketDelayS = 6;
inline constexpr double kFileDelayS = 90;

/// `silent_s`: time since anything came from an agent that cannot be seen itself.
bool contact_lost(AgentPresence presence, double silent_s);

/// Whether an agent of the run, on any node, may still write its log. An agent that cannot be seen
/// may do so, once that of node 0 has ended, until contact_lost() is true.
bool may_grow(const runlog::RunFolder& folder);

/// What to do about the agent of a run that may go on elsewhere, placed before "and resume again":
/// "If you know that it is gone, delete …"
std::string if_it_is_gone(const runlog::RunFolder& folder);

struct ShownState {
  std::string word;  ///< name of a messages::State, or "interrupted", "lost contact", "not copied"
  std::string detail;  ///< one sentence, may be empty
  bool live = false;   ///< the agent is alive and the run has not ended
  bool ended = false;  ///< finished, failed, stopped, did_not_die or interrupted
};

/// Everything that determines a run's state.
struct Seen {
  std::optional<messages::RankState> recorded;  ///< the newest run state in its log
  AgentPresence presence = AgentPresence::kLeft;
  double silent_s = 0;  ///< age of the newest record, if the agent itself cannot be seen
  std::optional<launch::PlaceReport> report =
      {};                        ///< report of a place that may hold or end the run
  bool unheard = false;          ///< a viewer follows it, and nothing has come for too long
  std::int32_t stopped_pid = 0;  ///< pid of an agent that is stopped (SIGSTOP)
  bool not_copied = false;       ///< the folder is a copy with only the settings
  std::string no_record = {};    ///< why the log has no state of a run that has begun
};

/// Corrects the presence: an agent that cannot be seen is gone if its place reported later that the
/// run waits.
AgentPresence presence_beside(AgentPresence presence,
                              const std::optional<launch::PlaceReport>& report);

/// Applies the table of gui/runs/STATES.md. Pure.
ShownState shown_state(const Seen& seen);

/// Text that follows "Queued ", such as "in Slurm, job 12: waiting for resources". Adds since when
/// and why the place has not answered, if that is long.
std::string words_of(const launch::PlaceReport& report);

}  // namespace ringside::runs
