#include "trainer/check/hooks.h"

#include <chrono>
#include <cstdlib>
#include <stdexcept>
#include <thread>
#include <vector>

#include <torch/torch.h>

#include "protocol/base/clock.h"
#include "trainer/check/arithmetic.h"
#include "trainer/cuda/cuda_api.h"
#include "trainer/engine/loop/rank_parts.h"

namespace ringside::check {
namespace {

class HostStepGraph final : public cuda::StepGraph {
 public:
  void record(const std::function<void()>& work) override { work_ = work; }
  void replay() override { work_(); }

 private:
  std::function<void()> work_;
};

/// Work on the host is complete when it is recorded.
class HostEvents final : public cuda::DeviceEvents {
 public:
  explicit HostEvents(std::size_t count) : at_ns_(count) {}
  std::size_t size() const override { return at_ns_.size(); }
  void record(std::size_t event) override { at_ns_.at(event) = mono_now_ns(); }
  void record_aside(std::size_t event) override { record(event); }
  void replace(cuda::StepGraph&, std::size_t, std::size_t) override {}
  bool done(std::size_t) override { return true; }
  std::int64_t elapsed_ns(std::size_t from, std::size_t to) override {
    return at_ns_.at(to) - at_ns_.at(from);
  }

 private:
  std::vector<std::int64_t> at_ns_;
};

/// Copies on the host are complete when the call returns.
class HostCopyStream final : public cuda::CopyStream {
 public:
  void copy(const at::Tensor& to, const at::Tensor& from) override { to.copy_(from); }
  void record(Lane, std::size_t) override {}
  void wait(Lane, std::size_t) override {}
  bool done(std::size_t) override { return true; }
};

/// The trainer's CUDA interface on the host: a timeline with the host's clock, plain memory, and
/// graphs that repeat the recorded calls. It lets any machine run the trainer's GPU code path.
class HostCuda final : public cuda::CudaApi {
 public:
  int device_count() override { return 1; }
  cuda::DeviceFacts attach(int) override { return {"CPU slot", "cpu", "host", {}}; }
  void set_nccl_backend(c10d::ProcessGroup&, const c10::intrusive_ptr<c10d::Store>&, int,
                        std::chrono::milliseconds) override {
    throw std::logic_error("the host has no NCCL");
  }
  std::unique_ptr<cuda::DeviceEvents> make_events(std::size_t count) override {
    return std::make_unique<HostEvents>(count);
  }
  std::string flight_recorder() override { return "{}"; }
  void leave_default_stream() override {}
  void synchronize() override {}
  std::unique_ptr<cuda::StepGraph> make_graph() override {
    return std::make_unique<HostStepGraph>();
  }
  std::unique_ptr<cuda::CopyStream> make_copy_stream(std::size_t) override {
    return std::make_unique<HostCopyStream>();
  }
  void* allocate_pinned(std::size_t bytes) override {
    constexpr std::size_t kAlignment = 64;
    return std::aligned_alloc(kAlignment, (bytes + kAlignment - 1) / kAlignment * kAlignment);
  }
  void release_pinned(void* memory) override { std::free(memory); }
};

cuda::CudaApi& host_cuda() {
  static HostCuda api;
  return api;
}

constexpr std::int64_t kPiece_ns = 10'000'000;
constexpr int kPieces = 20;

}  // namespace

// The first parameter gets its gradient last, so delaying it delays the rank's last bucket.
void delay_backward(engine::RankParts& parts, std::int64_t delay_ns) {
  parts.network->named_parameters().front().second.register_hook(
      [delay_ns](const at::Tensor& gradient) {
        std::this_thread::sleep_for(std::chrono::nanoseconds(delay_ns));
        return gradient;
      });
}

Facts read_timeline(engine::RankParts& parts) {
  Load load(parts.placement.device);
  load.calibrate(kPiece_ns);
  cuda::Timeline& timeline = *parts.timeline;
  std::vector<std::int64_t> stamps{timeline.record()};
  load.wait();
  const std::int64_t begin_ns = mono_now_ns();
  stamps[0] = timeline.record();
  for (int i = 0; i < kPieces; ++i) {
    load.enqueue();
    stamps.push_back(timeline.record());
  }
  load.wait();
  const std::int64_t host_ns = mono_now_ns() - begin_ns;
  std::int64_t read_ns = 0;
  for (std::size_t i = 0; i + 1 < stamps.size(); ++i) {
    const auto from = timeline.resolve(stamps[i]);
    const auto to = timeline.resolve(stamps[i + 1]);
    if (from && to) read_ns += *to - *from;
  }
  return {{"pieces", kPieces}, {"read_ns", read_ns}, {"host_ns", host_ns}};
}

void replay_on_host(engine::RankParts& parts) {
  parts.placement.cuda = &host_cuda();
  parts.spec.train.cuda_graph = true;
  parts.spec.data.on_device = true;
}

}  // namespace ringside::check
