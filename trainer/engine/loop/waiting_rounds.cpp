#include "trainer/engine/loop/waiting_rounds.h"

#include <algorithm>

#include "protocol/base/clock.h"
#include "trainer/dist/agreement.h"

namespace ringside::engine {

WaitingRounds::WaitingRounds(const dist::ProcessGroups& groups, std::int64_t timeout_ns,
                             std::function<int()> stop_wish)
    : groups_(groups),
      round_ns_(std::min(kRound_ns, timeout_ns / 4)),
      stop_wish_(std::move(stop_wish)),
      last_ns_(mono_now_ns()) {}

WaitingRounds::Outcome WaitingRounds::round(bool done) {
  const int wish = stop_wish_();
  // How many ranks say so; a sum is all the collective knows.
  double said[] = {done ? 1.0 : 0.0, wish == 1 ? 1.0 : 0.0, wish >= 2 ? 1.0 : 0.0};
  dist::sum_over_ranks(groups_, said);
  last_ns_ = mono_now_ns();
  return {said[0] > 0.0, said[2] > 0.0 ? 2 : said[1] > 0.0 ? 1 : 0};
}

int WaitingRounds::while_working() {
  if (groups_.solo()) return stop_wish_();
  return mono_now_ns() - last_ns_ < round_ns_ ? 0 : round(false).wish;
}

int WaitingRounds::done() { return groups_.solo() ? 0 : round(true).wish; }

int WaitingRounds::wait() {
  while (true) {
    const Outcome outcome = round(false);
    if (outcome.done || outcome.wish > 0) return outcome.wish;
  }
}

}  // namespace ringside::engine
