// One pass of one rank over a data set: its sums, and which samples it drew. Plain data; how fields
// are encoded: record_types.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "protocol/base/fields.h"
#include "protocol/messages/record_types.h"
#include "protocol/messages/states.h"

namespace ringside::messages {

/// One rank's share of one pass over a data set. Sums over ranks give the whole: accuracy is
/// sum(correct) / sum(counted), loss is sum(loss_sum) / sum(counted). Repeated samples are in
/// `padded`, and in `counted` only when the evaluation mode counts them.
struct EpochReport {
  static constexpr RecordType kType = RecordType::kEpochReport;
  static constexpr std::string_view kName = "epoch";
  static constexpr std::size_t kFieldsAtFirst = 10;  ///< programs that know no more may post it
  Epoch epoch = 0;
  Phase phase = Phase::kTrain;
  double loss_sum = 0.0;     ///< per-sample losses added up
  std::int64_t correct = 0;  ///< -1: not known, as of a program that has no classes
  std::int64_t counted = 0;
  std::int64_t padded = 0;
  std::int64_t steps = 0;
  double seconds = 0.0;
  Step last_step = 0;               ///< newest optimizer step when this was measured
  std::int64_t padded_correct = 0;  ///< of `correct`, answers to repeats
  double idle_seconds = 0.0;        ///< of `seconds`, waiting for other ranks to evaluate

  RINGSIDE_FIELDS(epoch, phase, loss_sum, correct, counted, padded, steps, seconds, last_step,
                  padded_correct, idle_seconds)
  RINGSIDE_UNKNOWN(correct, counted, steps, last_step)
};

/// Sum of two counts that are -1 where they are not known; so is the sum then.
inline std::int64_t known_sum(std::int64_t a, std::int64_t b) {
  return a < 0 || b < 0 ? -1 : a + b;
}

/// The samples a rank drew in an epoch, in order, in chunks of at most kMaxIndices.
/// Complete up to 1 M samples; beyond, every `stride`-th.
struct ShardReport {
  static constexpr RecordType kType = RecordType::kShardReport;
  static constexpr std::string_view kName = "shard";
  static constexpr std::size_t kFieldsAtFirst = 8;  ///< programs that know no more may post it
  static constexpr std::size_t kMaxIndices = 16384;
  Epoch epoch = 0;
  std::uint64_t sampler_seed = 0;  ///< the seed that made this order (seed + epoch with set_epoch)
  std::int64_t dataset_size = 0;
  std::int64_t shard_size = 0;  ///< samples this rank draws in the epoch, repeats included
  std::int64_t padded = 0;      ///< repeats at the end of the shard
  std::int64_t offset = 0;      ///< position of indices[0] in the shard
  std::int32_t stride = 1;
  std::vector<std::uint32_t> indices;
  std::int32_t replica = -1;   ///< index of the part of the data set; -1: this rank has its own
  std::int32_t replicas = -1;  ///< parts of the data set; -1: one for each rank

  RINGSIDE_FIELDS(epoch, sampler_seed, dataset_size, shard_size, padded, offset, stride, indices,
                  replica, replicas)
  RINGSIDE_UNKNOWN(replica, replicas)
};

}  // namespace ringside::messages
