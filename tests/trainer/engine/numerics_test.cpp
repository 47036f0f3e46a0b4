#include "trainer/engine/numerics.h"

#include <ATen/Context.h>

#include "tests/support/catch.h"

using namespace ringside;
using namespace ringside::engine;

TEST_CASE("all GPU-only settings are refused on a CPU slot in one error") {
  messages::RunSpec spec;
  const DevicePlacement cpu;
  CHECK(check_numerics(spec, cpu));
  spec.train.precision = "tf32";
  spec.train.cuda_graph = true;
  spec.train.cudnn_benchmark = true;
  spec.data.on_device = true;
  const auto refused = check_numerics(spec, cpu);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().kind == ErrorKind::kRequest);
  for (const char* name : {"tf32", "cuda_graph", "cudnn_benchmark", "on_device", "CPU slot"}) {
    CHECK(refused.error().message.find(name) != std::string::npos);
  }
  spec = {};
  spec.devices.parallel = "dp";
  spec.devices.world_size = 4;
  CHECK(check_numerics(spec, cpu).error().message.find("\"dp\" with 4 devices") !=
        std::string::npos);
}

TEST_CASE("one device per process, half precision and channels_last work on a CPU slot") {
  messages::RunSpec spec;
  spec.devices.parallel = "dp";
  spec.train.channels_last = true;
  spec.train.deterministic = true;
  for (const char* precision : {"torch", "fp32", "bf16", "fp16"}) {
    spec.train.precision = precision;
    CHECK(check_numerics(spec, DevicePlacement{}));
  }
}

TEST_CASE("a GPU supports its settings, and several devices in one process are refused") {
  messages::RunSpec spec;
  spec.train.cuda_graph = true;
  DevicePlacement gpu;
  gpu.cuda = reinterpret_cast<cuda::CudaApi*>(&gpu);  // only compared with null
  CHECK(check_numerics(spec, gpu));
  spec.train.cuda_graph = false;
  spec.devices.parallel = "dp";
  spec.devices.world_size = 2;
  CHECK(check_numerics(spec, gpu));
  CHECK(numerics_warnings(spec, gpu).at(0).find("the old way") != std::string::npos);
}

TEST_CASE("slow numerical settings give a warning") {
  messages::RunSpec spec;
  CHECK(numerics_warnings(spec, DevicePlacement{}).empty());
  spec.train.precision = "fp16";
  REQUIRE(numerics_warnings(spec, DevicePlacement{}).size() == 1);
  CHECK(numerics_warnings(spec, DevicePlacement{}).front().find("loss scaler") !=
        std::string::npos);
  spec.train.precision = "bf16";
  CHECK(numerics_warnings(spec, DevicePlacement{}).size() ==
        (__builtin_cpu_supports("avx512bf16") != 0 ? 0 : 1));
}

TEST_CASE("the process-wide switches follow the spec in both directions") {
  at::Context& context = at::globalContext();
  messages::RunSpec spec;
  spec.train.deterministic = true;
  spec.train.cudnn_benchmark = true;
  apply_numerics(spec);
  CHECK(context.deterministicAlgorithms());
  CHECK_FALSE(context.benchmarkCuDNN());  // its choice may differ between runs
  spec.train.deterministic = false;
  apply_numerics(spec);
  CHECK_FALSE(context.deterministicAlgorithms());
  CHECK(context.benchmarkCuDNN());
  spec.train.precision = "tf32";
  apply_numerics(spec);
  CHECK(context.allowTF32CuDNN());
  CHECK(context.allowTF32CuBLAS());
  apply_numerics({});
  CHECK_FALSE(context.benchmarkCuDNN());
}

TEST_CASE("the default precision is PyTorch's, and fp32 has no TF32") {
  at::Context& context = at::globalContext();
  const at::Context untouched;
  apply_numerics({});
  CHECK(context.allowTF32CuDNN() == untouched.allowTF32CuDNN());
  CHECK(context.allowTF32CuBLAS() == untouched.allowTF32CuBLAS());
  CHECK(context.allowTF32CuDNN());
  CHECK_FALSE(context.allowTF32CuBLAS());
  const auto old = messages::parse_run_spec("[train]\nprecision = \"fp32\"\n", "stored before");
  REQUIRE(old);
  apply_numerics(*old);
  CHECK_FALSE(context.allowTF32CuDNN());
  CHECK_FALSE(context.allowTF32CuBLAS());
  apply_numerics({});
}

TEST_CASE("the reported TF32 use follows from the setting and the GPU") {
  messages::RunSpec spec;
  DevicePlacement ampere;
  ampere.capability = "8.6";
  CHECK(tf32_text(spec, ampere) == ", TF32 in convolutions");
  spec.train.precision = "tf32";
  CHECK(tf32_text(spec, ampere) == ", TF32 in convolutions and matrix products");
  spec.train.precision = "fp32";
  CHECK(tf32_text(spec, ampere).empty());
  spec.train.precision = "torch";
  ampere.capability = "12.0";
  CHECK_FALSE(tf32_text(spec, ampere).empty());
  ampere.capability = "7.5";
  CHECK(tf32_text(spec, ampere).empty());
  CHECK(tf32_text(spec, DevicePlacement{}).empty());
}

TEST_CASE("bf16 and fp16 use autocast, tf32 does not") {
  messages::RunSpec spec;
  CHECK(autocast_type(spec) == at::kFloat);
  spec.train.precision = "tf32";
  CHECK(autocast_type(spec) == at::kFloat);
  spec.train.precision = "bf16";
  CHECK(autocast_type(spec) == at::kBFloat16);
  spec.train.precision = "fp16";
  CHECK(autocast_type(spec) == at::kHalf);
}
