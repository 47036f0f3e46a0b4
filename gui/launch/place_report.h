// News about a run from its place, in addition to its agent and its log: it waits in a queue, its
// agents are about to start, it was ended. A plain value; any thread.
#pragma once

#include <cstdint>
#include <string>

namespace ringside::launch {

/// The file in a run folder that says which place has the run (gui/place/FORMAT.md).
inline constexpr const char* kPlaceFile = "place.json";

enum class Phase : std::uint8_t {
  kNothing,  ///< no place has it; only its agent and its log tell its state
  kUnknown,  ///< nothing is known, or this version does not know the place's state
  kWaiting,  ///< it waits, for the first time or again
  kRunning,  ///< also while it is ending, when more may come
  kFinished,
  kFailed,
  kCancelled,
  kCut,       ///< ended by the place: time limit, failed node, preemption
  kPassedOn,  ///< moved to another place, which shares the run folder
};
inline bool is_over(Phase phase) { return phase >= Phase::kFinished; }

struct PlaceReport {
  Phase phase = Phase::kNothing;
  std::string system;                 ///< "Slurm"
  std::string item;                   ///< "job 12"; empty: it is being submitted
  std::string nodes;                  ///< "n[1-2]"; empty: none yet
  std::string words;                  ///< "waiting for resources", "its time limit was reached"
  std::string output;                 ///< name of the file in the run folder with its output
  std::int64_t reported_wall_ns = 0;  ///< when the place was asked for this; 0: unknown
  std::int64_t agent_wall_ns = 0;     ///< when an agent of node 0 last wrote a file; 0: never
  std::string problem;                ///< why it has not answered for some time; empty: it has
  std::int64_t silent_wall_ns = 0;    ///< if there is a problem: since when; 0: it never answered
  bool once = false;                  ///< its agent existed from the start, and no other will come
  bool tells = true;                  ///< `words` has more than how its program ended
  /// Whether the run waits, reported after everything that an agent wrote: files of an agent are
  /// then of a node that died.
  bool waits() const { return phase == Phase::kWaiting && reported_wall_ns > agent_wall_ns; }
  bool operator==(const PlaceReport&) const = default;
};

}  // namespace ringside::launch
