#include "trainer/engine/loop/waiting_rounds.h"

#include <algorithm>
#include <future>

#include "protocol/base/clock.h"
#include "trainer/dist/consensus.h"

namespace ringside::engine {

WaitingRounds::WaitingRounds(const dist::ProcessGroups& groups, std::chrono::nanoseconds timeout,
                             std::function<int()> stop_request)
    : groups_(groups),
      round_ns_(std::min<std::int64_t>(kRound_ns, timeout.count() / 4)),
      stop_request_(std::move(stop_request)),
      last_ns_(mono_now_ns()) {}

WaitingRounds::Outcome WaitingRounds::round(bool done) {
  const int stop = stop_request_();
  // The collective can only sum, so it counts the ranks with each request.
  double votes[] = {done ? 1.0 : 0.0, stop == 1 ? 1.0 : 0.0, stop >= 2 ? 1.0 : 0.0};
  dist::sum_over_ranks(groups_, votes);
  last_ns_ = mono_now_ns();
  return {votes[0] > 0.0, votes[2] > 0.0 ? 2 : votes[1] > 0.0 ? 1 : 0};
}

int WaitingRounds::while_working() {
  if (groups_.solo()) return stop_request_();
  return mono_now_ns() - last_ns_ < round_ns_ ? 0 : round(false).stop;
}

void WaitingRounds::beside(const std::function<void()>& work) {
  if (groups_.solo()) return work();
  std::future<void> rounds;  // outlives the promise, whose destruction lets its thread end
  std::promise<void> worked;
  rounds = std::async(std::launch::async, [this, ended = worked.get_future()] {
    const std::chrono::nanoseconds pause(round_ns_);
    while (ended.wait_for(pause) == std::future_status::timeout) round(false);
  });
  work();
  worked.set_value();
  rounds.get();
  round(true);
}

int WaitingRounds::done() { return groups_.solo() ? 0 : round(true).stop; }

int WaitingRounds::wait() {
  while (true) {
    const Outcome outcome = round(false);
    if (outcome.done || outcome.stop > 0) return outcome.stop;
  }
}

}  // namespace ringside::engine
