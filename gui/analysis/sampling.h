// Whether the samples were distributed as data-parallel training needs it: a new order each epoch,
// every sample once, by one rank, in batches of the requested size. Everything follows from the
// ranks' reports. Pure functions of the model.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "gui/model/run_model_fwd.h"
#include "protocol/base/ids.h"

namespace ringside::analysis {

/// The passes that drew their samples in the order of an earlier epoch. Epochs that a restart
/// repeated in their own order do not count as repeats, nor as further epochs.
struct OrderRepeats {
  /// By pass: the earlier pass with the same order; -1: a new order.
  std::vector<std::int32_t> source;
  std::int32_t first = -1;  ///< start of the newest consecutive passes that repeat one; -1: none
  std::int32_t last = -1;
  std::int32_t replayed = 0;  ///< passes that a restart repeated in their own order
  std::int64_t epochs = 0;    ///< number of different epochs that were drawn
  bool any() const { return first >= 0; }
};
OrderRepeats order_repeats(const model::RunModel& run);

/// Samples that were drawn more than once within a pass.
struct RepeatedDraws {
  std::int64_t fewest = 0;  ///< minimum over all passes, as padding
  std::int64_t most = 0;
  std::int64_t shared = 0;   ///< maximum over all passes, not reported as padding
  std::int64_t sample = -1;  ///< the sample that was padding in most passes; -1: none
  std::int64_t passes = 0;   ///< number of these passes
  std::int64_t known = 0;    ///< number of passes that are stored sample by sample
};

/// Samples that a whole pass left out.
struct LeftOut {
  std::int64_t most = 0;     ///< maximum over all passes
  std::int64_t newest = 0;   ///< in the newest pass
  std::int64_t never = 0;    ///< never drawn in any pass
  std::int64_t allowed = 0;  ///< number that the settings allow
  std::int64_t passes = 0;   ///< number of judged passes
};
LeftOut left_out(const model::RunModel& run);

/// Samples in a step over all ranks.
struct GlobalBatch {
  std::int64_t asked = 0;  ///< requested; 0: unknown
  std::int64_t seen = 0;   ///< reported; 0: no step was reported
  std::int64_t last = 0;   ///< in the last step of an epoch; 0: none has ended
};

/// One rank's part of a pass.
struct ShardRow {
  Rank rank = 0;
  std::int64_t drawn = 0;
  std::int64_t distinct = 0;
  std::int64_t twice = 0;
  std::int64_t steps = 0;       ///< trained in the epoch; 0: unknown
  std::int64_t last_batch = 0;  ///< samples of its last step; 0: unknown
  Rank same_as = kNoRank;       ///< a lower rank that drew the same: sums count both once
};
/// Rows of the pass at this index, one per rank; empty if the pass is not stored.
std::vector<ShardRow> shard_rows(const model::RunModel& run, std::size_t pass);

enum class SampleCheck : std::uint8_t { kOrder, kMoves, kTwice, kUnvisited, kOverlap, kBatch };
inline constexpr std::size_t kSampleChecks = 6;
enum class SampleVerdict : std::uint8_t { kPassed, kNote, kFailed, kUnknown };

struct Sampling {
  OrderRepeats order;
  Rank parts = 1;  ///< in the newest pass; ranks that draw the same share one
  bool order_requested = false;
  bool own_program = false;      ///< custom program, whose settings do not describe the sampler
  std::int32_t still_from = -1;  ///< first pass in which no sample moved; -1: none
  std::int64_t still = 0;        ///< number of such passes
  std::int64_t compared = 0;     ///< number of passes that were compared with the one before
  RepeatedDraws twice;
  LeftOut unvisited;
  GlobalBatch batch;
  std::array<SampleVerdict, kSampleChecks> judged{};
  SampleVerdict of(SampleCheck check) const { return judged[static_cast<std::size_t>(check)]; }
};
/// Whether the settings of our trainer ask for a fixed order: repeats of it are not a mistake.
bool order_requested(const model::RunModel& run);
Sampling sampling_of(const model::RunModel& run);

}  // namespace ringside::analysis
