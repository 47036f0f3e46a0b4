// When each gradient bucket of each step was ready on this rank and when it was reduced.
// Callable from any thread (the communication library completes on its own); all memory is taken up
// front.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

#include "protocol/messages/step_records.h"

namespace ringside::core {

class BucketTracker {
 public:
  /// Names one bucket of one step for reduced(). A ticket of a step that was forgotten does
  /// nothing.
  struct Ticket {
    std::uint64_t step_serial = 0;
    std::size_t entry = 0;
  };

  /// `max_buckets`: per step; more are counted as dropped. `steps_kept`: how long a late completion
  /// may be.
  explicit BucketTracker(std::size_t max_buckets = 512, std::size_t steps_kept = 8);

  /// Opens a step; the oldest one is forgotten when no room is left.
  void begin_step(Epoch epoch, Step step);
  /// A bucket has its last gradient. Belongs to the newest step. A bucket that comes again in the
  /// same step (gradient accumulation) is a further entry.
  Ticket ready(std::int32_t bucket, std::int64_t size_bytes, std::int64_t now_ns);
  /// The bucket's all-reduce is done. From any thread, also after later steps began.
  void reduced(Ticket ticket, std::int64_t now_ns);

  /// When the last bucket of the newest step became ready; 0 = none yet.
  std::int64_t last_ready_ns() const;
  /// Appends the reports of every step whose buckets are all reduced, oldest first, each step once.
  /// The newest step is only taken with `include_newest` (at the end of the run, or after its
  /// backward pass).
  void take(std::vector<messages::BucketReport>& reports, bool include_newest);
  /// Entries lost because max_buckets was reached or a step was forgotten unreduced.
  std::int64_t dropped() const;

 private:
  struct StepPage {
    std::uint64_t serial = 0;  ///< 0: unused
    Epoch epoch = 0;
    Step step = 0;
    std::size_t used = 0;
    std::size_t reduced = 0;
    bool taken = true;
    std::vector<messages::BucketReport> entries;
  };
  StepPage& page_of(std::uint64_t serial) { return pages_[serial % pages_.size()]; }
  const StepPage& newest() const { return pages_[serial_ % pages_.size()]; }

  mutable std::mutex mutex_;
  std::vector<StepPage> pages_;
  std::uint64_t serial_ = 0;  ///< of the newest step
  std::int64_t dropped_ = 0;
};

}  // namespace ringside::core
