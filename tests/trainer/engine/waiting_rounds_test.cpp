#include "trainer/engine/loop/waiting_rounds.h"

#include <array>
#include <atomic>

#include "protocol/base/clock.h"
#include "tests/support/catch.h"
#include "tests/trainer/dist/rank_threads.h"
#include "trainer/engine/loop/rank_parts.h"

using namespace ringside;
using engine::WaitingRounds;
using testing::run_ranks;

namespace {

constexpr std::chrono::nanoseconds kTimeout = std::chrono::seconds(3);

}  // namespace

TEST_CASE("a collective may take ten minutes, as in torch, unless the settings say otherwise") {
  messages::RunSpec spec;
  CHECK(engine::collective_timeout(spec) == std::chrono::minutes(10));
  spec.limits.collective_timeout_s = 1.5;
  CHECK(engine::collective_timeout(spec) == std::chrono::milliseconds(1500));
}

TEST_CASE("ranks wait for one that works longer than a collective may take") {
  std::array<int, 3> stops{-1, -1, -1};
  run_ranks(
      3,
      [&](const auto& groups) {
        WaitingRounds rounds(groups, kTimeout, [] { return 0; });
        auto& stop = stops[static_cast<std::size_t>(groups.rank)];
        if (groups.rank > 0) {
          stop = rounds.wait();
          return;
        }
        const std::int64_t end_ns = mono_now_ns() + 2 * kTimeout.count();
        stop = 0;
        while (stop == 0 && mono_now_ns() < end_ns) stop = rounds.while_working();
        if (stop == 0) stop = rounds.done();
      },
      kTimeout);
  CHECK(stops == std::array<int, 3>{0, 0, 0});
}

TEST_CASE("ranks wait for one whose work cannot take part in the rounds") {
  std::array<std::int64_t, 3> went_on_ns{};
  std::int64_t worked_ns = 0;
  run_ranks(
      3,
      [&](const auto& groups) {
        WaitingRounds rounds(groups, kTimeout, [] { return 0; });
        if (groups.rank > 0) {
          rounds.wait();
        } else {
          rounds.beside([&] {
            const std::int64_t end_ns = mono_now_ns() + 2 * kTimeout.count();
            while (mono_now_ns() < end_ns) std::this_thread::yield();
            worked_ns = mono_now_ns();
          });
        }
        went_on_ns[static_cast<std::size_t>(groups.rank)] = mono_now_ns();
      },
      kTimeout);
  for (const std::int64_t at_ns : went_on_ns) CHECK(at_ns >= worked_ns);
}

TEST_CASE(
    "failed work ends the rounds beside it, and a rank that is gone is reported after the work") {
  std::atomic<int> thrown{0};
  std::atomic<bool> worked{false};
  run_ranks(
      2,
      [&](const auto& groups) {
        if (groups.rank == 1) return;  // its sockets are closed
        WaitingRounds rounds(groups, kTimeout, [] { return 0; });
        try {
          rounds.beside([&] { worked = true; });
        } catch (const std::exception&) {
          ++thrown;
        }
        try {
          rounds.beside([] { throw std::runtime_error("disk full"); });
        } catch (const std::exception& failed) {
          if (std::string(failed.what()) == "disk full") ++thrown;
        }
      },
      std::chrono::seconds(60), testing::Leaving::kEachWhenDone);
  CHECK(worked);
  CHECK(thrown == 2);
}

TEST_CASE("a stop request to any rank ends the work, and all ranks know it") {
  const int asked = GENERATE(0, 2);
  const int urgency = GENERATE(1, 2);
  std::array<int, 3> stops{};
  run_ranks(3, [&](const auto& groups) {
    WaitingRounds rounds(groups, kTimeout, [&] { return groups.rank == asked ? urgency : 0; });
    auto& stop = stops[static_cast<std::size_t>(groups.rank)];
    if (groups.rank > 0) {
      stop = rounds.wait();
      return;
    }
    const std::int64_t end_ns = mono_now_ns() + 20 * kTimeout.count();
    while (stop == 0 && mono_now_ns() < end_ns) stop = rounds.while_working();
  });
  CHECK(stops == std::array<int, 3>{urgency, urgency, urgency});
}

TEST_CASE("a rank that is lost while the others wait is noticed") {
  std::atomic<int> noticed{0};
  run_ranks(
      2,
      [&](const auto& groups) {
        if (groups.rank == 0) return;  // its sockets are closed
        WaitingRounds rounds(groups, kTimeout, [] { return 0; });
        try {
          rounds.wait();
        } catch (const std::exception&) {
          ++noticed;
        }
      },
      std::chrono::seconds(60), testing::Leaving::kEachWhenDone);
  CHECK(noticed == 1);
}

TEST_CASE("a single rank does not wait") {
  dist::ProcessGroups solo;
  int stop = 0;
  WaitingRounds rounds(solo, kTimeout, [&] { return stop; });
  CHECK(rounds.while_working() == 0);
  stop = 1;
  CHECK(rounds.while_working() == 1);
  CHECK(rounds.done() == 0);
}
