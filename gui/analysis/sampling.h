// Whether the samples were dealt out as data-parallel training needs it: a new order each epoch,
// every sample once, by one rank, in batches of the size that was asked for. Every figure follows
// from what the ranks reported. Pure functions of the model.
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
  std::vector<std::int32_t> source;  ///< by pass: the earlier pass; -1: a new order
  std::int32_t first = -1;           ///< the newest passes in a row that repeat one; -1: none
  std::int32_t last = -1;
  std::int32_t replayed = 0;  ///< passes that a restart made again, in their own order
  std::int64_t epochs = 0;    ///< that were drawn, however often
  bool any() const { return first >= 0; }
};
OrderRepeats order_repeats(const model::RunModel& run);

/// Samples that were drawn more than once within a pass.
struct RepeatedDraws {
  std::int64_t fewest = 0;  ///< of any pass, as padding
  std::int64_t most = 0;
  std::int64_t shared = 0;   ///< most of any pass that no rank called padding
  std::int64_t sample = -1;  ///< that was padding in most passes; -1: none
  std::int64_t passes = 0;   ///< so many
  std::int64_t known = 0;    ///< of so many that are kept sample by sample
};

/// Samples that a whole pass left out.
struct LeftOut {
  std::int64_t most = 0;     ///< of any pass
  std::int64_t newest = 0;   ///< of the newest
  std::int64_t never = 0;    ///< by no pass at all
  std::int64_t allowed = 0;  ///< by the settings
  std::int64_t passes = 0;   ///< that were judged
};
LeftOut left_out(const model::RunModel& run);

/// Samples of a step over all ranks.
struct GlobalBatch {
  std::int64_t asked = 0;  ///< 0: not known
  std::int64_t seen = 0;   ///< 0: no step was reported
  std::int64_t last = 0;   ///< of the last step of an epoch; 0: none has ended
};

/// One rank's part of a pass.
struct ShardRow {
  Rank rank = 0;
  std::int64_t drawn = 0;
  std::int64_t distinct = 0;
  std::int64_t twice = 0;
  std::int64_t steps = 0;       ///< that it trained of the epoch; 0: not known
  std::int64_t last_batch = 0;  ///< samples of the last of them; 0: not known
  Rank same_as = kNoRank;       ///< the rank before it that drew the same: in sums it counts once
};
/// Rows of the pass at this index, one per rank; empty where the pass is not kept.
std::vector<ShardRow> shard_rows(const model::RunModel& run, std::size_t pass);

enum class SampleCheck : std::uint8_t { kOrder, kMoves, kTwice, kUnvisited, kOverlap, kBatch };
inline constexpr std::size_t kSampleChecks = 6;
enum class Judged : std::uint8_t { kPassed, kNote, kFailed, kUnknown };

struct Sampling {
  OrderRepeats order;
  Rank parts = 1;  ///< of the newest pass: ranks that draw the same have one
  bool order_wished = false;
  bool own_program = false;      ///< its settings say nothing of the sampler
  std::int32_t still_from = -1;  ///< the first pass in which no sample moved; -1: none
  std::int64_t still = 0;        ///< number of such passes
  std::int64_t compared = 0;     ///< number of passes that were compared with the one before
  RepeatedDraws twice;
  LeftOut unvisited;
  GlobalBatch batch;
  std::array<Judged, kSampleChecks> judged{};
  Judged of(SampleCheck check) const { return judged[static_cast<std::size_t>(check)]; }
};
/// The settings of our trainer ask for one order: repeats of it are not a mistake.
bool order_wished(const model::RunModel& run);
Sampling sampling_of(const model::RunModel& run);

}  // namespace ringside::analysis
