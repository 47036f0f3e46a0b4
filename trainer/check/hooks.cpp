#include "trainer/check/hooks.h"

#include <chrono>
#include <thread>
#include <vector>

#include <torch/torch.h>

#include "protocol/base/clock.h"
#include "trainer/check/arithmetic.h"
#include "trainer/check/host_cuda.h"
#include "trainer/engine/loop/rank_parts.h"

namespace ringside::check {
namespace {

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
