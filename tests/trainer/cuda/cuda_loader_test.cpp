#include "trainer/cuda/cuda_loader.h"

#include <dlfcn.h>

#include <cstring>
#include <filesystem>

#include "tests/support/catch.h"
#include "tests/support/paths.h"
#include "trainer/cuda/cuda_api.h"
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

TEST_CASE("the module can be loaded and has the right version, with or without a driver") {
  const auto path = testing::bin_dir() / "ringside-trainer-cuda.so";
  if (!std::filesystem::exists(path)) {
    WARN("SKIPPED: built without the CUDA module");
    return;
  }
  void* library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  INFO((library == nullptr ? ::dlerror() : "loaded"));
  REQUIRE(library != nullptr);
  void* found = ::dlsym(library, "ringside_cuda_api_version");
  REQUIRE(found != nullptr);
  int (*version)() = nullptr;
  std::memcpy(&version, &found, sizeof version);
  CHECK(version() == cuda::kCudaApiVersion);
  CHECK(::dlsym(library, "ringside_cuda_api") != nullptr);
}

TEST_CASE("events of the host resolve to their own times") {
  cuda::HostTimeline timeline;
  const std::int64_t before_ns = mono_now_ns();
  const std::int64_t stamp = timeline.record();
  CHECK(timeline.resolve(stamp) == stamp);
  CHECK(stamp >= before_ns);
  CHECK(stamp <= mono_now_ns());
  CHECK(timeline.resolve(0) == 0);
}
