// Everything the trainer asks of CUDA, without a CUDA header: the trainer links the CPU parts of
// LibTorch only, and the module ringside-trainer-cuda.so, loaded first thing in main where a driver
// is, implements this. One object per process, alive until the process ends; used by the training
// thread unless said otherwise. Members throw what LibTorch throws.
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
  std::string uuid;             ///< "GPU-..." as the driver's tools write it
  std::string versions;         ///< "CUDA 13.0, NCCL 2.28.9"
  std::string capability = {};  ///< compute capability: "8.6"
};

/// Work of the device, recorded once and started again with one call. Same memory every time.
class StepGraph {
 public:
  virtual ~StepGraph() = default;
  /// Runs `work` on the host while what it enqueues is only recorded. Once.
  virtual void record(const std::function<void()>& work) = 0;
  virtual void replay() = 0;
};

/// A stream for copies beside the one that the calling thread computes on, and events, by number
/// from 0, that order the two without a wait of the host. An event that was never recorded is done.
class CopyStream {
 public:
  enum class Lane : std::uint8_t {
    kCompute,  ///< the current stream of the calling thread
    kCopy,
  };
  virtual ~CopyStream() = default;
  /// Enqueues a copy on kCopy. `from` lies in page-locked memory; both stay until it is done.
  virtual void copy(const at::Tensor& to, const at::Tensor& from) = 0;
  /// The event is done when everything enqueued so far on the lane is. Takes the place of what was
  /// recorded with it before.
  virtual void record(Lane lane, std::size_t event) = 0;
  /// What the lane is given from now on begins after the event as it was recorded last.
  virtual void wait(Lane lane, std::size_t event) = 0;
  virtual bool done(std::size_t event) = 0;
};

class CudaApi {
 public:
  virtual ~CudaApi() = default;
  virtual int device_count() = 0;
  /// How LibTorch's CUDA part was built, in its own words: flags of NVCC among them. Needs a
  /// driver.
  virtual std::string build_text() { return {}; }
  /// Makes `index` this process's device, checks that it can be used and that NCCL is the one
  /// compiled for.
  virtual DeviceFacts attach(int index) = 0;
  /// Gives `group` an NCCL backend on `index` and connects it at once, so that a wrong mapping
  /// fails at the start.
  virtual void set_nccl_backend(c10d::ProcessGroup& group,
                                const c10::intrusive_ptr<c10d::Store>& store, int index,
                                std::chrono::milliseconds timeout) = 0;
  virtual std::unique_ptr<DeviceEvents> make_events(std::size_t count) = 0;
  /// What NCCL's groups did last, as JSON in torch's form. Any thread, also while the device hangs.
  virtual std::string flight_recorder() = 0;
  /// Makes the calling thread enqueue on a stream of its own from now on instead of the default
  /// one, which cannot be recorded.
  virtual void leave_default_stream() = 0;
  /// Waits until everything that the calling thread has enqueued is done.
  virtual void synchronize() = 0;
  virtual std::unique_ptr<StepGraph> make_graph() = 0;
  virtual std::unique_ptr<CopyStream> make_copy_stream(std::size_t events) = 0;
  /// Page-locked memory for copies that do not wait; nullptr when there is none. Any thread.
  virtual void* allocate_pinned(std::size_t bytes) = 0;
  virtual void release_pinned(void* memory) = 0;
};

/// Increased with every change of CudaApi; a module of another number is refused.
inline constexpr int kCudaApiVersion = 6;

}  // namespace ringside::cuda
