#include "trainer/dist/consensus.h"

#include <array>

#include "tests/support/catch.h"
#include "tests/trainer/dist/rank_threads.h"

using namespace ringside;
using testing::run_ranks;

TEST_CASE("R7: all ranks stop after the same step, whichever was asked") {
  constexpr int kRanks = 3;
  // With short steps the ranks agree rarely, with long ones after each; ranks with different step
  // times still agree.
  const auto [asked_rank, asked_step, step_ns] = GENERATE(table<int, int, std::int64_t>(
      {{0, 0, 100'000'000}, {2, 7, 100'000'000}, {1, 20, 4'000'000}}));
  std::array<int, kRanks> stopped_after{};
  std::array<int, kRanks> stops{};
  run_ranks(kRanks, [&, asked_rank = asked_rank, asked_step = asked_step,
                     step_ns = step_ns](const auto& groups) {
    dist::StopConsensus consensus(groups);
    const auto me = static_cast<std::size_t>(groups.rank);
    int step = 0;
    while (stops[me] == 0 && step < 200) {
      const int stop = groups.rank == asked_rank && step >= asked_step ? 1 : 0;
      stops[me] = consensus.after_step(stop, step_ns + groups.rank * 1'000'000);
      ++step;
    }
    stopped_after[me] = step;
  });
  CHECK(stops == std::array<int, kRanks>{1, 1, 1});
  CHECK(stopped_after[0] == stopped_after[1]);
  CHECK(stopped_after[0] == stopped_after[2]);
  CHECK(stopped_after[0] > asked_step);
  // The pause with steps of 4 ms is 20 ms: at most 5 steps until the next all-reduce, and one until
  // its result.
  CHECK(stopped_after[0] <= asked_step + 8);
}

TEST_CASE("the most urgent stop request is used, and between passes the agreement is immediate") {
  std::array<int, 2> answers{};
  std::array<int, 2> after{};
  run_ranks(2, [&](const auto& groups) {
    dist::StopConsensus consensus(groups);
    const auto me = static_cast<std::size_t>(groups.rank);
    consensus.after_step(0, 1'000'000);
    answers[me] = consensus.agree_now(groups.rank == 1 ? 2 : 1);
    after[me] = consensus.agree_now(0);
  });
  CHECK(answers == std::array<int, 2>{2, 2});
  CHECK(after == std::array<int, 2>{0, 0});
}

TEST_CASE("sums and the comparison of hashes cover all ranks") {
  std::array<double, 3> sums{};
  std::array<bool, 3> equal{};
  std::array<bool, 3> different{};
  run_ranks(3, [&](const auto& groups) {
    const auto me = static_cast<std::size_t>(groups.rank);
    double values[] = {1.0 + groups.rank, 0.5};
    dist::sum_over_ranks(groups, values);
    sums[me] = values[0] + values[1];
    equal[me] = dist::same_on_all_ranks(groups, 0xFFFFFFFFFFFFFFF0U, "test");
    different[me] =
        dist::same_on_all_ranks(groups, groups.rank == 2 ? 1U : 0xFFFFFFFFFFFFFFF0U, "test");
  });
  CHECK(sums == std::array<double, 3>{7.5, 7.5, 7.5});
  CHECK(equal == std::array<bool, 3>{true, true, true});
  CHECK(different == std::array<bool, 3>{false, false, false});
}

TEST_CASE("a single rank agrees with itself without a group") {
  dist::ProcessGroups solo;
  dist::StopConsensus consensus(solo);
  CHECK(consensus.after_step(0, 1) == 0);
  CHECK(consensus.after_step(1, 1) == 1);
  CHECK(consensus.agree_now(2) == 2);
  double value[] = {4.0};
  dist::sum_over_ranks(solo, value);
  CHECK(value[0] == 4.0);
  CHECK(dist::same_on_all_ranks(solo, 7, "test"));
}
