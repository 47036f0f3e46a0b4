// Ends a wait of the host for its GPU that would never end: enqueued work, such as a collective,
// does not complete when another rank hangs or is gone. Training thread only; the groups must
// outlive it.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>

#include "trainer/dist/process_groups.h"

namespace ringside::dist {

class CollectiveWatch {
 public:
  /// `timeout` is that of the groups' collectives.
  CollectiveWatch(const ProcessGroups& groups, std::chrono::nanoseconds timeout)
      : groups_(groups), timeout_(timeout) {}

  /// Throws, naming the last collective, when the gradients' group reports an error or the GPU is
  /// overdue by more than the timeout. `overdue_ns` is the time beyond the usual duration of the
  /// work.
  void check(std::int64_t overdue_ns) const;
  /// Polls until `done` returns true; throws as check() does. `usual_ns` is the usual duration of
  /// the work; 0: unknown.
  void wait(const std::function<bool()>& done, std::int64_t usual_ns) const;

 private:
  const ProcessGroups& groups_;
  std::chrono::nanoseconds timeout_;
};

}  // namespace ringside::dist
