// Everything that the trainer needs from CUDA, without CUDA headers: the trainer links only the CPU
// parts of LibTorch. The module ringside-trainer-cuda.so implements this; it is loaded first thing
// in main if there is a driver. One object per process, alive until the process ends; used by the
// training thread unless noted. Functions throw what LibTorch throws.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include <ATen/core/Tensor.h>
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>
#include <torch/csrc/distributed/c10d/Store.hpp>

#include "trainer/cuda/device_events.h"

namespace ringside::cuda {

struct DeviceFacts {
  std::string name;
  std::string uuid;             ///< "GPU-..." as in nvidia-smi
  std::string versions;         ///< "CUDA 13.0, NCCL 2.28.9"
  std::string capability = {};  ///< compute capability: "8.6"
};

/// Device work that is recorded once and replayed with one call, using the same memory each time.
class StepGraph {
 public:
  virtual ~StepGraph() = default;
  /// Runs `work` on the host and records what it enqueues. Call once.
  virtual void record(const std::function<void()>& work) = 0;
  virtual void replay() = 0;
};

/// A stream for copies beside the calling thread's compute stream, and events, numbered from 0,
/// that order the two without blocking the host. An event that was never recorded is complete.
class CopyStream {
 public:
  enum class Lane : std::uint8_t {
    kCompute,  ///< the current stream of the calling thread
    kCopy,
  };
  virtual ~CopyStream() = default;
  /// Enqueues a copy on kCopy. `from` must be page-locked; both tensors must live until it is
  /// complete.
  virtual void copy(const at::Tensor& to, const at::Tensor& from) = 0;
  /// The event is complete when everything enqueued so far on the lane is. Replaces an earlier
  /// recording of the event.
  virtual void record(Lane lane, std::size_t event) = 0;
  /// Work enqueued on the lane from now on starts after the last recording of the event.
  virtual void wait(Lane lane, std::size_t event) = 0;
  virtual bool done(std::size_t event) = 0;
};

class CudaApi {
 public:
  virtual ~CudaApi() = default;
  virtual int device_count() = 0;
  /// LibTorch's description of its CUDA build, which includes NVCC's flags. Needs a driver.
  virtual std::string build_text() { return {}; }
  /// Makes `index` this process's device; checks that it is usable and that NCCL has the version
  /// compiled for.
  virtual DeviceFacts attach(int index) = 0;
  /// Gives `group` an NCCL backend on `index` and connects it at once, so that a wrong device
  /// mapping fails at the start.
  virtual void set_nccl_backend(c10d::ProcessGroup& group,
                                const c10::intrusive_ptr<c10d::Store>& store, int index,
                                std::chrono::milliseconds timeout) = 0;
  virtual std::unique_ptr<DeviceEvents> make_events(std::size_t count) = 0;
  /// The last operations of NCCL's groups, as JSON in torch's format. Any thread, even while the
  /// device hangs.
  virtual std::string flight_recorder() = 0;
  /// Makes the calling thread enqueue on a new stream from now on, since the default stream cannot
  /// be recorded.
  virtual void leave_default_stream() = 0;
  /// Waits until all work enqueued by the calling thread is complete.
  virtual void synchronize() = 0;
  virtual std::unique_ptr<StepGraph> make_graph() = 0;
  virtual std::unique_ptr<CopyStream> make_copy_stream(std::size_t events) = 0;
  /// Page-locked memory for asynchronous copies; null when none is available. Any thread.
  virtual void* allocate_pinned(std::size_t bytes) = 0;
  virtual void release_pinned(void* memory) = 0;
};

/// Increased with every change of CudaApi; a module with another number is refused.
inline constexpr int kCudaApiVersion = 6;

}  // namespace ringside::cuda
