#include <torch/torch.h>

#include <algorithm>

#include "protocol/base/clock.h"
#include "trainer/check/arithmetic.h"
#include "trainer/check/check_rank.h"
#include "trainer/check/loader_alone.h"
#include "trainer/check/step_bench.h"

namespace ringside::check {
namespace {

constexpr int kBatches = 1000;
constexpr int kQuickBatches = 100;
constexpr std::int64_t kBusy_ns = 2'000'000;
constexpr std::int64_t kLarge_bytes = std::int64_t{256} << 20;

double rate_of(const engine::RankParts& parts, const at::Tensor& from, int times) {
  at::Tensor to;
  const std::int64_t begin_ns = mono_now_ns();
  for (int i = 0; i < times; ++i) {
    to = from.to(parts.placement.device, /*non_blocking=*/true, /*copy=*/true);
  }
  (void)to.view({-1})[0].item<float>();
  return static_cast<double>(from.nbytes()) * times * 1e9 /
         static_cast<double>(mono_now_ns() - begin_ns);
}

/// Bit sum of the batches that go to the device, converted to floats on the host.
Result<std::int64_t> bits_on_host(const engine::RankParts& parts, std::int64_t batches) {
  auto loader = RINGSIDE_TRY(LoaderAlone::create(parts, engine::DevicePlacement{}));
  std::int64_t sum = 0;
  for (std::int64_t i = 0; i < batches; ++i) {
    const auto batch = RINGSIDE_TRY(loader.next());
    sum += bit_sum(engine::on_host(*batch, parts.data.train).first);
  }
  return sum;
}

}  // namespace

Result<Facts> copies(const CheckRank& rank) {
  const auto prepared = RINGSIDE_TRY(prepare(rank));
  engine::RankParts& parts = *prepared;
  StepBench bench(parts);
  RINGSIDE_TRY(bench.begin());
  Load load(parts.placement.device);
  load.calibrate(kBusy_ns);
  const std::int64_t batches = rank.quick ? kQuickBatches : kBatches;
  const at::Tensor sum = at::zeros({}, at::TensorOptions(parts.placement.device).dtype(at::kLong));
  std::size_t batch_bytes = 0;
  for (std::int64_t i = 0; i < batches; ++i) {
    const auto batch = RINGSIDE_TRY(bench.next_batch());
    load.enqueue();
    sum.add_(batch.ready().first.contiguous().view(at::kInt).sum(at::kLong));
    // The last batch of an epoch is short.
    batch_bytes = std::max(batch_bytes, batch.tensors.front().nbytes());
  }
  const auto on_device = sum.item<std::int64_t>();
  const auto on_host = RINGSIDE_TRY(bits_on_host(parts, batches));
  const auto pinned =
      at::TensorOptions().dtype(at::kFloat).pinned_memory(parts.placement.on_cuda());
  const double link = rate_of(parts, at::zeros({kLarge_bytes / 4}, pinned), 4);
  const double batch_rate =
      rate_of(parts, at::zeros({static_cast<std::int64_t>(batch_bytes / 4)}, pinned), 200);
  return Facts{
      {"batches", batches},         {"bits_on_device", on_device},     {"bits_on_host", on_host},
      {"batch_bytes", batch_bytes}, {"batch_bytes_per_s", batch_rate}, {"link_bytes_per_s", link}};
}

}  // namespace ringside::check
