// Judges the numbers of each check. Pure: the runs that gave them are elsewhere. A limit on time is
// a ratio of two times, or it comes with a measure of whether this machine is too busy to judge.
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

/// What ringside-check printed, by rank.
using RankFacts = std::vector<nlohmann::json>;

/// What cmake/lock says.
struct LockedVersions {
  std::string nccl;   ///< "2.28.9"
  std::string cudnn;  ///< "9.19.0.56"
};
LockedVersions locked_versions();

Judgement judge_load(const RankFacts& ranks, const LockedVersions& locked);
Judgement judge_copies(const RankFacts& ranks);
Judgement judge_sums(const RankFacts& ranks);
Judgement judge_overflow(const RankFacts& ranks);

/// The GPU of each rank as it was asked for and as CUDA has it, and how much more memory NVML says
/// is used since rank 0 took 1 GiB.
struct GpuIdentity {
  std::string asked_uuid;
  std::string cuda_uuid;
  std::int64_t grown_bytes = 0;
};
Judgement judge_identity(std::span<const GpuIdentity> ranks);

/// Mean loss of all ranks, by step, of two runs that should learn the same.
struct TwoLosses {
  std::vector<double> ranks;
  std::vector<double> other;
};
Judgement judge_ddp(const TwoLosses& losses, bool ranks_equal, Rank ranks);
/// `replay_ns` and `eager_ns`: medians of the steps; 0: the form for the host, which is not timed.
Judgement judge_replay(const TwoLosses& losses, std::int64_t replayed, double replay_ns,
                       double eager_ns);

struct StepTimes {
  double steps_ns = 0;           ///< sum of the steps of a rank
  double wall_ns = 0;            ///< from the begin of the first to the end of the last
  std::int64_t buckets = 0;      ///< gradient buckets of all ranks
  std::int64_t out_of_turn = 0;  ///< of them, not ready <= reduced <= backward done
};
/// One rank alone has no buckets. `calm`: share of a core that a thread gets when it wants one,
/// 0 .. 1.
Judgement judge_timing(const RankFacts& ranks, const StepTimes& times, double calm);

/// How often each rank was last in one run.
struct Lateness {
  Rank delayed = kNoRank;  ///< kNoRank: nobody
  Step compared = 0;
  std::vector<Step> times_last;       ///< by rank
  Step far_behind = 0;                ///< steps in which somebody was late by half of the delay
  std::optional<Rank> named;          ///< as the straggler
  std::map<Rank, double> drifts_ppm;  ///< of device clocks against the host's; as far as known
};
/// The undelayed run first.
Judgement judge_straggler(std::span<const Lateness> runs, double calm);

/// One way for ranks to go.
struct RanksGone {
  std::string how;        ///< "KILL"
  double seconds = 0;     ///< until no process of them was left
  std::string state;      ///< of the run
  bool state_ok = false;  ///< it is the one that was to come
};
/// `resumed_at` is the first step after the stopped run was resumed, `saved_at` the step of its
/// checkpoint. `bare_s` is how long an idle process with a GPU takes to end when it is killed.
Judgement judge_ends(std::span<const RanksGone> gone, Step saved_at, Step resumed_at, double calm,
                     double bare_s = 0);

/// `listening`: addresses of sockets, of all processes of a run.
Judgement judge_feed(const nlohmann::json& facts, std::span<const std::string> listening,
                     double calm);

double median(std::vector<double> values);

}  // namespace ringside::doctor
