// Times at which each gradient bucket of each step was ready on this rank and at which it was
// reduced. Callable from any thread (the communication library completes on its own threads); all
// memory is allocated in advance.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

#include "protocol/messages/step_records.h"

namespace ringside::core {

class BucketTracker {
 public:
  /// Identifies one bucket of one step for reduced(). A ticket of a step that was dropped has no
  /// effect.
  struct Ticket {
    std::uint64_t step_serial = 0;
    std::size_t entry = 0;
  };

  /// `max_buckets` is the limit per step; further ones are counted as dropped. `steps_kept` is the
  /// number of steps by which a completion may be late.
  explicit BucketTracker(std::size_t max_buckets = 512, std::size_t steps_kept = 8);

  /// Begins a step; drops the oldest one when there is no room.
  void begin_step(Epoch epoch, Step step);
  /// A bucket of the newest step has its last gradient. A bucket that occurs again in the same step
  /// (gradient accumulation) is another entry.
  Ticket ready(std::int32_t bucket, std::int64_t size_bytes, std::int64_t now_ns);
  /// The bucket's all-reduce is complete. Any thread, even after later steps have begun.
  void reduced(Ticket ticket, std::int64_t now_ns);

  /// Time at which the last bucket of the newest step became ready; 0 = none yet.
  std::int64_t last_ready_ns() const;
  /// Appends the reports of every step whose buckets are all reduced, oldest first, each step once.
  /// The newest step is included only with `include_newest` (at the end of the run, or after its
  /// backward pass).
  void take(std::vector<messages::BucketReport>& reports, bool include_newest);
  /// Entries lost because max_buckets was reached or an incomplete step was dropped.
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
  std::uint64_t serial_ = 0;  ///< number of the newest step
  std::int64_t dropped_ = 0;
};

}  // namespace ringside::core
