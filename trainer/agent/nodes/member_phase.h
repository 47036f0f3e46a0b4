// The phase of a run in the agent of a node other than 0, and its transitions. Pure.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace ringside::agent {

enum class MemberPhase : std::uint8_t {
  kSeeking,  ///< no agent of node 0 has replied yet
  kReady,    ///< reports that this node can begin
  kRunning,  ///< ordered to begin: the ranks run, or are about to
  kOver,     ///< the ranks are gone; reported until node 0 says what follows
  kClosed,   ///< the run is over
  kLost,     ///< node 0 is gone
};
inline constexpr std::size_t kMemberPhases = 6;

enum class MemberEvent : std::uint8_t {
  kHeard,  ///< node 0 has replied
  kTry,    ///< node 0 sent the rendezvous address of the next attempt
  kBegin,  ///< node 0 said that the ranks should begin there
  kEnded,  ///< the ranks of this node are gone, or could not be started
  kClose,  ///< node 0 sent how the run ended, or left it in the folder
  kLose,   ///< node 0 was silent for too long, or its process is gone
};
inline constexpr std::size_t kMemberEvents = 6;

/// The phase after this event; empty when the event is not expected in this phase.
constexpr std::optional<MemberPhase> phase_after(MemberPhase phase, MemberEvent event) {
  using P = MemberPhase;
  using Row = std::array<std::optional<P>, kMemberEvents>;
  constexpr std::nullopt_t no = std::nullopt;
  constexpr std::array<Row, kMemberPhases> table = {{
      //          heard      try        begin        ended     close       lose
      /* seeking */ {P::kReady, no, no, no, P::kClosed, P::kLost},
      /* ready   */ {no, P::kReady, P::kRunning, no, P::kClosed, P::kLost},
      /* running */ {no, no, no, P::kOver, P::kClosed, P::kLost},
      /* over    */ {no, P::kReady, no, no, P::kClosed, P::kLost},
      /* closed  */ {},
      /* lost    */ {},
  }};
  return table[static_cast<std::size_t>(phase)][static_cast<std::size_t>(event)];
}

}  // namespace ringside::agent
