// Combines the stop request of this rank with the consensus of all ranks about it. Training thread
// only.
#pragma once

#include <cstdint>
#include <functional>
#include <utility>

#include "trainer/dist/consensus.h"

namespace ringside::engine {

class StopPoll {
 public:
  /// `request` returns this rank's request; 0: continue, 1: save and stop, 2: stop. `groups` must
  /// outlive this object.
  StopPoll(const dist::ProcessGroups& groups, std::function<int()> request)
      : request_(std::move(request)), consensus_(groups) {}

  const std::function<int()>& request() const { return request_; }
  /// The request that all ranks have agreed on by this step; does not wait for them.
  int after_step(std::int64_t step_ns) { return consensus_.after_step(request_(), step_ns); }
  /// Agrees now: a collective that waits; for use between passes.
  int now() { return consensus_.agree_now(request_()); }

 private:
  std::function<int()> request_;
  dist::StopConsensus consensus_;
};

}  // namespace ringside::engine
