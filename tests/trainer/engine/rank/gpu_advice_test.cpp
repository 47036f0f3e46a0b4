#include "trainer/engine/rank/gpu_advice.h"

#include "tests/support/catch.h"

using ringside::engine::gpu_advice;

namespace {

bool advises(const char* thrown, const char* part) {
  const std::string advice = gpu_advice(thrown);
  INFO(advice);
  return advice.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("a GPU failure is reported with advice") {
  CHECK(advises("CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of",
                "lower batch.size or raise batch.accumulate"));
  CHECK(advises("CUDA error: uncorrectable ECC error encountered", "the GPU's memory is faulty"));
  CHECK(advises("CUDA error: device-side assert triggered", "not below model.classes"));
  CHECK(advises("cuDNN error: CUDNN_STATUS_EXECUTION_FAILED", "a kernel before it"));
  CHECK(advises("CUDA error: an illegal memory access was encountered", "grep -i xid"));
  CHECK(advises("CUDA error: unspecified launch failure", "grep -i xid"));
  CHECK(advises("CUDA error: the launch timed out and was terminated", "draws a screen"));
  CHECK(advises("GPU is lost.  Reboot the system", "fallen off its bus"));
  CHECK(advises("CUDA error: CUDA-capable device(s) is/are busy or unavailable", "to itself"));
  CHECK(advises("CUDA error: no kernel image is available for execution on the device", "doctor"));
  CHECK(gpu_advice("not enough memory").empty());
}
