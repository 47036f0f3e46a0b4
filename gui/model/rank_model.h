// The data of one rank: a column per metric by step, its passes over the data, its state. Written
// only by RunModel. One thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "gui/model/gaps.h"
#include "gui/model/metric.h"
#include "gui/model/sender_counts.h"
#include "gui/model/series.h"
#include "protocol/messages/epoch_records.h"
#include "protocol/messages/rank_records.h"

namespace ringside::model {

/// One gradient bucket, stored for the newest steps only.
struct BucketTimes {
  Step step = 0;
  std::int32_t bucket = 0;
  std::int64_t size_bytes = 0;
  std::int64_t ready_ns = 0;
  std::int64_t reduced_ns = 0;
};
inline constexpr std::size_t kKeptBuckets = 4096;

struct EpochEntry {
  messages::EpochReport report;  ///< including `before`
  std::int64_t at_ns = 0;        ///< time of the record
  Rank world_size = 1;           ///< of the attempt that it was recorded in
  /// The part of this epoch that earlier attempts trained and the newest one did not repeat.
  std::optional<messages::EpochReport> before;
  /// Earlier evaluations of this epoch in the same attempt, oldest first.
  std::vector<messages::EpochReport> earlier;
};

struct RankModel {
  Rank rank = 0;
  Node node = 0;
  std::optional<messages::RankHello> hello;  ///< of the newest attempt
  std::int64_t hello_ns = 0;
  std::int64_t clock_uncertainty_ns = 0;     ///< of its times, if they come from a device's clock
  std::optional<messages::RankState> state;  ///< newest state, from the rank or its agent
  std::int64_t state_ns = 0;       ///< start of that state, also if it was reported again later
  std::int64_t collective_ns = 0;  ///< when the last collective of `state` was reported
  std::optional<messages::RankGoodbye> goodbye;
  SenderCounts counts;
  std::int64_t last_record_ns = 0;  ///< time of this rank's newest record; 0: none
  std::int32_t restarts = 0;        ///< number of starts after the first
  std::int32_t said_again = 0;      ///< number of those that happened within an attempt
  bool left = false;                ///< the newest attempt continues without it
  bool behind = false;              ///< others have begun the newest attempt, but this rank has not
  Step joined = 0;  ///< above 0: first step of the attempt in which the rank was added

  std::array<Series, kMetrics> metrics;
  TimeColumn end_ns;         ///< end of each step, on one time scale over all attempts
  TimeColumn last_ready_ns;  ///< when its last gradient bucket was ready
  Gaps gaps;                 ///< steps whose records were lost
  Step stride = 1;  ///< newest distance of two reported steps without lost records between them
  std::uint64_t lost_before = 0;  ///< value of counts.lost at the newest step
  Step first_step = -1;           ///< first step ever reported; -1: none
  Step newest_step = -1;          ///< newest step reported in this attempt
  Step reached = -1;              ///< the same, for the earlier attempt of a rank that is `behind`
  Epoch newest_epoch = -1;
  std::uint64_t steps_reported = 0;   ///< number of steps in the columns
  std::uint64_t steps_discarded = 0;  ///< dropped because the run was resumed before them
  bool said_loss = false;             ///< has ever reported a finite loss
  std::deque<BucketTimes> buckets;    ///< newest kKeptBuckets
  std::array<std::vector<std::optional<EpochEntry>>, 3> epochs;  ///< by Phase and epoch

  const Series& series(Metric metric) const { return metrics[static_cast<std::size_t>(metric)]; }
  Series& series(Metric metric) { return metrics[static_cast<std::size_t>(metric)]; }
  /// The pass of that phase and epoch, or null.
  const EpochEntry* epoch(messages::Phase phase, Epoch epoch) const;
};

}  // namespace ringside::model
