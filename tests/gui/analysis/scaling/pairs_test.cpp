// Two settings compared in pairs of runs: when the checks end, and how often they are wrong.
#include "gui/analysis/scaling/pairs.h"

#include <cmath>
#include <random>
#include <vector>

#include "tests/support/catch.h"

using namespace ringside::analysis;

namespace {

/// Number of trials that find a difference by checking repeatedly; both runs of a pair drift alike.
int found_of(int trials, double longer, double noise, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> of_run(0, noise);
  std::normal_distribution<double> of_pair(0, 5 * noise);
  int found = 0;
  for (int trial = 0; trial < trials; ++trial) {
    std::vector<double> first;
    std::vector<double> second;
    PairVerdict verdict = PairVerdict::kOpen;
    while (verdict == PairVerdict::kOpen && first.size() < 24) {
      const auto next = static_cast<std::size_t>(next_check(static_cast<int>(first.size())));
      while (first.size() < next) {
        const double drift = of_pair(random);
        first.push_back(std::exp(drift + of_run(random)));
        second.push_back((1 + longer) * std::exp(drift + of_run(random)));
      }
      verdict = verdict_of(paired_difference(first, second, true));
    }
    if (verdict == PairVerdict::kLonger || verdict == PairVerdict::kShorter) ++found;
  }
  return found;
}

/// Share of trials of so many pairs that are dismissed, at a least gain of 3 %.
double dismissed(std::size_t pairs, double saved, double noise) {
  constexpr int kTrials = 4000;
  std::mt19937_64 random(pairs);
  std::normal_distribution<double> of_run(0, noise);
  int ended = 0;
  for (int trial = 0; trial < kTrials; ++trial) {
    std::vector<double> first;
    std::vector<double> second;
    for (std::size_t i = 0; i < pairs; ++i) {
      first.push_back(std::exp(of_run(random)));
      second.push_back((1 - saved) * std::exp(of_run(random)));
    }
    if (saves_less(first, second, 0.03)) ++ended;
  }
  return static_cast<double>(ended) / kTrials;
}

}  // namespace

TEST_CASE("the checks come one after the other and end") {
  CHECK(last_check(3) == 0);
  CHECK(last_check(4) == 4);
  CHECK(last_check(7) == 6);
  CHECK(last_check(100) == 24);
  CHECK(next_check(0) == 4);
  CHECK(next_check(4) == 6);
  CHECK(next_check(23) == 24);
  CHECK(next_check(24) == 0);
}

TEST_CASE("the interval of pairs is Student's, for the logarithms of their ratios") {
  const std::vector<double> first{1, 2, 4};
  const std::vector<double> second{1.1, 2.2, 4.4};
  const Interval equal = paired_difference(first, second, false);
  CHECK(equal.value == Approx(0.1));
  CHECK(equal.low == Approx(0.1));
  CHECK(equal.high == Approx(0.1));
  // The ratios e^0.1 and e^0.3 have mean 0.2 and deviation 0.1414; t with one degree of freedom is
  // 12.706.
  const Interval wide = paired_difference(std::vector<double>{1, 1},
                                          std::vector<double>{std::exp(0.1), std::exp(0.3)}, false);
  CHECK(wide.low == Approx(std::expm1(0.2 - 1.2706)).epsilon(1e-4));
  CHECK(wide.high == Approx(std::expm1(0.2 + 1.2706)).epsilon(1e-4));
  // Six checks need a wider interval than one.
  const std::vector<double> one{1, 1, 1, 1};
  const std::vector<double> other{1.00, 1.02, 1.01, 1.03};
  CHECK(paired_difference(one, other, true).high > paired_difference(one, other, false).high);
}

TEST_CASE("a difference below 1 % counts as alike, however certain it is") {
  CHECK(verdict_of({0.005, 0.004, 0.006}) == PairVerdict::kAlike);
  CHECK(verdict_of({0.012, 0.004, 0.02}) == PairVerdict::kLonger);
  CHECK(verdict_of({-0.03, -0.04, -0.02}) == PairVerdict::kShorter);
  CHECK(verdict_of({0.005, -0.02, 0.03}) == PairVerdict::kOpen);
}

TEST_CASE(
    "a change that saves the least gain is dismissed in 10 of 100 trials, a slower one mostly") {
  for (const std::size_t pairs : {2UL, 4UL, 6UL, 8UL, 16UL, 24UL}) {
    INFO(pairs);
    CHECK(dismissed(pairs, 0.03, 0.02) == Approx(0.1).margin(0.015));
    CHECK(dismissed(pairs, 0.3, 0.02) < 0.01);
    CHECK(dismissed(pairs, -0.2, 0.02) > 0.8);
    CHECK(dismissed(pairs, 0, 0.003) > 0.8);
  }
}

TEST_CASE("equal settings differ in at most 5 of 100 trials, and 3 % is found in 95") {
  constexpr int kTrials = 4000;
  for (const double noise : {0.003, 0.01, 0.05}) {
    INFO(noise);
    CHECK(found_of(kTrials, 0, noise, 7) <= kTrials * 5 / 100);
  }
  CHECK(found_of(kTrials, 0.03, 0.01, 11) >= kTrials * 95 / 100);
  CHECK(found_of(kTrials, -0.03, 0.01, 13) >= kTrials * 95 / 100);
}
