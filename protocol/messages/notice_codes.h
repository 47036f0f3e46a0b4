// Codes of the notices that programs act on, besides people reading them.
#pragma once

namespace ringside::messages {

/// A rank ended by itself without a RankGoodbye, so at least that record is lost.
inline constexpr const char* kNoGoodbye = "no_goodbye";

/// The only process of the run starts ranks of its own, which report.
inline constexpr const char* kAdoptedRanks = "adopted_ranks";

/// A launcher within one of several ranks starts ranks of its own, which do not report.
inline constexpr const char* kNestedRanks = "nested_ranks";

/// A program trained, but its steps could not be recognized.
inline constexpr const char* kNoSteps = "no_steps";

/// A measurement of a rank was switched off.
inline constexpr const char* kInstrumentOff = "instrument_off";

/// The program's samples per rank could not be observed; the notice says why.
inline constexpr const char* kSamplesUnseen = "samples_unseen";

/// A program has left on what is for debugging, or what it does not need, at the cost of each step.
inline constexpr const char* kAnomalyMode = "anomaly_mode";
inline constexpr const char* kLaunchBlocking = "launch_blocking";
inline constexpr const char* kDistributedDebug = "distributed_debug";
inline constexpr const char* kUnusedParameters = "unused_parameters";

/// The processes of some ranks are stopped (SIGSTOP), so all others may wait for them; lasts until
/// kStallOver.
inline constexpr const char* kRankStopped = "rank_stopped";
inline constexpr const char* kStallOver = "stall_over";

}  // namespace ringside::messages
