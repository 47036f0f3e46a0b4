// Where the agent of another node than 0 is in a run, and which events take it further. Pure.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace ringside::agent {

enum class MemberPhase : std::uint8_t {
  kSeeking,  ///< no agent of node 0 was heard yet
  kReady,    ///< it was told that this node can begin
  kRunning,  ///< told to begin: the ranks run, or are about to
  kOver,     ///< the ranks are gone; node 0 is told so until it says what follows
  kClosed,   ///< the run is over
  kLost,     ///< node 0 is gone
};
inline constexpr std::size_t kMemberPhases = 6;

enum class MemberEvent : std::uint8_t {
  kHeard,  ///< node 0 has answered
  kTry,    ///< node 0 says where the ranks of the next attempt are to meet
  kBegin,  ///< node 0 says that they are to begin there
  kEnded,  ///< the ranks here are gone, or could not be started
  kClose,  ///< node 0 says, or has left in the folder, how the run ended
  kLose,   ///< node 0 has been silent for too long, or its process is gone
};
inline constexpr std::size_t kMemberEvents = 6;

/// The phase after this event; nothing where it has no meaning, or comes too late.
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
