#include "trainer/dist/sync_batchnorm.h"

#include <tuple>

#include <ATen/OpMathType.h>
#include <ATen/core/Tensor.h>
#include <torch/torch.h>
#include <torch/csrc/distributed/c10d/Work.hpp>

namespace ringside::dist {
namespace {

/// Gathers the `input` of every rank of a c10d::ProcessGroup into `output`, one after the other,
/// under the name that this PyTorch has for it: 2.11 has the old one, 2.15 the new one.
template <typename ProcessGroup>
c10::intrusive_ptr<c10d::Work> all_gather_single(ProcessGroup& group, at::Tensor& output,
                                                 at::Tensor& input) {
  if constexpr (requires { group.all_gather_single(output, input); }) {
    return group.all_gather_single(output, input);
  } else {
    return group._allgather_base(output, input);
  }
}

using Group = c10::intrusive_ptr<c10d::ProcessGroup>;
using torch::autograd::AutogradContext;
using torch::autograd::tensor_list;

// Lets autograd's context, which can only save certain types, keep the group.
struct HeldGroup : torch::CustomClassHolder {
  explicit HeldGroup(Group held, const NormKernels* table = nullptr)
      : group(std::move(held)), kernels(table) {}
  Group group;
  const NormKernels* kernels;
};

// One row per rank.
at::Tensor gathered(at::Tensor here, const Group& group) {
  at::Tensor flat = at::empty({group->getSize() * here.numel()}, here.options());
  all_gather_single(*group, flat, here)->wait();
  return flat.view({-1, here.numel()});
}

// Moments per channel over all ranks.
struct Moments {
  at::Tensor mean;
  at::Tensor variance;  ///< biased
  at::Tensor count;     ///< elements per channel; one number, on the device
};

// Reshapes per-channel values so that they broadcast over `like`.
at::Tensor by_channel(const at::Tensor& values, const at::Tensor& like) {
  std::vector<std::int64_t> shape(static_cast<std::size_t>(like.dim()), 1);
  shape[1] = values.numel();
  return values.view(shape);
}

// Mean, biased variance and number of elements of this rank, 2 c + 1 numbers; zeros without
// samples.
at::Tensor moments_here(const at::Tensor& x) {
  const std::int64_t channels = x.size(1);
  if (x.numel() == 0) return at::zeros({2 * channels + 1}, x.options());
  const auto [mean, variance] = at::batch_norm_update_stats(x, {}, {}, 0.0);
  const double count = static_cast<double>(x.numel() / channels);
  return at::cat({mean, variance, at::full({1}, count, mean.options())});
}

// Combines the ranks' moments into those of all samples: Chan, Golub and LeVeque (1979).
Moments moments_of_all(const at::Tensor& x, const Group& group) {
  const std::int64_t channels = x.size(1);
  const at::Tensor all = gathered(moments_here(x), group);
  const at::Tensor means = all.narrow(1, 0, channels);
  const at::Tensor counts = all.narrow(1, 2 * channels, 1);
  const at::Tensor total = counts.sum(0);
  const at::Tensor shares = counts / total;
  const at::Tensor mean = (means * shares).sum(0);
  const at::Tensor spread = all.narrow(1, channels, channels) + (means - mean).square();
  return {mean, (spread * shares).sum(0), total};
}

at::Tensor normalised(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias,
                      const Moments& moments, double eps) {
  if (x.numel() == 0) return at::empty_like(x);
  return std::get<0>(at::native_batch_norm(x, weight, bias, moments.mean, moments.variance,
                                           /*training=*/false, /*momentum=*/0.0, eps));
}

struct SyncBatchNorm : torch::autograd::Function<SyncBatchNorm> {
  static at::Tensor forward(AutogradContext* context, const at::Tensor& input,
                            const at::Tensor& weight, const at::Tensor& bias,
                            const at::Tensor& running_mean, const at::Tensor& running_var,
                            double momentum, double eps, const Group& group) {
    const at::Tensor x = input.contiguous(input.suggest_memory_format());
    // Computed in float, since statistics in half or bf16 would lose too much precision.
    const Moments all = moments_of_all(x.to(at::toOpMathType(x.scalar_type())), group);
    const at::Tensor unbiased = all.variance * (all.count / (all.count - 1).clamp_min(1));
    at::Tensor(running_mean).lerp_(all.mean.to(running_mean.scalar_type()), momentum);
    at::Tensor(running_var).lerp_(unbiased.to(running_var.scalar_type()), momentum);
    context->save_for_backward({x, weight, all.mean, all.variance, all.count});
    context->saved_data["eps"] = eps;
    context->saved_data["group"] = c10::IValue::make_capsule(c10::make_intrusive<HeldGroup>(group));
    return normalised(x, weight, bias, all, eps);
  }

  // With h = (x - mean) / sqrt(variance + eps) and n elements over all ranks (Ioffe and Szegedy,
  // 2015): dx = weight / sqrt(variance + eps) * (dy - sum(dy) / n - h * sum(dy h) / n).
  static tensor_list backward(AutogradContext* context, const tensor_list& gradients) {
    const auto saved = context->get_saved_variables();
    const double eps = context->saved_data["eps"].toDouble();
    const auto held =
        c10::static_intrusive_pointer_cast<HeldGroup>(context->saved_data["group"].toCapsule());
    const at::ScalarType kind = at::toOpMathType(saved[0].scalar_type());
    const at::Tensor x = saved[0].to(kind);
    const at::Tensor& weight = saved[1];
    const Moments all{saved[2], saved[3], saved[4]};
    const at::Tensor dy = gradients[0].contiguous(x.suggest_memory_format()).to(kind);
    const at::Tensor inverse = (all.variance + eps).rsqrt();
    at::Tensor weight_gradient = at::zeros_like(weight);
    at::Tensor bias_gradient = at::zeros_like(weight);
    if (x.numel() > 0) {
      std::tie(std::ignore, weight_gradient, bias_gradient) =
          at::native_batch_norm_backward(dy, x, weight, all.mean, all.variance, all.mean, inverse,
                                         /*train=*/false, eps, {false, true, true});
    }
    std::vector<at::Tensor> sums{at::cat({bias_gradient, weight_gradient}).to(kind)};
    held->group->allreduce(sums)->wait();
    if (x.numel() == 0)
      return {at::zeros_like(saved[0]), weight_gradient, bias_gradient, {}, {}, {}, {}, {}};
    const at::Tensor scale = inverse * weight.to(kind);
    const at::Tensor means = sums[0].view({2, -1}) * (scale / -all.count);
    const at::Tensor gradient = normalised(x, means[1], means[0], all, eps);
    gradient.addcmul_(dy, by_channel(scale, x));
    return {
        gradient.to(saved[0].scalar_type()), weight_gradient, bias_gradient, {}, {}, {}, {}, {}};
  }
};

// Follows torch/nn/modules/_functions.py, with one difference: filtering out ranks without samples
// would wait for the device, so their count is almost zero instead. It cannot be 0, since the
// kernel divides by the sum of the counts so far.
constexpr double kNextToNone = 1e-30;

// Mean, inverse standard deviation and number of elements of this rank, 2 c + 1 numbers.
at::Tensor statistics_here(const at::Tensor& x, double eps, const NormKernels& kernels) {
  const std::int64_t channels = x.size(1);
  if (x.numel() == 0) {
    const auto options = x.options().dtype(at::toOpMathType(x.scalar_type()));
    return at::cat({at::zeros({channels}, options), at::ones({channels}, options),
                    at::full({1}, kNextToNone, options)});
  }
  const auto [mean, inverse] = kernels.batch_norm_stats(x, eps);
  const double count = static_cast<double>(x.numel() / channels);
  return at::cat({mean, inverse, at::full({1}, count, mean.options())});
}

struct SyncBatchNormByKernels : torch::autograd::Function<SyncBatchNormByKernels> {
  static at::Tensor forward(AutogradContext* context, const at::Tensor& input,
                            const at::Tensor& weight, const at::Tensor& bias,
                            const at::Tensor& running_mean, const at::Tensor& running_var,
                            double momentum, double eps,
                            const c10::intrusive_ptr<HeldGroup>& held) {
    const NormKernels& kernels = *held->kernels;
    const at::Tensor x = input.contiguous(input.suggest_memory_format());
    const std::int64_t channels = x.size(1);
    const at::Tensor all = gathered(statistics_here(x, eps, kernels), held->group);
    const at::Tensor counts = all.select(1, 2 * channels);
    const auto [mean, inverse] = kernels.batch_norm_gather_stats_with_counts(
        x, all.narrow(1, 0, channels), all.narrow(1, channels, channels), running_mean, running_var,
        momentum, eps, counts.to(running_mean.scalar_type()));
    context->save_for_backward({x, weight, mean, inverse, counts.to(at::kInt)});
    context->saved_data["held"] = c10::IValue::make_capsule(held);
    if (x.numel() == 0) return at::empty_like(x);
    return kernels.batch_norm_elemt(x, weight, bias, mean, inverse, eps);
  }

  static tensor_list backward(AutogradContext* context, const tensor_list& gradients) {
    const auto saved = context->get_saved_variables();
    const auto held =
        c10::static_intrusive_pointer_cast<HeldGroup>(context->saved_data["held"].toCapsule());
    const NormKernels& kernels = *held->kernels;
    const at::Tensor& x = saved[0];
    const at::Tensor& weight = saved[1];
    const at::Tensor& mean = saved[2];
    const at::Tensor& inverse = saved[3];
    if (x.numel() == 0) {
      std::vector<at::Tensor> nothing{at::zeros({2 * mean.numel()}, mean.options())};
      held->group->allreduce(nothing)->wait();
      const at::Tensor none = at::zeros_like(weight);
      return {at::zeros_like(x), none, none, {}, {}, {}, {}, {}};
    }
    // The gradient gets the memory format of the input, since the kernels check only one of the
    // two.
    const at::Tensor dy = gradients[0].contiguous(x.suggest_memory_format());
    const auto [sum_dy, sum_dy_xmu, weight_gradient, bias_gradient] =
        kernels.batch_norm_backward_reduce(dy, x, mean, inverse, weight);
    std::vector<at::Tensor> sums{at::cat({sum_dy, sum_dy_xmu})};
    held->group->allreduce(sums)->wait();
    const std::int64_t channels = mean.numel();
    const at::Tensor gradient = kernels.batch_norm_backward_elemt(
        dy, x, mean, inverse, weight.to(mean.scalar_type()), sums[0].narrow(0, 0, channels),
        sums[0].narrow(0, channels, channels), saved[4]);
    return {gradient, weight_gradient, bias_gradient, {}, {}, {}, {}, {}};
  }
};

}  // namespace

const NormKernels& cuda_norm_kernels() {
  static constexpr NormKernels kKernels{
      [](const at::Tensor& x, double eps) { return at::batch_norm_stats(x, eps); },
      [](const at::Tensor& x, const at::Tensor& means, const at::Tensor& inverses,
         const at::Tensor& running_mean, const at::Tensor& running_var, double momentum, double eps,
         const at::Tensor& counts) {
        return at::batch_norm_gather_stats_with_counts(x, means, inverses, running_mean,
                                                       running_var, momentum, eps, counts);
      },
      [](const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias,
         const at::Tensor& mean, const at::Tensor& inverse,
         double eps) { return at::batch_norm_elemt(x, weight, bias, mean, inverse, eps); },
      [](const at::Tensor& dy, const at::Tensor& x, const at::Tensor& mean,
         const at::Tensor& inverse, const at::Tensor& weight) {
        return at::batch_norm_backward_reduce(dy, x, mean, inverse, weight, /*input_g=*/true,
                                              /*weight_g=*/true, /*bias_g=*/true);
      },
      [](const at::Tensor& dy, const at::Tensor& x, const at::Tensor& mean,
         const at::Tensor& inverse, const at::Tensor& weight, const at::Tensor& sum_dy,
         const at::Tensor& sum_dy_xmu, const at::Tensor& counts) {
        return at::batch_norm_backward_elemt(dy, x, mean, inverse, weight, sum_dy, sum_dy_xmu,
                                             counts);
      }};
  return kKernels;
}

NormFunction make_sync_batchnorm(const ProcessGroups& groups, const NormKernels* kernels) {
  if (groups.solo()) return {};
  const Group& group = groups.gradients;
  if (kernels == nullptr) {
    return [group](const at::Tensor& input, const at::Tensor& weight, const at::Tensor& bias,
                   const at::Tensor& running_mean, const at::Tensor& running_var, double momentum,
                   double eps) {
      return SyncBatchNorm::apply(input, weight, bias, running_mean, running_var, momentum, eps,
                                  group);
    };
  }
  return [held = c10::make_intrusive<HeldGroup>(group, kernels)](
             const at::Tensor& input, const at::Tensor& weight, const at::Tensor& bias,
             const at::Tensor& running_mean, const at::Tensor& running_var, double momentum,
             double eps) {
    return SyncBatchNormByKernels::apply(input, weight, bias, running_mean, running_var, momentum,
                                         eps, held);
  };
}

}  // namespace ringside::dist
