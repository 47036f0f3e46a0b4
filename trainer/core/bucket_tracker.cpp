#include "trainer/core/bucket_tracker.h"

#include <algorithm>

namespace ringside::core {

BucketTracker::BucketTracker(std::size_t max_buckets, std::size_t steps_kept)
    : pages_(std::max<std::size_t>(steps_kept, 2)) {
  for (StepPage& page : pages_) page.entries.resize(max_buckets);
}

void BucketTracker::begin_step(Epoch epoch, Step step) {
  const std::lock_guard lock(mutex_);
  ++serial_;
  StepPage& page = page_of(serial_);
  if (!page.taken) dropped_ += static_cast<std::int64_t>(page.used);
  page.serial = serial_;
  page.epoch = epoch;
  page.step = step;
  page.used = 0;
  page.reduced = 0;
  page.taken = false;
}

BucketTracker::Ticket BucketTracker::ready(std::int32_t bucket, std::int64_t size_bytes,
                                           std::int64_t now_ns) {
  const std::lock_guard lock(mutex_);
  StepPage& page = page_of(serial_);
  if (page.serial == 0 || page.used == page.entries.size()) {
    ++dropped_;
    return {};
  }
  messages::BucketReport& entry = page.entries[page.used];
  entry.epoch = page.epoch;
  entry.step = page.step;
  entry.bucket = bucket;
  entry.size_bytes = size_bytes;
  entry.ready_ns = now_ns;
  entry.reduced_ns = 0;
  return {serial_, page.used++};
}

void BucketTracker::reduced(Ticket ticket, std::int64_t now_ns) {
  const std::lock_guard lock(mutex_);
  if (ticket.step_serial == 0) return;
  StepPage& page = page_of(ticket.step_serial);
  if (page.serial != ticket.step_serial || ticket.entry >= page.used) return;
  messages::BucketReport& entry = page.entries[ticket.entry];
  if (entry.reduced_ns != 0) return;
  entry.reduced_ns = std::max<std::int64_t>(now_ns, 1);
  ++page.reduced;
}

std::int64_t BucketTracker::last_ready_ns() const {
  const std::lock_guard lock(mutex_);
  const StepPage& page = newest();
  std::int64_t last = 0;
  for (std::size_t i = 0; i < page.used; ++i) last = std::max(last, page.entries[i].ready_ns);
  return last;
}

void BucketTracker::take(std::vector<messages::BucketReport>& reports, bool include_newest) {
  const std::lock_guard lock(mutex_);
  const std::uint64_t kept = pages_.size();
  const std::uint64_t oldest = serial_ >= kept ? serial_ - kept + 1 : 1;
  for (std::uint64_t serial = oldest; serial <= serial_; ++serial) {
    StepPage& page = page_of(serial);
    if (page.taken || page.reduced < page.used) continue;
    if (serial == serial_ && !include_newest) continue;
    const auto end = page.entries.begin() + static_cast<std::ptrdiff_t>(page.used);
    reports.insert(reports.end(), page.entries.begin(), end);
    page.taken = true;
  }
}

std::int64_t BucketTracker::dropped() const {
  const std::lock_guard lock(mutex_);
  return dropped_;
}

}  // namespace ringside::core
