#include <cstdlib>
#include <fstream>
#include <string>

#include <torch/torch.h>

#include "protocol/base/clock.h"
#include "trainer/check/arithmetic.h"
#include "trainer/check/check_rank.h"

namespace ringside::check {
namespace {

constexpr std::int64_t kLargest_bytes = std::int64_t{256} << 20;
constexpr std::int64_t kQuickLargest_bytes = std::int64_t{16} << 20;
constexpr int kTimed = 3;

void all_reduce(c10d::ProcessGroup& group, at::Tensor& tensor) {
  std::vector<at::Tensor> tensors{tensor};
  group.allreduce(tensors)->wait();
}

/// Of each rank: what it sends and receives per second at least, whichever way the sums are made.
double bus_rate(const engine::RankParts& parts, at::Tensor& tensor) {
  double best = 0;
  for (int i = 0; i < kTimed; ++i) {
    const std::int64_t begin_ns = mono_now_ns();
    all_reduce(*parts.groups.gradients, tensor);
    (void)tensor[0].item<float>();
    const auto spent_s = static_cast<double>(mono_now_ns() - begin_ns) / 1e9;
    best = std::max(best, static_cast<double>(tensor.nbytes()) / spent_s);
  }
  const double ranks = parts.groups.world_size;
  return best * 2 * (ranks - 1) / ranks;
}

/// "P2P/CUMEM", as NCCL's own log names the first connection that it made; empty: it says nothing.
std::string transport_of(const std::filesystem::path& log) {
  std::ifstream stream(log);
  for (std::string line; std::getline(stream, line);) {
    const auto via = line.find(" via ");
    if (via != std::string::npos) return line.substr(via + 5, line.find(' ', via + 5) - via - 5);
  }
  return {};
}

}  // namespace

Result<Facts> sums(const CheckRank& rank) {
  const auto nccl_log = rank.run_dir / ("nccl_" + std::to_string(rank.env.rank) + ".log");
  ::setenv("NCCL_DEBUG", "INFO", 1);
  ::setenv("NCCL_DEBUG_FILE", nccl_log.c_str(), 1);
  const auto prepared = prepare(rank);
  if (!prepared) return pass(prepared);
  engine::RankParts& parts = **prepared;
  const int ranks = parts.groups.world_size;
  if (ranks < 2) return bad_request("sums over the ranks need two of them");
  const std::int64_t largest = rank.quick ? kQuickLargest_bytes : kLargest_bytes;
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
  const double rate = bus_rate(parts, device);
  const std::string transport = parts.placement.on_cuda() ? transport_of(nccl_log) : "TCP";
  return Facts{{"backend", parts.groups.backend}, {"ranks", ranks}, {"sizes", sizes},
               {"largest_bytes", largest},        {"wrong", wrong}, {"bus_bytes_per_s", rate},
               {"transport", transport}};
}

}  // namespace ringside::check
