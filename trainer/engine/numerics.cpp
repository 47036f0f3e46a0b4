#include "trainer/engine/numerics.h"

#include <cstdlib>

#include <ATen/Context.h>

#include "protocol/base/text.h"
#include "protocol/messages/spec/data_facts.h"

namespace ringside::engine {
namespace {

bool has_bf16_units() { return __builtin_cpu_supports("avx512bf16") != 0; }

}  // namespace

Result<void> check_numerics(const messages::RunSpec& spec, const DevicePlacement& placement) {
  if (placement.on_cuda()) return {};
  std::string asked = messages::gpu_only_settings(spec);
  if (spec.devices.parallel == "dp" && spec.devices.world_size > 1) {
    add_listed(asked, std::string("devices.parallel = \"dp\" with ") +
                          std::to_string(spec.devices.world_size) + " devices");
  }
  if (asked.empty()) return {};
  return bad_request("only a GPU has " + asked +
                     ", and this rank computes on a CPU slot; leave that out, or run it where GPUs "
                     "are with devices.kind = \"cuda\"");
}

std::vector<std::string> numerics_warnings(const messages::RunSpec& spec,
                                           const DevicePlacement& placement) {
  std::vector<std::string> warnings;
  if (spec.devices.parallel == "dp" && spec.devices.world_size > 1) {
    warnings.emplace_back(
        "devices.parallel = \"dp\" is the old way, kept for comparison: one process copies the "
        "weights to every device and the gradients back in each step");
  }
  if (placement.on_cuda()) return warnings;
  if (spec.train.precision == "bf16" && !has_bf16_units()) {
    warnings.emplace_back(
        "train.precision = \"bf16\" on a processor without bf16 units (AVX512_BF16) is many times "
        "slower than fp32");
  }
  if (spec.train.precision == "fp16") {
    warnings.emplace_back(
        "train.precision = \"fp16\" on a CPU slot is slower than fp32; it shows what the loss "
        "scaler does, not what a GPU gains");
  }
  return warnings;
}

void apply_numerics(const messages::RunSpec& spec) {
  at::Context& context = at::globalContext();
  // "torch" is PyTorch's default.
  const bool tf32 = spec.train.precision == "tf32";
  context.setAllowTF32CuBLAS(tf32);
  context.setAllowTF32CuDNN(tf32 || spec.train.precision == "torch");
  const bool exact = spec.train.deterministic;
  if (exact) {
    // cuBLAS reads the variable at its first use; without it deterministic matrix products are
    // refused.
    ::setenv("CUBLAS_WORKSPACE_CONFIG", ":4096:8", /*overwrite=*/0);
  }
  context.setDeterministicAlgorithms(exact, /*warn_only=*/false);
  context.setDeterministicFillUninitializedMemory(false);
  context.setDeterministicCuDNN(exact);
  context.setDeterministicMkldnn(exact);
  context.setBenchmarkCuDNN(spec.train.cudnn_benchmark && !exact);
}

std::string tf32_text(const messages::RunSpec& spec, const DevicePlacement& placement) {
  constexpr int kFirstWithTf32 = 8;  // Ampere
  if (std::atoi(placement.capability.c_str()) < kFirstWithTf32) return {};
  if (spec.train.precision == "tf32") return ", TF32 in convolutions and matrix products";
  return spec.train.precision == "torch" ? ", TF32 in convolutions" : "";
}

c10::ScalarType autocast_type(const messages::RunSpec& spec) {
  if (spec.train.precision == "bf16") return at::kBFloat16;
  if (spec.train.precision == "fp16") return at::kHalf;
  return at::kFloat;
}

}  // namespace ringside::engine
