// Ends a wait of the host for its GPU that would never end: work that was enqueued, a collective
// among it, does not come back by itself when another rank hangs or is gone. Training thread only;
// outlived by the groups.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>

#include "trainer/dist/process_groups.h"

namespace ringside::dist {

class CollectiveWatch {
 public:
  /// `timeout`: of the groups' collectives.
  CollectiveWatch(const ProcessGroups& groups, std::chrono::nanoseconds timeout)
      : groups_(groups), timeout_(timeout) {}

  /// Throws, with the collective entered last, when the group of the gradients reports an error or
  /// the GPU is overdue by more than a collective may take. `overdue_ns`: beyond what its work
  /// usually takes.
  void check(std::int64_t overdue_ns) const;
  /// Waits until `done` says so, asking again and again; throws as check() does. `usual_ns`: what
  /// the work usually takes; 0: not known.
  void wait(const std::function<bool()>& done, std::int64_t usual_ns) const;

 private:
  const ProcessGroups& groups_;
  std::chrono::nanoseconds timeout_;
};

}  // namespace ringside::dist
