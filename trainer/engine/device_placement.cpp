#include "trainer/engine/device_placement.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <thread>

#include <torch/torch.h>

#include "protocol/messages/cuda_code.h"
#include "trainer/cuda/cuda_api.h"

namespace ringside::engine {
namespace {

// CUDA's UUID of a MIG instance does not show that it is one. A process sees only one instance, the
// first in the list.
std::string uuid_of(const cuda::DeviceFacts& facts, const dist::LaunchEnvironment& env) {
  const std::string first = env.visible_gpus.substr(0, env.visible_gpus.find(','));
  return first.starts_with("MIG-") ? first : facts.uuid;
}

Result<DevicePlacement> gpu_placement(cuda::CudaApi& api, const dist::LaunchEnvironment& env,
                                      std::int64_t devices) {
  DevicePlacement placement;
  // With srun --gpus-per-task=1 each rank sees only its own device, as number 0.
  placement.index = api.device_count() == 1 ? 0 : env.local_rank;
  if (placement.index >= api.device_count()) {
    return bad_request("local rank " + std::to_string(env.local_rank) +
                       " has no GPU: " + std::to_string(api.device_count()) +
                       " can be seen; start fewer ranks or set devices.kind = \"cpu\"");
  }
  if (placement.index + devices > api.device_count()) {
    return bad_request("devices.parallel = \"dp\" asks for " + std::to_string(devices) +
                       " GPUs in one process and " + std::to_string(api.device_count()) +
                       " can be seen; lower devices.world_size");
  }
  const auto code = messages::cuda_code(api.build_text());
  cuda::DeviceFacts facts;
  // The first device comes last, so that it stays current.
  for (auto i = static_cast<int>(devices) - 1; i >= 0; --i) {
    facts = api.attach(placement.index + i);
    const std::string misfit = messages::code_misfit(code, facts.capability);
    if (misfit.empty()) continue;
    return bad_request(facts.name + " (" + facts.uuid + "): " + misfit +
                       "; use another GPU, a LibTorch built for this one, or devices.kind = "
                       "\"cpu\"");
  }
  placement.device = at::Device(at::kCUDA, static_cast<at::DeviceIndex>(placement.index));
  placement.cuda = &api;
  placement.uuid = uuid_of(facts, env);
  const int number = dist::number_on_node(env.gpus, placement.uuid);
  placement.number_on_node = number >= 0 ? number : placement.index;
  placement.name = facts.name;
  placement.capability = facts.capability;
  placement.versions = "torch " TORCH_VERSION ", " + facts.versions;
  return placement;
}

std::string fallback_text(const cuda::CudaModule& module, std::int64_t wanted) {
  const std::string chosen = "devices.kind = \"auto\" took CPU slots: ";
  if (module.api == nullptr) return module.expected ? chosen + module.why_not : std::string();
  const int visible = module.api->device_count();
  return chosen + std::to_string(wanted) + " GPUs are wanted on this node and " +
         std::to_string(visible) +
         " can be seen; start fewer ranks, or set devices.kind = \"cuda\" where the launcher shows "
         "each rank a GPU of its own";
}

}  // namespace

Result<DevicePlacement> choose_placement(const std::string& kind, const cuda::CudaModule& module,
                                         const dist::LaunchEnvironment& env, std::int64_t devices) {
  if (kind == "cuda" && module.api == nullptr) {
    return bad_request("devices.kind = \"cuda\", but " + module.why_not +
                       "; use \"cpu\" or \"auto\"");
  }
  const bool enough =
      module.api != nullptr && (module.api->device_count() >= env.local_world_size * devices ||
                                (env.from_agent && devices == 1));
  if (kind == "cuda" || (kind == "auto" && enough)) return gpu_placement(*module.api, env, devices);
  DevicePlacement placement;
  placement.name = "CPU slot";
  placement.versions = "torch " TORCH_VERSION;
  if (kind == "auto") placement.fallback = fallback_text(module, env.local_world_size * devices);
  return placement;
}

int choose_threads(const char* omp, std::int64_t wanted, int local_world_size) {
  int threads = 0;
  if (omp != nullptr) std::from_chars(omp, omp + std::strlen(omp), threads);
  if (threads > 0) return threads;
  if (wanted > 0) return static_cast<int>(wanted);
  const auto cores = static_cast<int>(std::thread::hardware_concurrency());
  return std::max(1, cores / std::max(1, local_world_size));
}

data::BufferSource batch_buffers(const DevicePlacement& placement) {
  if (!placement.on_cuda()) return {};
  return {[api = placement.cuda](std::size_t bytes) { return api->allocate_pinned(bytes); },
          [api = placement.cuda](void* memory) { api->release_pinned(memory); }};
}

}  // namespace ringside::engine
