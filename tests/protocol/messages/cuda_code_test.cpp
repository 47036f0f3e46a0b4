#include "protocol/messages/cuda_code.h"

#include "tests/support/catch.h"

using namespace ringside::messages;
using Code = std::vector<std::string>;

TEST_CASE("the architectures of a library are read from NVCC's flags anywhere in a text") {
  // Flags as reported by LibTorch 2.11.0 of the wheel.
  CHECK(cuda_code("  - CUDA Runtime 13.0\n  - NVCC architecture flags: "
                  "-gencode;arch=compute_75,code=sm_75;-gencode;arch=compute_120,code=sm_120\n") ==
        Code{"sm_75", "sm_120"});
  CHECK(cuda_code("-gencode arch=compute_80,code=[sm_80,compute_80] -gencode "
                  "arch=compute_90a,code=sm_90a") == Code{"sm_80", "compute_80", "sm_90a"});
  CHECK(cuda_code("code=sm_80;code=sm_80") == Code{"sm_80"});
  CHECK(cuda_code("").empty());
  CHECK(cuda_code("code=").empty());
  CHECK(cuda_code("code=lto_80,").empty());
}

TEST_CASE(
    "machine code runs within its major version from its minor version on, PTX on all later GPUs") {
  const Code wheel = {"sm_75", "sm_80", "sm_86", "sm_90", "sm_100", "sm_120"};
  for (const char* capability : {"7.5", "8.0", "8.6", "8.7", "8.9", "9.0", "10.0", "10.3", "12.0"})
    CHECK(runs_code(wheel, capability));
  for (const char* capability : {"3.5", "6.1", "7.0", "7.2", "11.0", "13.0"})
    CHECK_FALSE(runs_code(wheel, capability));
  CHECK(runs_code({"sm_75", "compute_80"}, "12.0"));
  CHECK_FALSE(runs_code({"sm_75", "compute_80"}, "7.0"));
  CHECK(runs_code({"sm_90a"}, "9.0"));
  CHECK_FALSE(runs_code({"sm_100a", "compute_100a"}, "10.3"));
  CHECK(runs_code({"sm_100f"}, "10.3"));
}

TEST_CASE("unknown architectures and capabilities are not refused") {
  CHECK(runs_code({}, "3.5"));
  CHECK(runs_code({"sm_75"}, ""));
  CHECK(runs_code({"sm_75"}, "unknown"));
  CHECK(code_misfit({"sm_75"}, "7.5").empty());
  CHECK(code_misfit({"sm_75", "sm_80"}, "6.1") ==
        "compute capability 6.1 is not among what LibTorch was built for (sm_75, sm_80)");
}
