// One pass of one rank over a data set: its sums, and which samples it drew. Plain data;
// record_types.h describes the encoding.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "protocol/base/fields.h"
#include "protocol/messages/record_types.h"
#include "protocol/messages/states.h"

namespace ringside::messages {

/// One rank's share of one pass over a data set. Accuracy over all ranks is sum(correct) /
/// sum(counted), loss is sum(loss_sum) / sum(counted). Repeated samples are in `padded`; they are
/// in `counted` only if the evaluation mode counts them.
struct EpochReport {
  static constexpr RecordType kType = RecordType::kEpochReport;
  static constexpr std::string_view kName = "epoch";
  static constexpr std::size_t kFieldsAtFirst = 10;  ///< older programs may post only these
  Epoch epoch = 0;
  Phase phase = Phase::kTrain;
  double loss_sum = 0.0;     ///< sum of the losses of the samples
  std::int64_t correct = 0;  ///< -1: unknown, as for a program without classes
  std::int64_t counted = 0;
  std::int64_t padded = 0;
  std::int64_t steps = 0;
  double seconds = 0.0;
  Step last_step = 0;               ///< last optimizer step before this was measured
  std::int64_t padded_correct = 0;  ///< correct answers on repeated samples, included in `correct`
  double idle_seconds = 0.0;        ///< time within `seconds` spent waiting while other ranks
                                    ///< evaluated

  RINGSIDE_FIELDS(epoch, phase, loss_sum, correct, counted, padded, steps, seconds, last_step,
                  padded_correct, idle_seconds)
  RINGSIDE_UNKNOWN(correct, counted, steps, last_step)
};

/// Sum of two counts; -1 (unknown) if either is.
inline std::int64_t known_sum(std::int64_t a, std::int64_t b) {
  return a < 0 || b < 0 ? -1 : a + b;
}

/// The samples a rank drew in an epoch, in order, in chunks of at most kMaxIndices.
/// Complete up to 1 M samples; beyond, every `stride`-th.
struct ShardReport {
  static constexpr RecordType kType = RecordType::kShardReport;
  static constexpr std::string_view kName = "shard";
  static constexpr std::size_t kFieldsAtFirst = 8;  ///< older programs may post only these
  static constexpr std::size_t kMaxIndices = 16384;
  Epoch epoch = 0;
  std::uint64_t sampler_seed = 0;  ///< the seed of this order (seed + epoch with set_epoch)
  std::int64_t dataset_size = 0;
  std::int64_t shard_size = 0;  ///< samples this rank draws in the epoch, repeats included
  std::int64_t padded = 0;      ///< repeats at the end of the shard
  std::int64_t offset = 0;      ///< position of indices[0] in the shard
  std::int32_t stride = 1;
  std::vector<std::uint32_t> indices;
  std::int32_t replica = -1;   ///< index of this rank's part of the data set; -1: each rank has its
                               ///< own part
  std::int32_t replicas = -1;  ///< number of parts of the data set; -1: one per rank

  RINGSIDE_FIELDS(epoch, sampler_seed, dataset_size, shard_size, padded, offset, stride, indices,
                  replica, replicas)
  RINGSIDE_UNKNOWN(replica, replicas)
};

}  // namespace ringside::messages
