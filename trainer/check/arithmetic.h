// Work for a device, and numbers whose sums are known in advance. Training thread only.
#pragma once

#include <cstdint>

#include <ATen/core/Tensor.h>

namespace ringside::check {

/// Matrix products that take about a requested time.
class Load {
 public:
  explicit Load(at::Device device);
  /// Finds how many products take `wanted_ns`.
  void calibrate(std::int64_t wanted_ns);
  /// Enqueues the products; on the CPU it returns when they are done.
  void enqueue();
  /// Waits until the device has finished all of it.
  void wait() const;

 private:
  void multiply(std::int64_t times);

  at::Tensor a_;
  at::Tensor b_;
  at::Tensor product_;
  std::int64_t times_ = 1;
};

/// `count` whole numbers below 1021 as floats, different on each rank.
at::Tensor whole_numbers(std::int64_t count, int rank);
/// The exact sum of whole_numbers over the ranks.
at::Tensor whole_sums(std::int64_t count, int ranks);
/// Number of elements that differ; a NaN differs from everything.
std::int64_t differing(const at::Tensor& found, const at::Tensor& expected);

/// Sum of the floats' bits as whole numbers: equal for equal bits, in any order.
std::int64_t bit_sum(const at::Tensor& floats);

}  // namespace ringside::check
