// Steps of a run as work to be done: of each rank the pieces between one moment that its peers wait
// for and the next, and how long each bucket was exchanged. What was recorded is a time; where more
// ranks compute than there are cores, the work in it is less, and a replay needs the work. Plain
// data and pure functions of the model.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gui/analysis/range.h"

namespace ringside::analysis {

/// What a rank does on its own without a break: it computes, and in the middle of that it may wait
/// for something that takes no core.
struct Piece {
  double asleep_ns = 0;
  double work_ns = 0;  ///< as long as it has a core to itself
  double ns() const { return asleep_ns + work_ns; }
};

/// Place of the piece that ends with the first bucket; the last piece follows the last bucket.
inline constexpr std::size_t kFirstBucket = 2;

struct WorkedRank {
  double begin_ns = 0;        ///< on the clock of the first step; used where nothing goes before
  std::vector<Piece> pieces;  ///< wait for data, forward, to each bucket, the rest
  std::vector<double> exchange_ns;  ///< by bucket, from when all ranks have it ready
};

struct WorkedStep {
  Step step = 0;
  bool follows = false;  ///< each rank goes on from the step before
  std::vector<WorkedRank> ranks;
};

/// Cores of a host, and who of the ranks computes on them; several groups on several hosts.
struct Cores {
  double per_rank = 0;  ///< 0: each rank has a device of its own
  double all = 0;
  double others = 0;  ///< that other processes have, however many ranks compute
  /// No core is ever idle. Ranks stay on their cores, so with three ranks on two cores one rank has
  /// a core and two have half of one.
  bool full = false;
  std::vector<std::size_t> host_of;  ///< by rank
  /// How fast the slowest of so many ranks goes that compute on one host at the same time.
  double speed(int computing) const;
};

struct WorkedSteps {
  std::vector<std::int64_t> bucket_bytes;
  std::vector<WorkedStep> steps;
  Cores cores;
  bool shared = false;        ///< some ranks wait for a core
  bool knows_asleep = false;  ///< who sleeps is known from what the ranks took of the cores
  double recorded_ns = 0;     ///< a step, mean over these and the ranks
  std::string missing;        ///< why nothing can be replayed; empty: all is there
};
/// The middle value, of an even number the upper of the two; 0 of none.
double upper_median(std::vector<double> values);

/// `only`: none but these steps; empty: those after the warm-up.
WorkedSteps worked_steps(const model::RunModel& model, StepRange only = {});

/// Steps that are replayed, at most: the newest after the warm-up whose buckets are kept.
inline constexpr Step kMostReplayed = 500;
/// The number of steps below which nothing is predicted.
inline constexpr Step kLeastReplayed = 20;

}  // namespace ringside::analysis
