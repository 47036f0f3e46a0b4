// A lifecycle that records its actions in order. One thread.
#pragma once

#include <algorithm>
#include <csignal>

#include "protocol/messages/records.h"
#include "tests/support/catch.h"
#include "trainer/agent/lifecycle.h"

namespace ringside::agent {

constexpr std::int64_t kLifeSecond = 1'000'000'000;

struct LifecycleRig {
  explicit LifecycleRig(int ranks, bool speaks = true, std::int64_t grace_s = 30)
      : life(ranks, 0,
             {10 * kLifeSecond, grace_s * kLifeSecond, 5 * kLifeSecond, 1 * kLifeSecond}) {
    life.on_started(speaks, 0);
    if (speaks) {
      for (Rank rank = 0; rank < ranks; ++rank) hear(rank, messages::RankHello{});
    }
  }
  void hear(Rank rank, messages::Record record, std::int64_t mono_ns = 0) {
    life.on_record({0, rank, 0, mono_ns}, record);
    collect();
  }
  void report(Rank rank, messages::State state, const std::string& text = "",
              std::int64_t mono_ns = 0) {
    messages::RankState record;
    record.state = state;
    record.text = text;
    hear(rank, record, mono_ns);
  }
  void exit(Rank rank, ExitStatus status, double at_s = 1, const std::string& detail = "",
            const std::string& collective = "") {
    life.on_exit(rank, status, {detail, collective}, static_cast<std::int64_t>(at_s * 1e9));
    collect();
  }
  void time(double at_s) {
    life.on_tick(static_cast<std::int64_t>(at_s * 1e9));
    collect();
  }
  void survivors(std::vector<std::int64_t> pids, double at_s) {
    life.on_survivors(pids, static_cast<std::int64_t>(at_s * 1e9));
    collect();
  }
  void stop(bool now, double at_s) {
    life.on_stop("SIGINT", now, static_cast<std::int64_t>(at_s * 1e9));
    collect();
  }
  void collect() {
    for (Action& action : life.take_actions()) actions.push_back(std::move(action));
  }
  template <class T>
  std::vector<T> all() const {
    std::vector<T> found;
    for (const Action& action : actions) {
      if (const auto* one = std::get_if<T>(&action)) found.push_back(*one);
    }
    return found;
  }
  int signals(Rank rank, int signal) const {
    const auto list = all<SignalGroup>();
    return static_cast<int>(std::count_if(list.begin(), list.end(), [&](const SignalGroup& one) {
      return one.rank == rank && one.signal == signal;
    }));
  }
  messages::RankState last_of(Rank about) const {
    const auto list = all<RecordState>();
    const auto found = std::find_if(list.rbegin(), list.rend(), [&](const RecordState& one) {
      return one.state.about == about;
    });
    REQUIRE(found != list.rend());
    return found->state;
  }

  Lifecycle life;
  std::vector<Action> actions;
};

}  // namespace ringside::agent
