// Steps of a run as work to be replayed: for each rank the pieces between the times that its peers
// wait for, and the exchange time of each bucket. Recorded values are times; if more ranks compute
// than there are cores, the work in them is less, and a replay needs the work. Plain data and pure
// functions of the model.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gui/analysis/range.h"
#include "gui/analysis/whatif/cores.h"

namespace ringside::analysis {

/// Uninterrupted work of a rank: it computes, and may wait within it for something that uses no
/// core.
struct Piece {
  double asleep_ns = 0;
  double work_ns = 0;   ///< duration with a core of its own
  double before = 0.5;  ///< share of the work before the wait
  double ns() const { return asleep_ns + work_ns; }
};

/// Index of the piece that ends with the first bucket; the last piece follows the last bucket.
inline constexpr std::size_t kFirstBucket = 2;

struct WorkedRank {
  double begin_ns = 0;              ///< on the clock of the first step; used if no step precedes
  std::vector<Piece> pieces;        ///< data wait, forward, up to each bucket, the rest
  std::vector<double> exchange_ns;  ///< by bucket, from when all ranks have it ready
};

struct WorkedStep {
  Step step = 0;
  bool follows = false;  ///< each rank continues from the step before
  std::vector<WorkedRank> ranks;
};

struct WorkedSteps {
  std::vector<std::int64_t> bucket_bytes;
  std::vector<WorkedStep> steps;
  Cores cores;
  bool shared = false;        ///< some ranks wait for a core
  bool knows_asleep = false;  ///< CPU use shows which ranks sleep
  double recorded_ns = 0;     ///< step time, mean over these steps and the ranks
  std::string missing;        ///< why nothing can be replayed; empty: replay is possible
};
/// The median, for an even number the upper of the two middle values; 0 without values.
double upper_median(std::vector<double> values);

/// `only`: restricts the steps; empty: all after the warm-up.
WorkedSteps worked_steps(const model::RunModel& model, StepRange only = {});

/// Minimum number of steps for a prediction.
inline constexpr Step kLeastReplayed = 20;

}  // namespace ringside::analysis
