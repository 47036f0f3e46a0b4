#include <algorithm>

#include <torch/torch.h>

#include "trainer/check/all_reduce.h"
#include "trainer/check/arithmetic.h"
#include "trainer/engine/loop/rank_parts.h"

namespace ringside::check {
namespace {

constexpr int kTimed = 3;

/// The minimum over some measurements.
double best_seconds(const engine::RankParts& parts, at::Tensor& tensor) {
  double best = seconds_of_one(parts, tensor, 1);
  for (int i = 1; i < kTimed; ++i) best = std::min(best, seconds_of_one(parts, tensor, 1));
  return best;
}

}  // namespace

Result<Facts> sums(const CheckRank& rank) {
  log_transport(rank);
  const auto prepared = RINGSIDE_TRY(prepare(rank));
  engine::RankParts& parts = *prepared;
  const int ranks = parts.groups.world_size;
  if (ranks < 2) return bad_request("sums over the ranks need two of them");
  const std::int64_t largest = largest_bytes(rank);
  std::int64_t wrong = 0;
  std::int64_t sizes = 0;
  at::Tensor device;
  for (std::int64_t bytes = 4; bytes <= largest; bytes *= 4, ++sizes) {
    const std::int64_t count = bytes / 4;
    const at::Tensor own = whole_numbers(count, parts.env.rank);
    device = own.to(parts.placement.device, /*non_blocking=*/false, /*copy=*/true);
    all_reduce(*parts.groups.gradients, device);
    const at::Tensor expected = whole_sums(count, ranks);
    wrong += differing(device.cpu(), expected);
    if (!parts.placement.on_cuda()) continue;
    at::Tensor by_gloo = own;
    all_reduce(*parts.groups.metrics, by_gloo);
    wrong += differing(by_gloo, expected);
  }
  const double rate =
      bus_rate(static_cast<std::int64_t>(device.nbytes()), best_seconds(parts, device), ranks);
  return Facts{{"backend", parts.groups.backend},
               {"ranks", ranks},
               {"sizes", sizes},
               {"largest_bytes", largest},
               {"wrong", wrong},
               {"bus_bytes_per_s", rate},
               {"transport", transport_of(rank, parts)}};
}

}  // namespace ringside::check
