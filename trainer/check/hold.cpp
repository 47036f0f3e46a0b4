#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <system_error>
#include <thread>

#include <torch/torch.h>

#include "trainer/check/check_rank.h"
#include "trainer/cuda/cuda_api.h"

namespace ringside::check {
namespace {

constexpr std::int64_t kHeld_bytes = std::int64_t{1} << 30;
constexpr auto kLook = std::chrono::milliseconds(20);

}  // namespace

// Output is flushed, since it is read while the check runs. The agent's TERM ends it.
Result<Facts> hold(const CheckRank& rank) {
  if (rank.cuda.api == nullptr) return failure(rank.cuda.why_not);
  const int index = rank.env.local_rank;
  const cuda::DeviceFacts device = rank.cuda.api->attach(index);
  const auto on = at::TensorOptions(at::Device(at::kCUDA, static_cast<at::DeviceIndex>(index)));
  at::Tensor held = at::zeros({1}, on);
  (void)held.item<float>();
  const Facts facts{{"uuid", device.uuid}, {"name", device.name}, {"pid", ::getpid()}};
  std::printf("facts %s\n", facts.dump().c_str());
  std::fflush(stdout);
  std::error_code none;
  while (!std::filesystem::exists(rank.run_dir / "go", none)) std::this_thread::sleep_for(kLook);
  if (rank.env.rank == 0) {
    held = at::zeros({kHeld_bytes}, on.dtype(at::kByte));
    (void)held[0].item<std::uint8_t>();
  }
  std::printf("held\n");
  std::fflush(stdout);
  for (;;) std::this_thread::sleep_for(kLook);
}

}  // namespace ringside::check
