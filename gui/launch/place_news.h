// The word of a run's place about it, beside its agent and its log: it waits in a queue, its agents
// are about to come, it was ended. A plain value; any thread.
#pragma once

#include <cstdint>
#include <string>

namespace ringside::launch {

/// The file of a run folder that says which place has the run (gui/place/FORMAT.md).
inline constexpr const char* kPlaceFile = "place.json";

enum class Phase : std::uint8_t {
  kNothing,  ///< nobody but its agent and its log says how it goes
  kUnknown,  ///< nothing is known, or it has a word that is new
  kWaiting,  ///< it waits, the first time or again
  kRunning,  ///< also while it ends: more may come
  kFinished,
  kFailed,
  kCancelled,
  kCut,       ///< the place ended it: time limit, a node, one that goes first
  kPassedOn,  ///< another place has it now, which shares the run folder
};
inline bool is_over(Phase phase) { return phase >= Phase::kFinished; }

struct News {
  Phase phase = Phase::kNothing;
  std::string system;               ///< "Slurm"
  std::string item;                 ///< "job 12"; empty: it is being submitted
  std::string nodes;                ///< "n[1-2]"; empty: none yet
  std::string words;                ///< "waiting for resources", "its time limit was reached"
  std::string output;               ///< the file of the run folder with what it printed
  std::int64_t told_wall_ns = 0;    ///< when the place was asked that said it; 0: not known
  std::int64_t agent_wall_ns = 0;   ///< when an agent of node 0 last wrote a file; 0: none did
  std::string problem;              ///< why it has not answered for some time; empty: it has
  std::int64_t silent_wall_ns = 0;  ///< since when, with a problem; 0: it never has
  bool once = false;                ///< its agent was there from the beginning, no other comes
  bool tells = true;                ///< its words say more than how its program ended
  /// The run waits, and that was said after anything that an agent wrote: what still lies there is
  /// of a node that died.
  bool waits() const { return phase == Phase::kWaiting && told_wall_ns > agent_wall_ns; }
  bool operator==(const News&) const = default;
};

}  // namespace ringside::launch
