#include "gui/analysis/scaling/link_probe.h"

#include <cmath>

#include "tests/gui/analysis/made_run.h"
#include "tests/support/catch.h"

using namespace ringside;
using namespace ringside::analysis;
using support::MadeRun;

namespace {

constexpr std::int64_t kMiB = std::int64_t{1} << 20;

LinkProbe probe_of(const std::string& step, std::int64_t wall_ns) {
  LinkProbe probe;
  probe.devices = {"", "gloo", {}, 2, 0};
  probe.wall_ns = wall_ns;
  probe.sizes = {{4, 0.0001}, {kMiB, 0.002}, {16 * kMiB, 0.017}};
  probe.step = step;
  return probe;
}

}  // namespace

TEST_CASE(
    "The time of an all-reduce is interpolated between the probe's sizes and extrapolated beyond") {
  const LinkProbe probe = probe_of("lenet", 1);
  CHECK(exchange_s(probe, 1) == 0.0001);
  CHECK(exchange_s(probe, 4) == 0.0001);
  CHECK(exchange_s(probe, kMiB) == Approx(0.002));
  CHECK(exchange_s(probe, 2 * kMiB) == Approx(0.003));
  CHECK(exchange_s(probe, 32 * kMiB) == Approx(0.033));
  CHECK(std::isnan(exchange_s({}, 4)));
  CHECK(bus_bytes_per_s(probe, probe.sizes[1]) == Approx(kMiB / 0.002));
}

TEST_CASE("The gradients of a step are exchanged in a bucket of 1 MiB and buckets of 25 MiB") {
  const LinkProbe probe = probe_of("lenet", 1);
  CHECK(std::isnan(step_exchange_s(probe, 0)));
  CHECK(step_exchange_s(probe, kMiB) == Approx(0.002));
  CHECK(step_exchange_s(probe, 3 * kMiB) == Approx(0.002 + 0.003));
  CHECK(step_exchange_s(probe, 36 * kMiB) == Approx(0.002 + 0.026 + 0.011));
}

TEST_CASE("The newest probe of the same devices is used, preferably of the same step") {
  const std::vector<LinkProbe> probes{probe_of("resnet18", 1), probe_of("lenet", 3),
                                      probe_of("lenet", 2)};
  CHECK(newest_probe(probes, probes[0].devices) == &probes[1]);
  CHECK(newest_probe(probes, probes[0].devices, "resnet18") == &probes[0]);
  CHECK(newest_probe(probes, probes[0].devices, "convnet") == &probes[1]);
  ProbedDevices other = probes[0].devices;
  other.threads = 2;
  CHECK(newest_probe(probes, other) == nullptr);
  CHECK(step_words("lenet", 32, "fp32") == "lenet, 32 samples, fp32");
}

TEST_CASE("A probe records how much CPU other work took, and whether that disturbed it") {
  MadeRun run(2);
  for (int i = 0; i < 6; ++i) {
    messages::HostSample sample;
    sample.cpu_pct = i == 0 ? -1.0F : 90.0F;  // a first reading has no load
    sample.cpus = 4;
    sample.rank_cpu_pct = {100, 60};
    sample.viewer_cpu_pct = 20;
    run.say(kNoRank, 500.0 * i, sample);
  }
  LinkProbe probe = probe_of("lenet", 1);
  CHECK_FALSE(was_disturbed(probe));  // unknown
  add_others(run.model(), probe);
  CHECK(probe.others_cores == Approx(3.6 - 1.6 - 0.2));
  CHECK(probe.host_cores == 4);
  CHECK_FALSE(was_disturbed(probe));  // 1.8 cores beside 2 copies fit on 4 cores
  probe.devices.threads = 2;
  CHECK(was_disturbed(probe));
  probe.others_cores = 0.1;
  CHECK_FALSE(was_disturbed(probe));
  LinkProbe nothing = probe_of("lenet", 1);
  add_others(MadeRun(2).model(), nothing);
  CHECK(nothing.others_cores == -1);
}

TEST_CASE("A run uses the probe of the devices that its ranks reported") {
  MadeRun run(2);
  for (const Rank rank : {0, 1}) {
    messages::RankHello hello;
    hello.world_size = 2;
    hello.host = "host";
    hello.backend = "nccl";
    hello.device_index = static_cast<std::int32_t>(rank);
    hello.device_uuid = rank == 0 ? "GPU-b" : "GPU-a";
    hello.gradient_bytes = 2 * kMiB;
    run.say(rank, 0, hello);
  }
  CHECK(probed_devices(run.model()) == ProbedDevices{"host", "nccl", {"GPU-a", "GPU-b"}, 2, 0});
  CHECK(!probed_devices(MadeRun(1).model()));
  const LinkProbe probe = probe_of("lenet", 1);
  const auto before = expected_exchange(probe, run.model());
  CHECK(before.expected_ns == Approx(4e6));  // buckets of 1 MiB and 1 MiB
  CHECK(std::isnan(before.measured_ns));
  // Ranks are ready at 60 and 62 ms: for 2 of the first bucket's 4 ms the backward pass is running.
  for (const Rank rank : {0, 1}) {
    run.bucket(rank, 0, 0, 60, 64, kMiB);
    run.bucket(rank, 0, 1, 62, 66, kMiB);
    run.step(rank, 0, 92, {5, 1, 20, 36, 4, 5, 92});
  }
  const auto after = expected_exchange(probe, run.model());
  CHECK(after.gradient_bytes == 2 * kMiB);
  CHECK(after.expected_ns == Approx(4e6));
  CHECK(after.hidden_ns == Approx(2e6));
  CHECK(after.exposed_ns == Approx(4e6));
  CHECK(after.measured_ns == Approx(6e6));
}
