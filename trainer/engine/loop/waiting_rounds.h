// How ranks wait for one that works alone: in short rounds of a small collective, so that none of
// them lasts as long as the work, a rank that died is noticed, and so is a request to stop.
// Training thread only; nobody else uses the group meanwhile.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>

#include "trainer/dist/process_groups.h"

namespace ringside::engine {

class WaitingRounds {
 public:
  static constexpr std::int64_t kRound_ns = 500'000'000;

  /// `timeout`: of the group's collectives; rounds are a quarter of it at most. `groups`
  /// outlives this object. `stop_request`: of this rank; 0 = go on, at most 2.
  WaitingRounds(const dist::ProcessGroups& groups, std::chrono::nanoseconds timeout,
                std::function<int()> stop_request);

  /// The rank that works, now and then: takes part in a round when it is due. The stop request that
  /// all ranks agree on; above 0 no further round takes place, and the work is to be left.
  int while_working();
  /// The rank that works, where its work cannot ask now and then: a thread beside it takes part in
  /// the rounds, and done() is included. Throws what the rounds throw, after the work.
  void beside(const std::function<void()>& work);
  /// The rank that works, at its end, unless a stop request ended the rounds.
  int done();
  /// For the other ranks: returns when the work is done, or with the stop request that ended it.
  int wait();

 private:
  struct Outcome {
    bool done = false;
    int stop = 0;
  };
  Outcome round(bool done);

  const dist::ProcessGroups& groups_;
  std::int64_t round_ns_;
  std::function<int()> stop_request_;
  std::int64_t last_ns_;
};

}  // namespace ringside::engine
