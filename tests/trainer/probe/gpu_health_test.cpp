#include "trainer/probe/gpu_health.h"

#include "tests/support/catch.h"
#include "tests/support/fake_nvml.h"
#include "trainer/probe/gpu_probe.h"

using namespace ringside;
using namespace ringside::probe;
using messages::Severity;

namespace {

const std::vector<std::string> kBoth{"GPU-a", "GPU-b"};

std::vector<fake_nvml::Gpu>& healthy_gpus() {
  auto& gpus = fake_nvml::gpus();
  gpus.assign(2, {});
  gpus[0].uuid = "GPU-a";
  gpus[1].uuid = "GPU-b";
  return gpus;
}

bool says(const messages::Notice& notice, const std::string& words) {
  return notice.text.find(words) != std::string::npos;
}

}  // namespace

TEST_CASE("each XID has a meaning and advice") {
  const auto lost = xid_notice(3, 79);
  CHECK(lost.severity == Severity::kError);
  CHECK(lost.code == "gpu_3_xid_79");
  CHECK(says(lost, "GPU 3 reports XID 79: it has fallen off its bus"));
  CHECK(says(xid_notice(0, 48), "double-bit error in its memory"));
  for (const unsigned long long of_program : {13ULL, 31ULL, 43ULL}) {
    CHECK(xid_notice(0, of_program).severity == Severity::kWarning);
    CHECK(says(xid_notice(0, of_program), "a fault of the program, not of the GPU"));
  }
  CHECK(says(xid_notice(0, 74), "NVLink"));
  CHECK(says(xid_notice(0, 999), "XID 999: NVIDIA's list"));
  CHECK(xid_notice(0, 45).text.empty());  // cleanup by the driver after any kill
}

TEST_CASE("nothing is reported for healthy GPUs, nor for earlier problems") {
  healthy_gpus()[0].ecc_errors = 7;
  const GpuProbe probe(fake_nvml::api());
  const auto health = probe.health(kBoth);
  CHECK(health->look().empty());
  CHECK(health->look().empty());
}

TEST_CASE("driver events are reported once, with their GPU") {
  auto& gpus = healthy_gpus();
  const GpuProbe probe(fake_nvml::api());
  const auto health = probe.health(kBoth);
  gpus[1].xids = {31, 45, 79};
  gpus[1].lost = true;
  const auto found = health->look();
  REQUIRE(found.size() == 2);
  CHECK(found[0].uuid == "GPU-b");
  CHECK(found[0].notice.code == "gpu_1_xid_31");
  CHECK(found[1].notice.code == "gpu_1_xid_79");
  CHECK(health->look().empty());
}

TEST_CASE("a GPU that does not belong to the run is not watched") {
  healthy_gpus()[1].xids = {79};
  const GpuProbe probe(fake_nvml::api());
  CHECK(probe.health({{"GPU-a"}})->look().empty());
}

TEST_CASE("uncorrectable ECC errors are reported, even if only a counter and no XID shows them") {
  auto& gpus = healthy_gpus();
  const GpuProbe probe(fake_nvml::api());
  const auto health = probe.health(kBoth);
  CHECK(health->look().empty());
  gpus[0].ecc_errors = 2;
  gpus[1].ecc_errors = 1;
  gpus[1].xids = {48};
  const auto found = health->look();
  REQUIRE(found.size() == 2);
  CHECK(found[0].notice.code == "gpu_1_xid_48");
  CHECK(found[1].notice.severity == Severity::kError);
  CHECK(says(found[1].notice, "GPU 0 has 2 new errors in its memory that ECC could not correct"));
}

TEST_CASE("GPU memory that needs a reset is reported at the start") {
  auto& gpus = healthy_gpus();
  gpus[0].rows_pending = 1;
  gpus[1].rows_pending = gpus[1].rows_failed = 1;
  const GpuProbe probe(fake_nvml::api());
  const auto health = probe.health(kBoth);
  const auto found = health->look();
  REQUIRE(found.size() == 2);
  CHECK(found[0].notice.code == "gpu_0_reset_due");
  CHECK(found[1].notice.code == "gpu_1_worn");
  CHECK(health->look().empty());
}

TEST_CASE("a GPU that is gone is reported once, even by a driver without events") {
  auto& gpus = healthy_gpus();
  NvmlApi api = fake_nvml::api();
  api.event_set_create = nullptr;
  api.ecc_errors = nullptr;
  api.remapped_rows = nullptr;
  const GpuProbe probe(api);
  const auto health = probe.health(kBoth);
  CHECK(health->look().empty());
  gpus[0].lost = true;
  const auto found = health->look();
  REQUIRE(found.size() == 1);
  CHECK(says(found[0].notice, "GPU 0 is lost: it has fallen off its bus"));
  CHECK(health->look().empty());
}
