// What is known of one rank: a column per measured quantity by step, its passes over the data, its
// state. Filled by RunModel only; everybody else reads. One thread.
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

/// One gradient bucket, kept for the newest steps only.
struct BucketTimes {
  Step step = 0;
  std::int32_t bucket = 0;
  std::int64_t size_bytes = 0;
  std::int64_t ready_ns = 0;
  std::int64_t reduced_ns = 0;
};
inline constexpr std::size_t kKeptBuckets = 4096;

struct EpochEntry {
  messages::EpochReport report;  ///< with what `before` says
  std::int64_t at_ns = 0;        ///< when it was recorded
  Rank world_size = 1;           ///< of the attempt that it was recorded in
  /// What earlier attempts trained of this epoch and the newest one did not train again.
  std::optional<messages::EpochReport> before;
  /// Evaluations of this epoch that the same attempt told before this one, oldest first.
  std::vector<messages::EpochReport> earlier;
};

struct RankModel {
  Rank rank = 0;
  Node node = 0;
  std::optional<messages::RankHello> hello;  ///< of the newest attempt
  std::int64_t hello_ns = 0;
  std::int64_t clock_uncertainty_ns = 0;     ///< of its times, where they are those of a device
  std::optional<messages::RankState> state;  ///< newest, from the rank or its agent
  std::int64_t state_ns = 0;                 ///< since then, though it may be said again
  std::int64_t collective_ns = 0;            ///< when the last collective of `state` was reported
  std::optional<messages::RankGoodbye> goodbye;
  SenderCounts counts;
  std::int64_t heard_ns = 0;    ///< newest record of this rank; 0: none
  std::int32_t restarts = 0;    ///< starts after the first
  std::int32_t said_again = 0;  ///< the restarts that happened within an attempt
  bool left = false;            ///< the newest attempt goes on without it
  bool behind = false;          ///< others have begun the newest attempt, it has not
  Step joined = 0;              ///< above 0: the first step of the attempt that it came with

  std::array<Series, kMetrics> metrics;
  TimeColumn end_ns;         ///< end of each step, on one scale over all attempts
  TimeColumn last_ready_ns;  ///< when its last gradient bucket was ready
  Gaps gaps;                 ///< steps whose records were lost
  Step stride = 1;  ///< newest distance of two reported steps between which nothing was lost
  std::uint64_t lost_before = 0;  ///< counts.lost at the newest step
  Step first_step = -1;           ///< first ever reported; -1: none
  Step newest_step = -1;          ///< newest reported in this attempt
  Step reached = -1;              ///< the same, of the attempt that it speaks of while `behind`
  Epoch newest_epoch = -1;
  std::uint64_t steps_reported = 0;   ///< places of the columns that hold a step
  std::uint64_t steps_discarded = 0;  ///< thrown away because the run resumed before them
  bool said_loss = false;             ///< a finite one, ever
  std::deque<BucketTimes> buckets;    ///< newest kKeptBuckets
  std::array<std::vector<std::optional<EpochEntry>>, 3> epochs;  ///< by Phase, then epoch

  const Series& series(Metric metric) const { return metrics[static_cast<std::size_t>(metric)]; }
  Series& series(Metric metric) { return metrics[static_cast<std::size_t>(metric)]; }
  /// The pass of that phase and epoch, or nothing.
  const EpochEntry* epoch(messages::Phase phase, Epoch epoch) const;
};

}  // namespace ringside::model
