#include "trainer/engine/place.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <thread>

#include <torch/torch.h>

#include "trainer/cuda/cuda_api.h"

namespace ringside::engine {
namespace {

Result<Place> gpu_place(cuda::CudaApi& api, const dist::LaunchEnvironment& env,
                        std::int64_t devices) {
  Place place;
  // An agent may show each rank its own device only; then that one is number 0.
  place.index = api.device_count() == 1 && env.local_world_size == 1 ? 0 : env.local_rank;
  if (env.from_agent && api.device_count() == 1) place.index = 0;
  if (place.index >= api.device_count()) {
    return bad_request("local rank " + std::to_string(env.local_rank) +
                       " has no GPU: " + std::to_string(api.device_count()) +
                       " can be seen; start fewer ranks or set devices.kind = \"cpu\"");
  }
  if (place.index + devices > api.device_count()) {
    return bad_request("devices.parallel = \"dp\" asks for " + std::to_string(devices) +
                       " GPUs in one process and " + std::to_string(api.device_count()) +
                       " can be seen; lower devices.world_size");
  }
  const cuda::DeviceFacts facts = api.attach(place.index);
  place.device = at::Device(at::kCUDA, static_cast<at::DeviceIndex>(place.index));
  place.cuda = &api;
  place.uuid = facts.uuid;
  place.name = facts.name;
  place.versions = "torch " TORCH_VERSION ", " + facts.versions;
  return place;
}

}  // namespace

Result<Place> choose_place(const std::string& kind, const cuda::CudaModule& module,
                           const dist::LaunchEnvironment& env, std::int64_t devices) {
  if (kind == "cuda" && module.api == nullptr) {
    return bad_request("devices.kind = \"cuda\", but " + module.why_not +
                       "; use \"cpu\" or \"auto\"");
  }
  const bool enough =
      module.api != nullptr && (module.api->device_count() >= env.local_world_size * devices ||
                                (env.from_agent && devices == 1));
  if (kind == "cuda" || (kind == "auto" && enough)) return gpu_place(*module.api, env, devices);
  Place place;
  place.name = "CPU slot";
  place.versions = "torch " TORCH_VERSION;
  return place;
}

int choose_threads(const char* omp, std::int64_t wanted, int local_world_size) {
  int threads = 0;
  if (omp != nullptr) std::from_chars(omp, omp + std::strlen(omp), threads);
  if (threads > 0) return threads;
  if (wanted > 0) return static_cast<int>(wanted);
  const auto cores = static_cast<int>(std::thread::hardware_concurrency());
  return std::max(1, cores / std::max(1, local_world_size));
}

std::pair<at::Tensor, at::Tensor> to_device(const data::Batch& batch, const data::Dataset& dataset,
                                            const Place& place, bool run_ahead) {
  at::Tensor images =
      at::from_blob(batch.images, {batch.size, dataset.channels, dataset.height, dataset.width},
                    at::TensorOptions().dtype(at::kFloat));
  at::Tensor labels =
      at::from_blob(batch.labels, {batch.size}, at::TensorOptions().dtype(at::kLong));
  if (!place.on_cuda()) return {images, labels};
  return {images.to(place.device, run_ahead), labels.to(place.device, run_ahead)};
}

data::BufferSource batch_buffers(const Place& place) {
  if (!place.on_cuda()) return {};
  return {[api = place.cuda](std::size_t bytes) { return api->allocate_pinned(bytes); },
          [api = place.cuda](void* memory) { api->release_pinned(memory); }};
}

}  // namespace ringside::engine
