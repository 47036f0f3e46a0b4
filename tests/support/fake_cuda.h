// A CUDA module with fake GPUs, for tests of code that uses CudaApi before training. Records what
// is requested; cannot compute anything. One thread.
#pragma once

#include <cstdlib>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "trainer/cuda/cuda_api.h"

namespace ringside::testing {

class FakeCuda final : public cuda::CudaApi {
 public:
  /// Devices in CUDA's numbering, as CUDA_VISIBLE_DEVICES selects them.
  std::vector<cuda::DeviceFacts> devices;
  std::string built = {};  ///< build_text()
  int attached = -1;
  /// NCCL_SOCKET_IFNAME at the time when the first NCCL group was created.
  std::optional<std::string> nccl_interface;
  std::function<void()> connect;  ///< called while NCCL connects
  std::string recorded = "{}";    ///< by NCCL's flight recorder
  std::size_t pinned_bytes = 0;   ///< total of all requests
  std::function<std::unique_ptr<cuda::CopyStream>(std::size_t events)> copy_stream;
  /// Calls as "cuda: what", in order; shared with other fakes of a test.
  std::vector<std::string>* calls = nullptr;

  int device_count() override { return static_cast<int>(devices.size()); }
  std::string build_text() override { return built; }
  cuda::DeviceFacts attach(int index) override {
    attached = index;
    return devices.at(static_cast<std::size_t>(index));
  }
  void set_nccl_backend(c10d::ProcessGroup&, const c10::intrusive_ptr<c10d::Store>&, int,
                        std::chrono::milliseconds) override {
    const char* set = std::getenv("NCCL_SOCKET_IFNAME");
    if (!nccl_interface) nccl_interface = set != nullptr ? set : "";
    if (connect) connect();
  }
  std::unique_ptr<cuda::DeviceEvents> make_events(std::size_t) override { return nullptr; }
  std::string flight_recorder() override { return recorded; }
  void leave_default_stream() override {}
  void synchronize() override {
    if (calls != nullptr) calls->emplace_back("cuda: synchronize");
  }
  std::unique_ptr<cuda::StepGraph> make_graph() override { return nullptr; }
  std::unique_ptr<cuda::CopyStream> make_copy_stream(std::size_t events) override {
    return copy_stream ? copy_stream(events) : nullptr;
  }
  void* allocate_pinned(std::size_t bytes) override {
    pinned_bytes += bytes;
    return std::malloc(bytes);
  }
  void release_pinned(void* memory) override { std::free(memory); }
};

}  // namespace ringside::testing
