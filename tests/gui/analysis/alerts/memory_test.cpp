// Memory that ranks report, alerts about endless growth, and cases without an alert. In MiB.
#include "gui/analysis/alerts/memory.h"

#include <algorithm>
#include <cmath>
#include <random>

#include "gui/analysis/alerts/alert_rules.h"
#include "gui/analysis/alerts/alerts.h"
#include "protocol/messages/memory_names.h"
#include "tests/gui/analysis/made_run.h"
#include "tests/support/catch.h"

using namespace ringside;
using namespace ringside::analysis;
using support::MadeRun;

namespace {

constexpr std::int64_t kMibs = std::int64_t{1} << 20;

void on_device(MadeRun& run, Rank rank, const std::string& uuid, std::int64_t used_mib,
               std::int64_t total_mib, std::int64_t steps_planned = 0) {
  messages::RankHello hello;
  hello.steps_per_epoch = steps_planned;
  hello.epochs = 1;
  hello.device_uuid = uuid;
  hello.world_size = run.ranks();
  run.say(rank, 0, hello);
  messages::DeviceSample sample;
  sample.device_uuid = uuid;
  sample.valid = 0x6;  // only memory
  sample.memory_used_bytes = used_mib * kMibs;
  sample.memory_total_bytes = total_mib * kMibs;
  run.say(kNoRank, 1, sample);
}

/// Samples every 10 steps, one per second; rank 0 is alone on its device, which has 400 MiB free,
/// and reserves 500 with a peak of 450.
template <class Allocated>
MadeRun with_memory(int looks, Allocated&& allocated, std::int64_t free_mib = 400,
                    std::int64_t steps_planned = 0) {
  MadeRun run(1, steps_planned, 1);
  if (free_mib > 0) on_device(run, 0, "GPU-1", 600, 600 + free_mib, steps_planned);
  for (int look = 0; look < looks; ++look) {
    const Step step = 10 * look;
    run.step(0, step, 1000.0 * look, {.step = 100});
    run.say(0, 1000.0 * look, messages::Scalar{messages::kMemoryAllocated, step, allocated(look)});
    run.say(0, 1000.0 * look, messages::Scalar{messages::kMemoryReserved, step, 500});
    run.say(0, 1000.0 * look, messages::Scalar{messages::kMemoryPeak, step, 450});
  }
  return run;
}

}  // namespace

TEST_CASE("The memory of a rank is what it reported, and what follows from that") {
  MadeRun run(1);
  CHECK(std::isnan(memory_of(run.model(), *run.model().rank(0)).allocated));
  CHECK(std::isnan(memory_of(run.model(), *run.model().rank(0)).left));
  on_device(run, 0, "GPU-1", 600, 1000);
  on_device(run, 0, "GPU-1", 500, 1000);
  run.say(0, 1, messages::Scalar{messages::kMemoryParameters, 0, 10});
  run.say(0, 1, messages::Scalar{messages::kMemoryGradients, 0, 10});
  run.say(0, 1, messages::Scalar{messages::kMemoryOptimizer, 0, 20});
  const auto parts = memory_of(run.model(), *run.model().rank(0));
  CHECK(parts.optimizer == 20 * kMib);
  CHECK(std::isnan(parts.rest));
  CHECK(parts.left == 400 * kMib);
  run.say(0, 2, messages::Scalar{messages::kMemoryAllocated, 9, 45});
  run.say(0, 2, messages::Scalar{messages::kMemoryPeak, 9, 100});
  const auto all = memory_of(run.model(), *run.model().rank(0));
  CHECK(all.rest == 5 * kMib);
  CHECK(all.in_steps == 55 * kMib);
  run.say(0, 3, messages::Scalar{messages::kMemoryAllocated, 19, 35});
  CHECK(std::isnan(memory_of(run.model(), *run.model().rank(0)).rest));
}

TEST_CASE("Growing memory is reported with the number of steps until the device is full") {
  // Growth is 3 MiB a sample, 0.3 a step; there is room for 500 - 450 + 400 MiB.
  const auto run = with_memory(100, [](int look) { return 100.0 + 3 * look; });
  const auto creep = memory_creep(run.model());
  REQUIRE(creep);
  CHECK(creep->rank == 0);
  CHECK(creep->bytes_per_step / kMib == Approx(0.3));
  CHECK(creep->seconds_per_step == Approx(0.1));
  CHECK(creep->allocated_bytes / kMib == Approx(397));
  CHECK(*creep->steps == Approx(1500));
  const auto told = [&](const AlertLimits& limits) {
    const auto found = alerts(run.model(), run.model().last_ns(), limits);
    return std::ranges::count(found, "memory_grows", key_of);
  };
  AlertLimits limits;
  CHECK(told(limits) == 1);
  limits.live = false;
  CHECK(told(limits) == 0);
  limits.live = true;
  limits.off.set(static_cast<std::size_t>(AlertRule::kMemory));
  CHECK(told(limits) == 0);
}

TEST_CASE("Memory that grows by less than its noise per step is reported") {
  std::mt19937 random(1);
  std::uniform_real_distribution<double> noise(0, 20);
  const auto run = with_memory(100, [&](int look) { return 100.0 + 3 * look + noise(random); });
  const auto creep = memory_creep(run.model());
  REQUIRE(creep);
  CHECK(creep->bytes_per_step / kMib == Approx(0.3).epsilon(0.2));
}

TEST_CASE("Memory that is freed again, is steady, or will suffice gives no alert") {
  const auto warned = [](int looks, auto&& allocated, std::int64_t free_mib = 400) {
    return memory_creep(with_memory(looks, allocated, free_mib).model()).has_value();
  };
  SECTION("steady at the end of each step") {
    CHECK_FALSE(warned(500, [](int) { return 300.0; }));
  }
  SECTION("noise") {
    std::mt19937 random(2);
    std::normal_distribution<double> noise(300, 30);
    for (int looks = 64; looks < 400; ++looks)
      CHECK_FALSE(warned(looks, [&](int) { return noise(random); }));
  }
  SECTION("a sawtooth, whenever it is sampled") {
    for (const int tooth : {5, 20, 40, 60}) {
      for (int looks = 2 * tooth; looks < 300; ++looks)
        CHECK_FALSE(warned(looks, [&](int look) { return 100.0 + 4 * (look % tooth); }));
    }
  }
  SECTION("a long sawtooth, once it has fallen") {
    for (int looks = 201; looks < 400; ++looks)
      CHECK_FALSE(warned(looks, [&](int look) { return 100.0 + 2 * (look % 200); }));
  }
  SECTION("steps up that come to an end") {
    CHECK_FALSE(warned(200, [](int look) { return look < 60 ? 100.0 : 250.0; }));
  }
  SECTION("only 63 samples") {
    CHECK_FALSE(warned(63, [](int look) { return 100.0 + 3 * look; }));
  }
  SECTION("less than a MiB in a minute") {
    CHECK_FALSE(warned(300, [](int look) { return 100.0 + 0.02 * look; }));
  }
  SECTION("room for more than a day") {
    CHECK_FALSE(warned(
        300, [](int look) { return 20'000 + 0.5 * look; }, 100'000));
    CHECK(warned(
        300, [](int look) { return 2000 + 3.0 * look; }, 100'000));
  }
  SECTION("a device that reports no memory, and less than 5 %") {
    CHECK_FALSE(warned(
        100, [](int look) { return 1000.0 + look; }, 0));
    CHECK(warned(
        100, [](int look) { return 1000.0 + 2 * look; }, 0));
  }
}

TEST_CASE("Memory that lasts until the planned end gives no alert") {
  const auto planned = [](std::int64_t steps) {
    const auto grows = [](int look) { return 100.0 + 3 * look; };
    return memory_creep(with_memory(100, grows, 400, steps).model()).has_value();
  };
  CHECK(planned(2600));
  CHECK_FALSE(planned(2400));  // 991 steps are done, and there is room for 1500 more
}

TEST_CASE("If ranks share a device its end is unknown, otherwise the first to run out is named") {
  for (const bool shared : {true, false}) {
    MadeRun run(2);
    for (const Rank rank : {0, 1})
      on_device(run, rank, shared ? "GPU-1" : "GPU-" + std::to_string(rank), 600, 1000);
    for (int look = 0; look < 80; ++look) {
      for (const Rank rank : {0, 1}) {
        run.step(rank, look, 1000.0 * look, {.step = 100});
        run.say(rank, 1000.0 * look,
                messages::Scalar{messages::kMemoryAllocated, look, 100.0 + (1 + rank) * look});
        run.say(rank, 1000.0 * look, messages::Scalar{messages::kMemoryReserved, look, 400});
        run.say(rank, 1000.0 * look, messages::Scalar{messages::kMemoryPeak, look, 300});
      }
    }
    const auto creep = memory_creep(run.model());
    REQUIRE(creep);
    CHECK(creep->rank == 1);
    CHECK(creep->steps.has_value() == !shared);
  }
}
