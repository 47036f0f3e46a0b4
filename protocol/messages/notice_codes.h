// Codes of notices that programs act on, beside the people who read them.
#pragma once

namespace ringside::messages {

/// A rank ended by itself, and its goodbye never came: at least that record is lost.
inline constexpr const char* kNoGoodbye = "no_goodbye";

/// The one process of the run starts its ranks itself; they report.
inline constexpr const char* kAdoptedRanks = "adopted_ranks";

/// A launcher inside one of several ranks starts ranks of its own, which do not report.
inline constexpr const char* kNestedRanks = "nested_ranks";

/// A program learned, but what would be a step is not seen in it.
inline constexpr const char* kNoSteps = "no_steps";

/// Something of a rank is not measured any more.
inline constexpr const char* kInstrumentOff = "instrument_off";

/// The samples that each rank draws are not seen in this program, and why.
inline constexpr const char* kSamplesUnseen = "samples_unseen";

/// The processes of some ranks are stopped: all others may wait for them. It lasts until
/// kStallOver.
inline constexpr const char* kRankStopped = "rank_stopped";
inline constexpr const char* kStallOver = "stall_over";

}  // namespace ringside::messages
