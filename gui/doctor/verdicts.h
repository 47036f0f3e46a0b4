// Judges the numbers of each check. Pure: the runs that produce them are elsewhere. A limit on time
// is a ratio of two times, or comes with a measure of whether this machine is too busy to judge.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "gui/doctor/check.h"
#include "protocol/base/ids.h"

namespace ringside::doctor {

/// The output of ringside-check, by rank.
using RankFacts = std::vector<nlohmann::json>;

/// Versions from cmake/lock.
struct LockedVersions {
  std::string nccl;   ///< "2.28.9"
  std::string cudnn;  ///< "9.19.0.56"
};
LockedVersions locked_versions();

CheckVerdict judge_load(const RankFacts& ranks, const LockedVersions& locked);
CheckVerdict judge_copies(const RankFacts& ranks);
CheckVerdict judge_sums(const RankFacts& ranks);
CheckVerdict judge_overflow(const RankFacts& ranks);

/// The requested GPU of each rank and the one that CUDA reports, and how much the memory used
/// according to NVML has grown since rank 0 allocated 1 GiB.
struct GpuIdentity {
  std::string asked_uuid;
  std::string cuda_uuid;
  std::int64_t grown_bytes = 0;
};
CheckVerdict judge_identity(std::span<const GpuIdentity> ranks);

/// Mean loss of all ranks, by step, of two runs that should train the same.
struct TwoLosses {
  std::vector<double> ranks;
  std::vector<double> other;
};
CheckVerdict judge_ddp(const TwoLosses& losses, bool ranks_equal, Rank ranks);
/// `replay_ns` and `eager_ns`: median step times; 0: the run is on CPUs, which is not timed.
CheckVerdict judge_replay(const TwoLosses& losses, std::int64_t replayed, double replay_ns,
                          double eager_ns);

struct StepTimes {
  double steps_ns = 0;           ///< sum of a rank's step times
  double wall_ns = 0;            ///< from the start of the first step to the end of the last
  std::int64_t buckets = 0;      ///< gradient buckets of all ranks
  std::int64_t out_of_turn = 0;  ///< buckets that violate ready <= reduced <= backward done
};
/// A single rank has no buckets. `calm`: share of a core that a thread gets if it wants one, 0 ..
/// 1.
CheckVerdict judge_timing(const RankFacts& ranks, const StepTimes& times, double calm);

/// How often each rank was last in one run.
struct Lateness {
  Rank delayed = kNoRank;  ///< the delayed rank; kNoRank: none
  Step compared = 0;
  std::vector<Step> times_last;  ///< by rank
  Step far_behind = 0;           ///< steps in which a rank was late by half of the delay
  std::optional<Rank> named;     ///< the straggler
  /// Drift of device clocks against the host's, as far as known.
  std::map<Rank, double> drifts_ppm;
};
/// Expects the run without delay first.
CheckVerdict judge_straggler(std::span<const Lateness> runs, double calm);

/// One of the ways in which ranks are made to end.
struct RanksGone {
  std::string how;        ///< "KILL"
  double seconds = 0;     ///< until none of their processes was left
  std::string state;      ///< state of the run
  bool state_ok = false;  ///< the state is the expected one
};
/// `resumed_at`: first step of the resumed run; `saved_at`: step of its checkpoint. `bare_s`: time
/// in which an idle process with a GPU ends when it is killed.
CheckVerdict judge_ends(std::span<const RanksGone> gone, Step saved_at, Step resumed_at,
                        double calm, double bare_s = 0);

/// `listening`: addresses of the listening sockets of all processes of a run.
CheckVerdict judge_feed(const nlohmann::json& facts, std::span<const std::string> listening,
                        double calm);

double median(std::vector<double> values);

}  // namespace ringside::doctor
