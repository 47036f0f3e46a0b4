// Lets ranks wait for one that works alone, in short rounds of a small collective: no collective
// lasts as long as the work, and a dead rank or a stop request is noticed. Training thread only;
// nobody else uses the group meanwhile.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>

#include "trainer/dist/process_groups.h"

namespace ringside::engine {

class WaitingRounds {
 public:
  static constexpr std::int64_t kRound_ns = 500'000'000;

  /// `timeout` is that of the group's collectives; a round takes at most a quarter of it. `groups`
  /// must outlive this object. `stop_request` is this rank's; 0: continue, at most 2.
  WaitingRounds(const dist::ProcessGroups& groups, std::chrono::nanoseconds timeout,
                std::function<int()> stop_request);

  /// Called now and then by the working rank: takes part in a round when one is due. Returns the
  /// agreed stop request; if above 0, there are no further rounds and the work must stop.
  int while_working();
  /// For a working rank that cannot call while_working(): another thread takes part in the rounds,
  /// and done() is included. Throws what the rounds throw, after the work.
  void beside(const std::function<void()>& work);
  /// Called by the working rank at its end, unless a stop request ended the rounds.
  int done();
  /// Called by the other ranks: returns when the work is done, or with the stop request that ended
  /// it.
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
