// ringside-trainer-cuda.so: the trainer's use of CUDA and NCCL, behind CudaApi.
#include <cuda_runtime_api.h>
#include <nccl.h>

#include <array>
#include <cstdio>
#include <map>
#include <vector>

#include <ATen/cuda/CUDAGraph.h>
#include <ATen/detail/CUDAHooksInterface.h>
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAFunctions.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>
#include <torch/csrc/distributed/c10d/ProcessGroupNCCL.hpp>

#include "trainer/cuda/capture.h"
#include "trainer/cuda/cuda_api.h"

#ifndef USE_C10D_NCCL
#error "USE_C10D_NCCL must be defined, else ProcessGroupNCCL.hpp is empty"
#endif
static_assert(NCCL_MAJOR == 2 && NCCL_MINOR >= 28, "LibTorch 2.11 has NCCL 2.28, 2.15 has 2.30");

namespace ringside::cuda {
namespace {

bool event_done(c10::DeviceIndex device, cudaEvent_t event) {
  const c10::cuda::CUDAGuard guard(device);
  const cudaError_t state = cudaEventQuery(event);
  if (state == cudaErrorNotReady) {
    (void)cudaGetLastError();
    return false;
  }
  C10_CUDA_CHECK(state);
  return true;
}

class RecordedGraph final : public StepGraph {
 public:
  void record(const std::function<void()>& work) override { capture(*this, work); }
  void replay() override { graph_.replay(); }

  /// Replays record event `now` in place of event `recorded`.
  void replace(cudaEvent_t recorded, cudaEvent_t now) {
    C10_CUDA_CHECK(cudaGraphExecEventRecordNodeSetEvent(graph_.raw_cuda_graph_exec(),
                                                        moments_.at(recorded), now));
  }

  // Called by capture().
  void synchronize() { c10::cuda::getCurrentCUDAStream().synchronize(); }
  void empty_cache() { c10::cuda::CUDACachingAllocator::emptyCache(); }
  // Other threads (loader, reporter) may continue to use CUDA.
  void begin_capture() { graph_.capture_begin({0, 0}, cudaStreamCaptureModeThreadLocal); }
  void end_capture() {
    graph_.capture_end();
    graph_.instantiate();
    cudaGraph_t const graph = graph_.raw_cuda_graph();
    std::size_t count = 0;
    C10_CUDA_CHECK(cudaGraphGetNodes(graph, nullptr, &count));
    std::vector<cudaGraphNode_t> nodes(count);
    C10_CUDA_CHECK(cudaGraphGetNodes(graph, nodes.data(), &count));
    for (cudaGraphNode_t const node : nodes) {
      cudaGraphNodeType type{};
      C10_CUDA_CHECK(cudaGraphNodeGetType(node, &type));
      if (type != cudaGraphNodeTypeEventRecord) continue;
      cudaEvent_t event = nullptr;
      C10_CUDA_CHECK(cudaGraphEventRecordNodeGetEvent(node, &event));
      moments_[event] = node;
    }
  }

 private:
  // Nodes are identified by the recorded graph, so it is kept.
  at::cuda::CUDAGraph graph_{/*keep_graph=*/true};
  std::map<cudaEvent_t, cudaGraphNode_t> moments_;
};

class EventRing final : public DeviceEvents {
 public:
  EventRing(int device, std::size_t count)
      : device_(static_cast<c10::DeviceIndex>(device)), events_(count) {
    const c10::cuda::CUDAGuard guard(device_);
    for (auto& event : events_) C10_CUDA_CHECK(cudaEventCreate(&event));
    int lowest = 0;
    int highest = 0;
    C10_CUDA_CHECK(cudaDeviceGetStreamPriorityRange(&lowest, &highest));
    // Non-blocking, so that it does not wait for the default stream, on which a step runs.
    C10_CUDA_CHECK(cudaStreamCreateWithPriority(&aside_, cudaStreamNonBlocking, highest));
  }

  ~EventRing() override {
    // At process exit the driver may be unloaded first, along with its events.
    for (auto& event : events_) (void)cudaEventDestroy(event);
    (void)cudaStreamDestroy(aside_);
  }

  EventRing(const EventRing&) = delete;
  EventRing& operator=(const EventRing&) = delete;

  std::size_t size() const override { return events_.size(); }

  void record(std::size_t event) override {
    record_on(event, c10::cuda::getCurrentCUDAStream(device_));
  }
  void record_aside(std::size_t event) override { record_on(event, aside_); }
  void replace(StepGraph& graph, std::size_t recorded, std::size_t now) override {
    static_cast<RecordedGraph&>(graph).replace(events_[recorded], events_[now]);
  }

  bool done(std::size_t event) override { return event_done(device_, events_[event]); }

  std::int64_t elapsed_ns(std::size_t from, std::size_t to) override {
    const c10::cuda::CUDAGuard guard(device_);
    float since_ms = 0.0F;
    C10_CUDA_CHECK(cudaEventElapsedTime(&since_ms, events_[from], events_[to]));
    return static_cast<std::int64_t>(static_cast<double>(since_ms) * 1e6);
  }

 private:
  void record_on(std::size_t event, cudaStream_t stream) {
    const c10::cuda::CUDAGuard guard(device_);
    cudaStreamCaptureStatus status{};
    C10_CUDA_CHECK(cudaStreamIsCapturing(stream, &status));
    // Without the external flag, an event in a recorded step would only order operations and take
    // no time.
    C10_CUDA_CHECK(cudaEventRecordWithFlags(
        events_[event], stream,
        status == cudaStreamCaptureStatusNone ? cudaEventRecordDefault : cudaEventRecordExternal));
  }

  c10::DeviceIndex device_;
  std::vector<cudaEvent_t> events_;
  cudaStream_t aside_ = nullptr;
};

// This class and RecordedGraph have only been run with a software emulation of CUDA.
class SideStream final : public CopyStream {
 public:
  SideStream(int device, std::size_t count)
      : device_(static_cast<c10::DeviceIndex>(device)),
        stream_(c10::cuda::getStreamFromPool(/*isHighPriority=*/false, device_)),
        events_(count) {
    const c10::cuda::CUDAGuard guard(device_);
    for (auto& event : events_)
      C10_CUDA_CHECK(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
  }
  ~SideStream() override {
    for (auto& event : events_) (void)cudaEventDestroy(event);
  }
  SideStream(const SideStream&) = delete;
  SideStream& operator=(const SideStream&) = delete;

  void copy(const at::Tensor& to, const at::Tensor& from) override {
    const at::NoGradGuard no_grad;
    const c10::cuda::CUDAStreamGuard guard(stream_);
    to.copy_(from, /*non_blocking=*/true);
  }
  void record(Lane lane, std::size_t event) override {
    const c10::cuda::CUDAGuard guard(device_);
    C10_CUDA_CHECK(cudaEventRecord(events_[event], stream_of(lane)));
  }
  void wait(Lane lane, std::size_t event) override {
    const c10::cuda::CUDAGuard guard(device_);
    C10_CUDA_CHECK(cudaStreamWaitEvent(stream_of(lane), events_[event], cudaEventWaitDefault));
  }
  bool done(std::size_t event) override { return event_done(device_, events_[event]); }

 private:
  cudaStream_t stream_of(Lane lane) const {
    return lane == Lane::kCopy ? stream_ : c10::cuda::getCurrentCUDAStream(device_);
  }

  c10::DeviceIndex device_;
  c10::cuda::CUDAStream stream_;
  std::vector<cudaEvent_t> events_;
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

  std::unique_ptr<DeviceEvents> make_events(std::size_t count) override {
    return std::make_unique<EventRing>(device_, count);
  }

  std::string flight_recorder() override {
    return c10d::dump_nccl_trace_json(/*includeCollectives=*/true, /*onlyActive=*/false);
  }

  void leave_default_stream() override {
    c10::cuda::setCurrentCUDAStream(c10::cuda::getStreamFromPool(
        /*isHighPriority=*/false, static_cast<c10::DeviceIndex>(device_)));
  }

  void synchronize() override {
    c10::cuda::getCurrentCUDAStream(static_cast<c10::DeviceIndex>(device_)).synchronize();
  }

  std::unique_ptr<StepGraph> make_graph() override { return std::make_unique<RecordedGraph>(); }

  std::unique_ptr<CopyStream> make_copy_stream(std::size_t events) override {
    return std::make_unique<SideStream>(device_, events);
  }

  void* allocate_pinned(std::size_t bytes) override {
    void* memory = nullptr;
    // Called by loader threads, whose current device is not set; portable memory does not require
    // it.
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
