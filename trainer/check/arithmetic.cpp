#include "trainer/check/arithmetic.h"

#include <algorithm>

#include <torch/torch.h>

#include "protocol/base/clock.h"

namespace ringside::check {
namespace {

constexpr std::int64_t kSide = 256;
constexpr std::int64_t kModulus = 1021;  ///< small enough that sums over thousands of ranks are
                                         ///< exact floats

at::Tensor tiled(const at::Tensor& row, std::int64_t count) {
  return row.repeat({(count + kModulus - 1) / kModulus}).narrow(0, 0, count).contiguous();
}

at::Tensor row_of(int rank) {
  return (at::arange(kModulus, at::kFloat) + 13 * rank).remainder(kModulus);
}

}  // namespace

Load::Load(at::Device device)
    : a_(at::ones({kSide, kSide}, at::TensorOptions(device).dtype(at::kFloat))),
      b_(at::ones_like(a_)),
      product_(at::zeros_like(a_)) {}

void Load::multiply(std::int64_t times) {
  const at::NoGradGuard no_grad;
  for (std::int64_t i = 0; i < times; ++i) at::mm_out(product_, a_, b_);
}

void Load::wait() const { (void)product_[0][0].item<float>(); }

// The best of three, since a thread that waits for its core appears slow.
void Load::calibrate(std::int64_t wanted_ns) {
  constexpr int kTries = 3;
  for (times_ = 1;; times_ *= 2) {
    std::int64_t best_ns = wanted_ns;
    for (int i = 0; i < kTries; ++i) {
      const std::int64_t begin_ns = mono_now_ns();
      multiply(times_);
      wait();
      best_ns = std::min(best_ns, std::max<std::int64_t>(mono_now_ns() - begin_ns, 1));
    }
    if (best_ns < wanted_ns / 2) continue;
    times_ = std::max<std::int64_t>(1, times_ * wanted_ns / best_ns);
    return;
  }
}

void Load::enqueue() { multiply(times_); }

at::Tensor whole_numbers(std::int64_t count, int rank) { return tiled(row_of(rank), count); }

at::Tensor whole_sums(std::int64_t count, int ranks) {
  at::Tensor sum = at::zeros({kModulus});
  for (int rank = 0; rank < ranks; ++rank) sum += row_of(rank);
  return tiled(sum, count);
}

std::int64_t differing(const at::Tensor& found, const at::Tensor& expected) {
  return found.ne(expected).sum().item<std::int64_t>();
}

std::int64_t bit_sum(const at::Tensor& floats) {
  return floats.contiguous().view(at::kInt).sum(at::kLong).item<std::int64_t>();
}

}  // namespace ringside::check
