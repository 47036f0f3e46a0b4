#include "trainer/check/all_reduce.h"

#include <cstdlib>
#include <fstream>

#include <torch/torch.h>

#include "protocol/base/clock.h"
#include "trainer/engine/loop/rank_parts.h"

namespace ringside::check {
namespace {

constexpr std::int64_t kLargest_bytes = std::int64_t{256} << 20;
constexpr std::int64_t kQuickLargest_bytes = std::int64_t{16} << 20;

std::filesystem::path nccl_log(const CheckRank& rank) {
  return rank.run_dir / ("nccl_" + std::to_string(rank.env.rank) + ".log");
}

}  // namespace

std::int64_t largest_bytes(const CheckRank& rank) {
  return rank.quick ? kQuickLargest_bytes : kLargest_bytes;
}

void log_transport(const CheckRank& rank) {
  ::setenv("NCCL_DEBUG", "INFO", 1);
  ::setenv("NCCL_DEBUG_FILE", nccl_log(rank).c_str(), 1);
}

std::string transport_of(const CheckRank& rank, const engine::RankParts& parts) {
  if (parts.groups.backend != "nccl") return "TCP";
  std::ifstream stream(nccl_log(rank));
  for (std::string line; std::getline(stream, line);) {
    const auto via = line.find(" via ");
    if (via != std::string::npos) return line.substr(via + 5, line.find(' ', via + 5) - via - 5);
  }
  return {};
}

void all_reduce(c10d::ProcessGroup& group, at::Tensor& tensor) {
  std::vector<at::Tensor> tensors{tensor};
  group.allreduce(tensors)->wait();
}

double seconds_of_one(const engine::RankParts& parts, at::Tensor& tensor, int times) {
  const std::int64_t begin_ns = mono_now_ns();
  for (int i = 0; i < times; ++i) all_reduce(*parts.groups.gradients, tensor);
  // On a GPU the loop has only enqueued the all-reduces.
  (void)tensor[0].item<float>();
  return static_cast<double>(mono_now_ns() - begin_ns) / 1e9 / times;
}

double bus_rate(std::int64_t size_bytes, double seconds, int ranks) {
  return 2.0 * (ranks - 1) / ranks * static_cast<double>(size_bytes) / seconds;
}

}  // namespace ringside::check
