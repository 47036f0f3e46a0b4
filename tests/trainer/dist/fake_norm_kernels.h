// Computes the formulas of ATen's CUDA kernels for SyncBatchNorm
// (aten/src/ATen/native/cuda/Normalization.cuh) on the CPU, since LibTorch has them only for CUDA.
// As there, sums of counts are whole numbers, and the kernels rely on the promised memory format.
// Every call is recorded per thread.
#pragma once

#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include <ATen/OpMathType.h>
#include <torch/torch.h>

#include "trainer/dist/sync_batchnorm.h"

namespace ringside::testing {

inline std::vector<std::string>& norm_calls() {
  thread_local std::vector<std::string> calls;
  return calls;
}

inline std::string layout_of(const at::Tensor& x) {
  return x.is_contiguous()                                 ? "contiguous"
         : x.is_contiguous(at::MemoryFormat::ChannelsLast) ? "channels_last"
                                                           : "strided";
}

inline std::string numbers_of(const at::Tensor& counts) {
  std::ostringstream text;
  text << at::toString(counts.scalar_type());
  for (std::int64_t i = 0; i < counts.numel(); ++i) text << " " << counts[i].item<double>();
  return text.str();
}

inline at::Tensor in_math_type(const at::Tensor& x) {
  return x.to(at::toOpMathType(x.scalar_type()));
}

/// n x c x h x w as c x (n h w).
inline at::Tensor by_rows(const at::Tensor& x) {
  return in_math_type(x).transpose(0, 1).reshape({x.size(1), -1});
}

inline at::Tensor to_channels(const at::Tensor& values) { return values.view({1, -1, 1, 1}); }

inline const dist::NormKernels kFakeNormKernels{
    [](const at::Tensor& x, double eps) {
      norm_calls().push_back("stats " + layout_of(x));
      const at::Tensor rows = by_rows(x);
      const at::Tensor mean = rows.mean(1);
      const at::Tensor variance = (rows - mean.view({-1, 1})).square().mean(1);
      return dist::NormKernels::Two(mean, (variance + eps).rsqrt());
    },
    [](const at::Tensor&, const at::Tensor& means, const at::Tensor& inverses,
       const at::Tensor& running_mean, const at::Tensor& running_var, double momentum, double eps,
       const at::Tensor& counts) {
      norm_calls().push_back("gather " + std::to_string(means.size(0)) + " x " +
                             std::to_string(means.size(1)) + ", counts " + numbers_of(counts));
      at::Tensor mean = at::zeros_like(means[0]);
      at::Tensor var_n = at::zeros_like(means[0]);
      std::int64_t n = 0;
      for (std::int64_t rank = 0; rank < means.size(0); ++rank) {
        const double count = counts[rank].item<double>();
        const double factor = 1.0 / (static_cast<double>(n) + count);
        const at::Tensor deviation = inverses[rank].reciprocal();
        const auto whole = static_cast<double>(n);
        var_n = var_n + (deviation.square() - eps) * count +
                (mean - means[rank]).square() * whole * count * factor;
        mean = mean * (whole * factor) + means[rank] * (count * factor);
        n = static_cast<std::int64_t>(whole + count);
      }
      const auto all = static_cast<double>(n);
      at::Tensor(running_mean).mul_(1 - momentum).add_(mean, momentum);
      at::Tensor(running_var).mul_(1 - momentum).add_(var_n / (all - 1), momentum);
      return dist::NormKernels::Two(mean, (var_n / all + eps).rsqrt());
    },
    [](const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias,
       const at::Tensor& mean, const at::Tensor& inverse, double) {
      norm_calls().push_back("elemt " + layout_of(x));
      const at::Tensor shifted = in_math_type(x) - to_channels(mean);
      const at::Tensor scaled = shifted * to_channels(inverse) * to_channels(weight);
      return (scaled + to_channels(bias)).to(x.scalar_type());
    },
    [](const at::Tensor& dy, const at::Tensor& x, const at::Tensor& mean, const at::Tensor& inverse,
       const at::Tensor& weight) {
      if (layout_of(dy) != layout_of(x)) throw std::logic_error("the layouts differ");
      norm_calls().push_back("backward_reduce " + layout_of(x));
      const at::Tensor rows = by_rows(dy);
      const at::Tensor sum_dy = rows.sum(1);
      const at::Tensor sum_dy_xmu = (rows * (by_rows(x) - mean.view({-1, 1}))).sum(1);
      return dist::NormKernels::Four(sum_dy, sum_dy_xmu,
                                     (sum_dy_xmu * inverse).to(weight.scalar_type()),
                                     sum_dy.to(weight.scalar_type()));
    },
    [](const at::Tensor& dy, const at::Tensor& x, const at::Tensor& mean, const at::Tensor& inverse,
       const at::Tensor& weight, const at::Tensor& sum_dy, const at::Tensor& sum_dy_xmu,
       const at::Tensor& counts) {
      if (layout_of(dy) != layout_of(x) || !counts.is_contiguous() ||
          weight.scalar_type() != mean.scalar_type())
        throw std::logic_error("not what the kernel takes");
      norm_calls().push_back("backward_elemt " + layout_of(x) + ", sums " +
                             std::to_string(sum_dy.numel()) + " " +
                             std::to_string(sum_dy_xmu.numel()) + ", counts " + numbers_of(counts));
      const double share = 1.0 / static_cast<double>(counts.sum().item<std::int64_t>());
      const at::Tensor slope = inverse.square() * sum_dy_xmu * share;
      const at::Tensor rest = in_math_type(dy) - to_channels(sum_dy * share) -
                              (in_math_type(x) - to_channels(mean)) * to_channels(slope);
      return (rest * to_channels(inverse * weight)).to(x.scalar_type());
    }};

}  // namespace ringside::testing
