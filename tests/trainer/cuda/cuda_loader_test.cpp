#include "trainer/cuda/cuda_loader.h"

#include <filesystem>

#include "tests/support/catch.h"
#include "trainer/cuda/timeline.h"

using namespace ringside;

TEST_CASE("without an NVIDIA driver there is no CUDA, and the reason is given") {
  if (std::filesystem::exists("/dev/nvidiactl")) {
    WARN("SKIPPED: this machine has an NVIDIA driver");
    return;
  }
  const cuda::CudaModule module = cuda::load_cuda();
  CHECK(module.api == nullptr);
  CHECK(module.why_not.find("driver") != std::string::npos);
}

TEST_CASE("moments of the host are times already") {
  cuda::HostTimeline timeline;
  const std::int64_t before_ns = mono_now_ns();
  const std::int64_t stamp = timeline.record();
  CHECK(timeline.resolve(stamp) == stamp);
  CHECK(stamp >= before_ns);
  CHECK(stamp <= mono_now_ns());
  CHECK(timeline.resolve(0) == 0);
}
