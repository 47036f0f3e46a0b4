// ringside-trainer-cuda.so: the trainer's dealings with CUDA and NCCL, behind CudaApi.
#include <cuda_runtime_api.h>
#include <nccl.h>

#include <array>
#include <atomic>
#include <cstdio>
#include <mutex>
#include <vector>

#include <ATen/cuda/CUDAGraph.h>
#include <ATen/detail/CUDAHooksInterface.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAFunctions.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>
#include <torch/csrc/distributed/c10d/ProcessGroupNCCL.hpp>

#include "trainer/cuda/cuda_api.h"

#ifndef USE_C10D_NCCL
#error "USE_C10D_NCCL must be defined, else ProcessGroupNCCL.hpp is empty"
#endif
static_assert(NCCL_MAJOR == 2 && NCCL_MINOR == 28, "LibTorch 2.11 was built with NCCL 2.28");

namespace ringside::cuda {
namespace {

// Events in a ring. A stamp is the number of an event since the start; where it lies in the ring
// follows from it.
class EventTimeline final : public Timeline {
 public:
  EventTimeline(int device, std::size_t capacity)
      : device_(static_cast<c10::DeviceIndex>(device)), events_(capacity) {
    const c10::cuda::CUDAGuard guard(device_);
    for (auto& event : events_) C10_CUDA_CHECK(cudaEventCreate(&event));
    C10_CUDA_CHECK(cudaEventCreate(&anchor_));
    EventTimeline::settle();
  }

  ~EventTimeline() override {
    // At the end of the process the driver may be gone before us; it takes its events with it.
    for (auto& event : events_) (void)cudaEventDestroy(event);
    (void)cudaEventDestroy(anchor_);
  }

  EventTimeline(const EventTimeline&) = delete;
  EventTimeline& operator=(const EventTimeline&) = delete;

  std::int64_t record() override {
    const c10::cuda::CUDAGuard guard(device_);
    const std::int64_t stamp = ++newest_;
    C10_CUDA_CHECK(cudaEventRecord(event_of(stamp), c10::cuda::getCurrentCUDAStream(device_)));
    return stamp;
  }

  std::optional<std::int64_t> resolve(std::int64_t stamp) override {
    if (stamp <= 0) return stamp;
    const std::lock_guard<std::mutex> lock(mutex_);
    // Overtaken by the ring: the moment is lost, and a step without it is better than one that
    // waits for ever.
    if (stamp + static_cast<std::int64_t>(events_.size()) <= newest_) return anchor_ns_;
    const c10::cuda::CUDAGuard guard(device_);
    cudaEvent_t& event = event_of(stamp);
    const cudaError_t state = cudaEventQuery(event);
    if (state == cudaErrorNotReady) {
      (void)cudaGetLastError();
      return std::nullopt;
    }
    C10_CUDA_CHECK(state);
    float since_ms = 0.0F;
    C10_CUDA_CHECK(cudaEventElapsedTime(&since_ms, anchor_, event));
    const std::int64_t time_ns =
        anchor_ns_ + static_cast<std::int64_t>(static_cast<double>(since_ms) * 1e6);
    if (static_cast<double>(since_ms) > kLongestSpan_ms) {
      // A float of milliseconds loses its microseconds after some minutes, so the anchor moves
      // along.
      std::swap(anchor_, event);
      anchor_ns_ = time_ns;
    }
    return time_ns;
  }

  void settle() override {
    const std::lock_guard<std::mutex> lock(mutex_);
    const c10::cuda::CUDAGuard guard(device_);
    const auto stream = c10::cuda::getCurrentCUDAStream(device_);
    C10_CUDA_CHECK(cudaStreamSynchronize(stream));
    const std::int64_t before_ns = mono_now_ns();
    C10_CUDA_CHECK(cudaEventRecord(anchor_, stream));
    C10_CUDA_CHECK(cudaEventSynchronize(anchor_));
    anchor_ns_ = before_ns + (mono_now_ns() - before_ns) / 2;
  }

 private:
  static constexpr double kLongestSpan_ms = 10'000.0;
  cudaEvent_t& event_of(std::int64_t stamp) {
    return events_[static_cast<std::size_t>(stamp) % events_.size()];
  }

  c10::DeviceIndex device_;
  std::vector<cudaEvent_t> events_;
  std::atomic<std::int64_t> newest_{0};
  std::mutex mutex_;
  cudaEvent_t anchor_ = nullptr;
  std::int64_t anchor_ns_ = 0;
};

// Not run on a GPU so far: compiled and loaded only.
class RecordedGraph final : public StepGraph {
 public:
  void record(const std::function<void()>& work) override {
    // Everything before must be complete; other threads (loader, reporter) may continue.
    c10::cuda::getCurrentCUDAStream().synchronize();
    graph_.capture_begin({0, 0}, cudaStreamCaptureModeThreadLocal);
    work();
    graph_.capture_end();
  }
  void replay() override { graph_.replay(); }

 private:
  at::cuda::CUDAGraph graph_;
};

std::string uuid_text(const cudaUUID_t& uuid) {
  std::string text = "GPU-";
  for (std::size_t i = 0; i < sizeof uuid.bytes; ++i) {
    std::array<char, 3> digits{};
    std::snprintf(digits.data(), digits.size(), "%02x",
                  static_cast<unsigned>(static_cast<unsigned char>(uuid.bytes[i])));
    text += digits.data();
    if (i == 3 || i == 5 || i == 7 || i == 9) text += '-';
  }
  return text;
}

std::string versions_text() {
  int runtime = 0;
  int nccl = 0;
  C10_CUDA_CHECK(cudaRuntimeGetVersion(&runtime));
  TORCH_CHECK(ncclGetVersion(&nccl) == ncclSuccess, "NCCL does not report its version");
  TORCH_CHECK(nccl / 100 == NCCL_VERSION_CODE / 100, "NCCL ", nccl,
              " was loaded, but LibTorch was built with ", NCCL_VERSION_CODE,
              "; remove the other NCCL from the library path");
  return "CUDA " + std::to_string(runtime / 1000) + "." + std::to_string(runtime % 1000 / 10) +
         ", NCCL " + std::to_string(nccl / 10000) + "." + std::to_string(nccl / 100 % 100) + "." +
         std::to_string(nccl % 100);
}

class CudaModuleApi final : public CudaApi {
 public:
  int device_count() override { return c10::cuda::device_count(); }

  std::string build_text() override { return at::detail::getCUDAHooks().showConfig(); }

  DeviceFacts attach(int index) override {
    device_ = index;
    C10_CUDA_CHECK(cudaSetDevice(index));
    cudaDeviceProp properties{};
    C10_CUDA_CHECK(cudaGetDeviceProperties(&properties, index));
    return {properties.name, uuid_text(properties.uuid), versions_text(),
            std::to_string(properties.major) + "." + std::to_string(properties.minor)};
  }

  void set_nccl_backend(c10d::ProcessGroup& group, const c10::intrusive_ptr<c10d::Store>& store,
                        int index, std::chrono::milliseconds timeout) override {
    const at::Device device(at::kCUDA, static_cast<c10::DeviceIndex>(index));
    auto options = c10d::ProcessGroupNCCL::Options::create(/*is_high_priority_stream=*/true);
    options->timeout = timeout;
    group.setBoundDeviceId(device);
    auto nccl = c10::make_intrusive<c10d::ProcessGroupNCCL>(store, group.getRank(), group.getSize(),
                                                            std::move(options));
    group.setBackend(c10::kCUDA, c10d::ProcessGroup::BackendType::NCCL,
                     c10::intrusive_ptr<c10d::Backend>(nccl));
    nccl->eagerConnectSingleDevice(device);
  }

  std::unique_ptr<Timeline> make_timeline(std::size_t capacity) override {
    return std::make_unique<EventTimeline>(device_, capacity);
  }

  void leave_default_stream() override {
    c10::cuda::setCurrentCUDAStream(c10::cuda::getStreamFromPool(
        /*isHighPriority=*/false, static_cast<c10::DeviceIndex>(device_)));
  }

  std::unique_ptr<StepGraph> make_graph() override { return std::make_unique<RecordedGraph>(); }

  void* allocate_pinned(std::size_t bytes) override {
    void* memory = nullptr;
    // Loader threads call this: the device of the thread is not set there, and need not be for
    // portable memory.
    if (cudaHostAlloc(&memory, bytes, cudaHostAllocPortable) != cudaSuccess) return nullptr;
    return memory;
  }

  void release_pinned(void* memory) override { (void)cudaFreeHost(memory); }

 private:
  int device_ = 0;
};

}  // namespace
}  // namespace ringside::cuda

extern "C" {

__attribute__((visibility("default"))) int ringside_cuda_api_version() {
  return ringside::cuda::kCudaApiVersion;
}

__attribute__((visibility("default"))) ringside::cuda::CudaApi* ringside_cuda_api() {
  static ringside::cuda::CudaModuleApi api;
  return &api;
}

}  // extern "C"
