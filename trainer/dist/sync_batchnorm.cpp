#include "trainer/dist/sync_batchnorm.h"

#include <tuple>

#include <ATen/OpMathType.h>
#include <torch/torch.h>

namespace ringside::dist {
namespace {

using Group = c10::intrusive_ptr<c10d::ProcessGroup>;
using torch::autograd::AutogradContext;
using torch::autograd::tensor_list;

// Lets autograd's context, which keeps values of its own kinds only, keep the group.
struct HeldGroup : torch::CustomClassHolder {
  explicit HeldGroup(Group held) : group(std::move(held)) {}
  Group group;
};

// Per channel, over all ranks.
struct Moments {
  at::Tensor mean;
  at::Tensor variance;  ///< biased
  at::Tensor count;     ///< elements that a channel has; one number, on the device
};

// Shaped so that it meets the channels of `like`.
at::Tensor by_channel(const at::Tensor& values, const at::Tensor& like) {
  std::vector<std::int64_t> shape(static_cast<std::size_t>(like.dim()), 1);
  shape[1] = values.numel();
  return values.view(shape);
}

// Mean, biased variance and number of elements of this rank, 2 c + 1 numbers; zeros for no samples.
at::Tensor moments_here(const at::Tensor& x) {
  const std::int64_t channels = x.size(1);
  if (x.numel() == 0) return at::zeros({2 * channels + 1}, x.options());
  const auto [mean, variance] = at::batch_norm_update_stats(x, {}, {}, 0.0);
  const double count = static_cast<double>(x.numel() / channels);
  return at::cat({mean, variance, at::full({1}, count, mean.options())});
}

// Of the ranks' moments those of all samples: Chan, Golub and LeVeque (1979), for many parts.
Moments moments_of_all(const at::Tensor& x, const Group& group) {
  const std::int64_t channels = x.size(1);
  at::Tensor here = moments_here(x);
  at::Tensor flat = at::empty({group->getSize() * here.numel()}, here.options());
  group->_allgather_base(flat, here)->wait();
  const at::Tensor all = flat.view({-1, here.numel()});
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
    // Short float types would lose the statistics in their few bits.
    const Moments all = moments_of_all(x.to(at::toOpMathType(x.scalar_type())), group);
    const at::Tensor unbiased = all.variance * (all.count / (all.count - 1).clamp_min(1));
    at::Tensor(running_mean).lerp_(all.mean.to(running_mean.scalar_type()), momentum);
    at::Tensor(running_var).lerp_(unbiased.to(running_var.scalar_type()), momentum);
    context->save_for_backward({x, weight, all.mean, all.variance, all.count});
    context->saved_data["eps"] = eps;
    context->saved_data["group"] = c10::IValue::make_capsule(c10::make_intrusive<HeldGroup>(group));
    return normalised(x, weight, bias, all, eps);
  }

  // With h = (x - mean) / sqrt(variance + eps) and n elements in all (Ioffe and Szegedy, 2015):
  // dx = weight / sqrt(variance + eps) * (dy - sum(dy) / n - h * sum(dy h) / n).
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

}  // namespace

NormFunction make_sync_batchnorm(const ProcessGroups& groups) {
  if (groups.solo()) return {};
  return [group = groups.gradients](const at::Tensor& input, const at::Tensor& weight,
                                    const at::Tensor& bias, const at::Tensor& running_mean,
                                    const at::Tensor& running_var, double momentum, double eps) {
    return SyncBatchNorm::apply(input, weight, bias, running_mean, running_var, momentum, eps,
                                group);
  };
}

}  // namespace ringside::dist
