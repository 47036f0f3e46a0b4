#include "gui/analysis/step_parts.h"

#include <cmath>
#include <numeric>
#include <random>

#include "tests/gui/analysis/made_run.h"
#include "tests/support/catch.h"
#include "tests/support/demo_run.h"

using namespace ringside;
using namespace ringside::analysis;
using support::MadeRun;

namespace {

std::int64_t sum_of(const StepParts& parts) {
  return std::accumulate(parts.total_ns.begin(), parts.total_ns.end(), std::int64_t{0});
}

std::int64_t part(const StepParts& parts, Part which) {
  return parts.total_ns[static_cast<std::size_t>(which)];
}

}  // namespace

TEST_CASE("A step of two ranks is divided as by hand") {
  // Rank 0 is ready at 60, rank 1 at 75, the all-reduce ends at 85, the optimizer at 90, the step
  // at 92.
  MadeRun run(2);
  run.bucket(0, 0, 0, 60, 85);
  run.bucket(1, 0, 0, 75, 85);
  run.step(0, 0, 92, {5, 1, 20, 34, 25, 5, 92});
  run.step(1, 0, 92, {20, 1, 20, 34, 10, 5, 92});
  const StepParts first = step_parts(run.model(), 0, {0, 1});
  CHECK(first.steps == 1);
  CHECK(part(first, Part::kDataWait) == 5'000'000);
  CHECK(part(first, Part::kHostToDevice) == 1'000'000);
  CHECK(part(first, Part::kWaitSlowest) == 15'000'000);
  CHECK(part(first, Part::kAllReduce) == 10'000'000);
  CHECK(part(first, Part::kOther) == 2'000'000);
  CHECK(first.step_ns == 92'000'000);
  CHECK(first.mean_own_work_ns() == Approx(60e6));
  const StepParts second = step_parts(run.model(), 1, {0, 1});
  CHECK(part(second, Part::kWaitSlowest) == 0);
  CHECK(part(second, Part::kAllReduce) == 10'000'000);
  CHECK(second.known[static_cast<std::size_t>(Part::kWaitSlowest)]);
  CHECK(std::isnan(second.mean_ns(Part::kCommunication)));
}

TEST_CASE("Without the times of readiness communication is not split") {
  MadeRun run(2);
  run.bucket(0, 0, 0, 60, 85);
  run.step(0, 0, 92, {5, 1, 20, 34, 25, 5, 92});
  run.step(1, 0, 92, {20, 1, 20, 34, 10, 5, 92});
  for (const StepParts& parts : step_parts(run.model(), StepRange{0, 1})) {
    CHECK(std::isnan(parts.mean_ns(Part::kWaitSlowest)));
    CHECK(std::isnan(parts.mean_ns(Part::kAllReduce)));
    CHECK(parts.mean_ns(Part::kCommunication) > 0);
    CHECK(sum_of(parts) == parts.step_ns);
  }
}

TEST_CASE("A single rank waits for nobody") {
  MadeRun run(1);
  run.step(0, 0, 50, {5, 1, 20, 20, -1, 2, 50});
  const StepParts parts = step_parts(run.model(), 0, {0, 1});
  CHECK(std::isnan(parts.mean_ns(Part::kWaitSlowest)));
  CHECK(std::isnan(parts.mean_ns(Part::kAllReduce)));
  CHECK(part(parts, Part::kOther) == 2'000'000);
}

TEST_CASE("The parts add up exactly to the step, whatever was measured") {
  std::mt19937 random(GENERATE(1U, 2U, 3U));
  const auto draw = [&](double most) {
    return random() % 10 == 0 ? -1.0 : std::uniform_real_distribution<double>(0, most)(random);
  };
  MadeRun run(3);
  for (Step step = 0; step < 300; ++step) {
    for (Rank rank = 0; rank < 3; ++rank) {
      if (random() % 20 == 0) continue;
      const double begin = 100.0 * static_cast<double>(step);
      if (random() % 5 != 0) run.bucket(rank, step, 0, begin + draw(90) + 1, begin + 95);
      run.step(rank, step, begin + 100,
               {draw(20), draw(5), draw(30), draw(50), draw(40), draw(10), std::abs(draw(150))});
    }
  }
  const auto all = step_parts(run.model(), StepRange{0, 300});
  for (const StepParts& parts : all) {
    REQUIRE(sum_of(parts) == parts.step_ns);
    for (const std::int64_t ns : parts.total_ns) REQUIRE(ns >= 0);
  }
  const StepParts mean = mean_of(all);
  CHECK(sum_of(mean) == mean.step_ns);
  CHECK(mean.rank == kNoRank);
  CHECK(mean.steps == all[0].steps + all[1].steps + all[2].steps);
}

TEST_CASE("Ranges are limited to existing steps, and steps without reports are left out") {
  MadeRun run(1);
  run.step(0, 0, 10, {0, 0, 0, 5, -1, 0, 10});
  run.step(0, 2, 30, {0, 0, 0, 5, -1, 0, 10});
  CHECK(step_parts(run.model(), 0, {-5, 1000}).steps == 2);
  CHECK(step_parts(run.model(), 0, {3, 2}).steps == 0);
  CHECK(step_parts(run.model(), 7, {0, 3}).steps == 0);
  CHECK(std::isnan(step_parts(run.model(), 0, {50, 60}).mean_step_ns()));
}

TEST_CASE("The transfer of two buckets is split at the end of the slowest backward pass") {
  // Bucket 0: ready 10 and 20, reduced 28. Bucket 1: ready 30 and 35, reduced 45.
  MadeRun run(2);
  run.bucket(0, 0, 0, 10, 28, 2000);
  run.bucket(1, 0, 0, 20, 28, 2000);
  run.bucket(0, 0, 1, 30, 45, 4000);
  run.bucket(1, 0, 1, 35, 45, 4000);
  run.step(0, 0, 50, {0, 0, 0, 30, 15, 0, 50});
  run.step(1, 0, 50, {0, 0, 0, 35, 10, 0, 50});
  const Transfer found = transfer(run.model(), {0, 50});
  CHECK(found.steps == 1);
  CHECK(found.buckets == 2);
  CHECK(found.size_bytes == 6000);
  CHECK(found.transfer_ns == Approx(18e6));
  CHECK(found.hidden_ns == Approx(8e6));
  CHECK(found.exposed_ns == Approx(10e6));
  // 2 (N - 1) / N = 1 for two ranks.
  CHECK(found.bus_bytes_per_s == Approx(6000 / 0.018));
}

TEST_CASE("Overlapping buckets are not counted twice") {
  // Bucket 1 is ready while bucket 0 is exchanged until 40.
  MadeRun run(2);
  for (Rank rank = 0; rank < 2; ++rank) {
    run.bucket(rank, 0, 0, 10, 40);
    run.bucket(rank, 0, 1, 20, 50);
    run.step(rank, 0, 60, {0, 0, 0, 20, 30, 0, 60});
  }
  const Transfer found = transfer(run.model(), {0, 50});
  CHECK(found.transfer_ns == Approx(40e6));
  CHECK(found.hidden_ns == Approx(10e6));
}

TEST_CASE("The transfer is that of the requested steps") {
  MadeRun run(2);
  for (Step step = 0; step < 3; ++step) {
    for (Rank rank = 0; rank < 2; ++rank) {
      const double begin = 100.0 * static_cast<double>(step);
      run.bucket(rank, step, 0, begin + 10, begin + 20 + 10 * static_cast<double>(step));
      const double exposed = 10 + 10 * static_cast<double>(step);
      run.step(rank, step, begin + 60, {0, 0, 0, 10, exposed, 0, 60});
    }
  }
  CHECK(transfer(run.model(), {0, 3}).transfer_ns == Approx(20e6));
  CHECK(transfer(run.model(), {1, 3}).transfer_ns == Approx(25e6));
  CHECK(transfer(run.model(), {1, 2}).transfer_ns == Approx(20e6));
  CHECK(transfer(run.model(), {1, 2}).steps == 1);
  CHECK(transfer(run.model(), {5, 9}).steps == 0);
}

TEST_CASE("Exposed time agrees with the parts of a step, also if one rank ends later") {
  MadeRun run(2);
  run.bucket(0, 0, 0, 30, 45);
  run.bucket(1, 0, 0, 35, 43);
  run.step(0, 0, 50, {0, 0, 0, 30, 15, 0, 50});
  run.step(1, 0, 50, {0, 0, 0, 35, 8, 0, 50});
  const auto parts = mean_of(step_parts(run.model(), {0, 1}));
  CHECK(parts.mean_ns(Part::kAllReduce) == Approx(9e6));
  CHECK(transfer(run.model(), {0, 1}).exposed_ns == Approx(9e6));
}

TEST_CASE("A step with missing buckets does not count for the transfer") {
  MadeRun run(2);
  run.bucket(0, 0, 0, 10, 28);
  for (Rank rank = 0; rank < 2; ++rank) run.step(rank, 0, 50, {0, 0, 0, 30, 15, 0, 50});
  CHECK(transfer(run.model(), {0, 50}).steps == 0);
  CHECK(transfer(MadeRun(1).model(), {0, 50}).steps == 0);
}

TEST_CASE("Every part has a name of its own") {
  for (std::size_t i = 0; i < kParts; ++i) {
    for (std::size_t j = 0; j < i; ++j)
      CHECK(name_of(static_cast<Part>(i)) != name_of(static_cast<Part>(j)));
  }
  CHECK(name_of(Part::kCount) == "unknown");
}
