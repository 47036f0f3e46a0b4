// Scalars: sparse, repeated, late and broken steps, the mean over ranks, resumes, and the cost of
// one record.
#include "gui/model/scalar_store.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <random>

#include "gui/model/run_model.h"
#include "protocol/messages/records.h"
#include "tests/support/catch.h"

using namespace ringside;
using model::RunModel;
using model::ScalarName;
using model::ScalarSeries;
using model::ScalarStore;
using model::StepRuns;

namespace {

constexpr double kScalarStoreNan = std::numeric_limits<double>::quiet_NaN();

std::vector<Step> steps_of(const ScalarSeries& series) {
  std::vector<Step> steps;
  for (std::size_t i = 0; i < series.size(); ++i) steps.push_back(series.step_at(i));
  return steps;
}

std::vector<float> values_of(const ScalarSeries& series) {
  std::vector<float> values;
  for (std::size_t i = 0; i < series.size(); ++i) values.push_back(series.values().at(i));
  return values;
}

/// Steps as programs log them: every n-th, with pauses, and at irregular distances.
std::vector<Step> made_steps(std::mt19937& random) {
  std::vector<Step> steps;
  Step step = static_cast<Step>(random() % 50);
  for (int stretch = 0; stretch < 20; ++stretch) {
    const auto stride = static_cast<Step>(random() % 100 + 1);
    const auto count = random() % 30;
    const bool uneven = random() % 3 == 0;
    for (unsigned i = 0; i < count; ++i) {
      steps.push_back(step);
      step += uneven ? static_cast<Step>(random() % 1000 + 1) : stride;
    }
  }
  return steps;
}

}  // namespace

TEST_CASE("Steps are found as in a simple list, whatever their distances") {
  std::mt19937 random(7);
  for (int round = 0; round < 100; ++round) {
    std::vector<Step> plain = made_steps(random);
    StepRuns runs;
    for (const Step step : plain) runs.push(step);
    if (round % 2 == 1) {
      plain.resize(random() % (plain.size() + 1));
      runs.truncate(plain.size());
      const Step next = plain.empty() ? 0 : plain.back() + 17;
      plain.push_back(next);
      runs.push(next);
    }
    REQUIRE(runs.size() == plain.size());
    for (std::size_t i = 0; i < plain.size(); ++i) REQUIRE(runs.at(i) == plain[i]);
    for (int probe = 0; probe < 200; ++probe) {
      const Step step = static_cast<Step>(random()) % (plain.empty() ? 10 : plain.back() + 10);
      const auto expected = std::lower_bound(plain.begin(), plain.end(), step) - plain.begin();
      REQUIRE(runs.lower_bound(step) == static_cast<std::size_t>(expected));
    }
  }
}

TEST_CASE("Steps at equal distances need almost no memory") {
  StepRuns runs;
  for (Step step = 0; step < 100'000; ++step) runs.push(step * 50);
  CHECK(runs.memory_bytes() < 200);
  CHECK(runs.lower_bound(75'001) == 1'501);
}

TEST_CASE("A step has its newest value, and late values are inserted in order") {
  ScalarSeries series;
  std::map<Step, double> plain;
  std::mt19937 random(3);
  for (int i = 0; i < 5'000; ++i) {
    const auto step = static_cast<Step>(i + static_cast<int>(random() % 60)) * 10;
    const double value = static_cast<double>(random() % 1000);
    REQUIRE(series.add(step, value, step));
    plain[step] = value;
    // The pyramid has been built by then.
    if (i % 500 == 0) series.values().extremes(0, series.size());
  }
  std::vector<Step> steps;
  std::vector<float> values;
  for (const auto& [step, value] : plain) {
    steps.push_back(step);
    values.push_back(static_cast<float>(value));
  }
  CHECK(steps_of(series) == steps);
  CHECK(values_of(series) == values);
  CHECK(series.latest() == plain.rbegin()->second);
  CHECK(series.values().extremes(0, series.size()).highest ==
        *std::max_element(values.begin(), values.end()));
}

TEST_CASE("The cost of a record is bounded: a step far behind is dropped") {
  ScalarSeries series;
  constexpr auto kMost = static_cast<Step>(ScalarSeries::kMostBehind);
  for (Step step = 0; step < 2 * kMost; ++step) series.add(step * 2, 1.0, step);
  CHECK_FALSE(series.add(1, 5.0, 0));
  CHECK(series.add(2 * kMost + 1, 5.0, 0));
  CHECK(series.add(2, 7.0, 0));  // an existing step can always be changed
  CHECK(series.values().at(1) == 7.0F);
  CHECK(series.size() == static_cast<std::size_t>(2 * kMost) + 1);
}

TEST_CASE("NaN, Inf and values out of the range of a float are kept as such") {
  ScalarSeries series;
  const double values[] = {1.0, kScalarStoreNan, INFINITY, -INFINITY, 1e300, -1e300, 16'777'217.0};
  Step step = 0;
  for (const double value : values) series.add(step++, value, 0);
  const auto all = series.values().extremes(0, series.size());
  CHECK(all.flags == (model::kHasNan | model::kHasPlusInf | model::kHasMinusInf));
  CHECK(all.lowest == 1.0F);
  CHECK(series.latest() == 16'777'217.0);
}

TEST_CASE("The time of a change is that of the newest different value") {
  ScalarSeries series;
  series.add(0, 65'536, 100);
  series.add(1, 65'536, 200);
  CHECK(series.changed_ns() == 100);
  series.add(2, 32'768, 300);
  series.add(3, 32'768, 400);
  CHECK(series.changed_ns() == 300);
  series.add(4, kScalarStoreNan, 500);
  series.add(5, kScalarStoreNan, 600);
  CHECK(series.changed_ns() == 500);
}

TEST_CASE("An index is also found by time") {
  ScalarSeries series;
  for (Step step = 0; step < 1'000; ++step) series.add(step, 0, step * 1'000'000'000);
  CHECK(series.place_of_ns(-5) == 0);
  CHECK(series.place_of_ns(499'900'000'000) == 500);
  CHECK(series.place_of_ns(499'900'000'000, 499) == 500);
  CHECK(series.place_of_ns(499'900'000'000, 10) == 500);
  CHECK(series.place_of_ns(5'000'000'000'000) == 1'000);
  CHECK(series.ns_at(7) == 7'000'000'000);
}

TEST_CASE("The mean covers the steps that every rank reports, in whatever order records come") {
  ScalarStore store;
  const auto say = [&store](Rank rank, Step step, double value) {
    store.add("gap", rank, step, value, step * 1'000 + rank);
  };
  say(0, 10, 1);
  const ScalarName& name = *store.find("gap");
  CHECK(name.mean().empty());
  say(1, 10, 3);
  say(kNoRank, 10, 100);
  CHECK(values_of(name.mean()) == std::vector<float>{2});
  say(0, 20, 5);
  say(0, 30, 7);
  CHECK(name.mean().latest_step() == 10);
  say(1, 30, 9);
  CHECK(steps_of(name.mean()) == std::vector<Step>{10, 30});
  CHECK(name.mean().latest() == 8);
  say(1, 20, 6);  // late
  CHECK(values_of(name.mean()) == std::vector<float>{2, 5.5, 8});
  say(0, 10, 2);  // repeated
  CHECK(values_of(name.mean()) == std::vector<float>{2.5, 5.5, 8});
  say(2, 30, 14);  // one more rank, so the other ranks' mean is no longer that of all
  CHECK(steps_of(name.mean()) == std::vector<Step>{30});
  CHECK(name.mean().latest() == 10);
}

TEST_CASE("A scalar shows the mean of its ranks, else its newest value") {
  ScalarStore store;
  const auto latest = [&store] { return store.find("x")->latest(); };
  store.add("x", 3, 10, 16'777'217.0, 1);
  CHECK(latest().value == 16'777'217.0);
  CHECK_FALSE(latest().mean);
  store.add("x", 4, 20, 1.0, 2);
  CHECK(latest().step == 20);
  CHECK_FALSE(latest().mean);
  store.add("x", 4, 10, 1.0, 3);
  CHECK(latest().step == 10);
  CHECK(latest().value == 8'388'609.0);
  CHECK(latest().mean);
  store.add("x", 3, 20, kScalarStoreNan, 4);
  CHECK(std::isnan(latest().value));
  for (Step step = 100; step < 400; ++step) store.add("x", step % 2 == 0 ? 3 : 4, step, 5.0, step);
  CHECK(latest().step == 399);
  CHECK_FALSE(latest().mean);
  store.resume(3, 0);
  store.resume(4, 0);
  CHECK(latest().step == model::kNoStep);
  CHECK(std::isnan(latest().value));
}

TEST_CASE("The mean of many random series is that of a simple computation") {
  std::mt19937 random(11);
  for (int round = 0; round < 50; ++round) {
    ScalarStore store;
    std::map<Step, std::map<Rank, double>> plain;
    for (int i = 0; i < 400; ++i) {
      const auto rank = static_cast<Rank>(random() % 3);
      const auto step = static_cast<Step>(i / 4 + static_cast<int>(random() % 5)) * 5;
      const double value = static_cast<double>(random() % 100);
      store.add("x", rank, step, value, i);
      plain[step][rank] = value;
      if (random() % 20 == 0) store.find("x")->mean();
    }
    std::vector<Step> steps;
    std::vector<float> means;
    for (const auto& [step, values] : plain) {
      if (values.size() < 3) continue;
      steps.push_back(step);
      means.push_back(static_cast<float>((values.at(0) + values.at(1) + values.at(2)) / 3));
    }
    REQUIRE(steps_of(store.find("x")->mean()) == steps);
    REQUIRE(values_of(store.find("x")->mean()) == means);
  }
}

TEST_CASE("After a resume later values are those of the new attempt") {
  RunModel model;
  messages::RankHello hello;
  std::uint64_t seq = 0;
  const auto say = [&](Rank rank, Step step, double value) {
    model.accept({0, rank, seq++, 1'000 + step}, messages::Scalar{"loss scale", step, value});
  };
  for (const Rank rank : {0, 1}) model.accept({0, rank, seq++, 1}, hello);
  for (Step step = 0; step < 100; ++step) {
    for (const Rank rank : {kNoRank, 0, 1}) say(rank, step, 1);
  }
  hello.first_step = 60;
  hello.attempt = 1;
  for (const Rank rank : {0, 1}) model.accept({0, rank, 0, 5'000}, hello);
  const ScalarName& name = *model.scalars().find("loss scale");
  for (const Rank rank : {kNoRank, 0, 1}) CHECK(name.of(rank)->latest_step() == 59);
  CHECK(name.mean().latest_step() == 59);
  for (const Rank rank : {0, 1}) say(rank, 60, 2);
  CHECK(name.mean().latest() == 2);
  CHECK(name.mean().size() == 61);
}

TEST_CASE("Any step is kept, including negative ones and up to 2^63, except for kNoStep") {
  constexpr Step kMost = std::numeric_limits<Step>::max();
  const std::vector<Step> steps{-kMost, -1, 0, 1'700'000'000'000, kMost - 1, kMost};
  RunModel model;
  std::uint64_t seq = 0;
  for (const Rank rank : {0, 1}) {
    for (const Step step : steps)
      model.accept({0, rank, seq++, 1}, messages::Scalar{"tokens", step, 1.0 + rank});
  }
  model.accept({0, 0, seq, 1}, messages::Scalar{"tokens", model::kNoStep, 1});
  CHECK(model.refused().step_out_of_range == 1);
  const ScalarName& name = *model.scalars().find("tokens");
  CHECK(steps_of(*name.of(0)) == steps);
  CHECK(steps_of(name.mean()) == steps);
  CHECK(name.latest().step == kMost);
  CHECK(name.latest().value == 1.5);
  CHECK(name.of(0)->place_behind(kMost) == steps.size());
  CHECK(name.of(0)->place_behind(-1) == 2);
  CHECK(model.memory_bytes() < 400'000);
}

TEST_CASE("The newest value at negative steps is known") {
  ScalarStore store;
  store.add("val", 0, -1, 3, 1);
  CHECK(store.find("val")->latest().step == -1);
  CHECK(store.find("val")->latest().value == 3);
  CHECK(ScalarSeries().latest_step() == model::kNoStep);
}

TEST_CASE("A moved model keeps its names") {
  RunModel model;
  model.accept({0, 0, 0, 1}, messages::Scalar{"short", 1, 2});
  RunModel moved = std::move(model);
  moved.accept({0, 0, 1, 2}, messages::Scalar{"short", 2, 3});
  REQUIRE(moved.scalars().names().size() == 1);
  CHECK(moved.scalars().find("short")->of(0)->size() == 2);
}
