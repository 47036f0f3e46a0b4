#include "trainer/agent/sampler.h"

#include <poll.h>
#include <unistd.h>

#include <atomic>

#include "protocol/base/clock.h"
#include "tests/support/catch.h"
#include "tests/support/fake_nvml.h"

using namespace ringside;
using namespace ringside::agent;

namespace {

constexpr std::int64_t kSamplerMs = 1'000'000;

void wait_for_reading(const Sampler& sampler) {
  pollfd ready{sampler.ready_fd(), POLLIN, 0};
  REQUIRE(::poll(&ready, 1, 30'000) == 1);
}

std::shared_ptr<probe::GpuProbe> two_gpus(probe::NvmlApi api) {
  fake_nvml::gpus().assign(2, {});
  fake_nvml::gpus()[0].uuid = "GPU-a";
  fake_nvml::gpus()[1].uuid = "GPU-b";
  return std::make_shared<probe::GpuProbe>(api);
}

}  // namespace

TEST_CASE("samples arrive periodically, with the ranks and the chosen GPUs") {
  Sampler sampler(two_gpus(fake_nvml::api()), {"GPU-b"}, "/tmp", 20 * kSamplerMs, {::getpid()});
  wait_for_reading(sampler);
  auto reading = sampler.take();
  REQUIRE(reading);
  REQUIRE(reading->host.rank_resident_bytes.size() == 1);
  CHECK(reading->host.rank_resident_bytes[0] > 0);
  REQUIRE(reading->devices.size() == 1);
  CHECK(reading->devices[0].sample.device_index == 1);
  CHECK(reading->devices[0].sample.utilisation_pct == Approx(50));
  sampler.set_ranks({::getpid(), 0});
  do {
    wait_for_reading(sampler);
    reading = sampler.take();
    REQUIRE(reading);
  } while (reading->host.rank_resident_bytes.size() != 2);
}

TEST_CASE("whenever the descriptor is ready there is a sample, however fast they arrive") {
  Sampler sampler(nullptr, {}, "/tmp", 0);
  for (int taken = 0; taken < 2000; ++taken) {
    wait_for_reading(sampler);
    // Taken at any time during the next sample.
    const std::int64_t until_ns = mono_now_ns() + taken % 250 * 1'000;
    while (mono_now_ns() < until_ns) {
    }
    REQUIRE(sampler.take());
  }
}

TEST_CASE("the first sample has the GPU links, even if another one replaced it") {
  Sampler sampler(two_gpus(fake_nvml::api()), {"GPU-a", "GPU-b"}, "/tmp", kSamplerMs);
  // The descriptor counts: from two on, the first sample was not taken before the next came.
  std::uint64_t readings = 0;
  while (readings < 2) {
    wait_for_reading(sampler);
    std::uint64_t more = 0;
    REQUIRE(::read(sampler.ready_fd(), &more, sizeof more) == sizeof more);
    readings += more;
  }
  auto reading = sampler.take();
  REQUIRE(reading);
  REQUIRE(reading->links.size() == 1);
  CHECK(reading->links[0].from_uuid == "GPU-a");
  CHECK(reading->links[0].to_uuid == "GPU-b");
  CHECK(reading->links[0].link == "PHB");
  wait_for_reading(sampler);
  reading = sampler.take();
  REQUIRE(reading);
  CHECK(reading->links.empty());
}

TEST_CASE("each GPU has its own time stamp, and the GPUs take turns with the slow PCIe counters") {
  // Sampling continues during this check, so the time stamps tell which calls belong to one sample.
  static std::atomic<int> pcie_calls{0};
  pcie_calls = 0;
  probe::NvmlApi api = fake_nvml::api();
  api.pcie_kb_per_s = [](probe::NvmlDevice, int, unsigned* rate) {
    ++pcie_calls;
    *rate = 1;
    return 0;
  };
  Sampler sampler(two_gpus(api), {"GPU-a", "GPU-b"}, "/tmp", 3'000 * kSamplerMs);
  wait_for_reading(sampler);
  const auto first = sampler.take();
  REQUIRE(first);
  CHECK(pcie_calls == 2);  // received and sent bytes of the first GPU
  REQUIRE(first->devices.size() == 2);
  CHECK(first->mono_ns < first->devices[0].mono_ns);
  CHECK(first->devices[0].mono_ns < first->devices[1].mono_ns);
  const auto has_pcie = [](const Sampler::Device& device) {
    return is_valid(device.sample, messages::DeviceField::kPcieRx);
  };
  CHECK(has_pcie(first->devices[0]));
  CHECK_FALSE(has_pcie(first->devices[1]));
  wait_for_reading(sampler);
  const auto second = sampler.take();
  REQUIRE(second);
  CHECK_FALSE(has_pcie(second->devices[0]));
  CHECK(has_pcie(second->devices[1]));
}

TEST_CASE("a requested sample comes at once, with GPU problems since the last one") {
  Sampler sampler(two_gpus(fake_nvml::api()), {"GPU-a"}, "/tmp", 3'600'000 * kSamplerMs);
  wait_for_reading(sampler);
  REQUIRE(sampler.take());
  fake_nvml::gpus()[0].xids = {79};
  const auto reading = sampler.read_now(30'000 * kSamplerMs);
  REQUIRE(reading);
  REQUIRE(reading->troubles.size() == 1);
  CHECK(reading->troubles[0].uuid == "GPU-a");
  CHECK(reading->troubles[0].notice.code == "gpu_0_xid_79");
}

TEST_CASE("a driver that hangs does not keep the agent from ending") {
  static std::atomic<bool> release{false};
  static std::atomic<bool> entered{false};
  static std::atomic<bool> left{false};
  probe::NvmlApi api = fake_nvml::api();
  api.utilization = [](probe::NvmlDevice, probe::NvmlUtilization*) {
    entered = true;
    entered.notify_all();
    release.wait(false);
    left = true;
    return 3;
  };
  std::int64_t leave_ns = 0;
  {
    const Sampler sampler(two_gpus(api), {"GPU-a"}, "/tmp", 20 * kSamplerMs);
    entered.wait(false);
    leave_ns = mono_now_ns();
  }
  CHECK(mono_now_ns() - leave_ns < 3'000 * kSamplerMs);
  CHECK_FALSE(left);
  release = true;
  release.notify_all();
}
