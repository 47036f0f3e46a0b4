#include "trainer/check/host_cuda.h"

#include <cstdlib>
#include <stdexcept>

namespace ringside::check {
namespace {

class CalledAgain final : public cuda::StepGraph {
 public:
  void record(const std::function<void()>& work) override { work_ = work; }
  void replay() override { work_(); }

 private:
  std::function<void()> work_;
};

class HostCuda final : public cuda::CudaApi {
 public:
  int device_count() override { return 1; }
  cuda::DeviceFacts attach(int) override { return {"CPU slot", "cpu", "host"}; }
  void set_nccl_backend(c10d::ProcessGroup&, const c10::intrusive_ptr<c10d::Store>&, int,
                        std::chrono::milliseconds) override {
    throw std::logic_error("the host has no NCCL");
  }
  std::unique_ptr<cuda::Timeline> make_timeline(std::size_t) override {
    return std::make_unique<cuda::HostTimeline>();
  }
  void leave_default_stream() override {}
  std::unique_ptr<cuda::StepGraph> make_graph() override { return std::make_unique<CalledAgain>(); }
  void* allocate_pinned(std::size_t bytes) override {
    constexpr std::size_t kAlignment = 64;
    return std::aligned_alloc(kAlignment, (bytes + kAlignment - 1) / kAlignment * kAlignment);
  }
  void release_pinned(void* memory) override { std::free(memory); }
};

}  // namespace

cuda::CudaApi& host_cuda() {
  static HostCuda api;
  return api;
}

}  // namespace ringside::check
