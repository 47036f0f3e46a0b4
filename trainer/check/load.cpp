#include <ATen/detail/CUDAHooksInterface.h>
#include <torch/torch.h>
#include <torch/csrc/distributed/c10d/HashStore.hpp>

#include "trainer/check/arithmetic.h"
#include "trainer/check/check_rank.h"
#include "trainer/cuda/cuda_api.h"

namespace ringside::check {
namespace {

/// The largest difference from the CPU's result, relative to the largest value.
double convolution_error(at::Device device) {
  const at::NoGradGuard no_grad;
  const at::Tensor images =
      at::arange(2 * 3 * 16 * 16, at::kFloat).remainder(7).view({2, 3, 16, 16});
  const at::Tensor kernel = at::arange(4 * 3 * 3 * 3, at::kFloat).remainder(5).view({4, 3, 3, 3});
  const at::Tensor found = at::conv2d(images.to(device), kernel.to(device)).cpu();
  const at::Tensor expected = at::conv2d(images, kernel);
  return ((found - expected).abs().max() / expected.abs().max()).item<double>();
}

double product_error(at::Device device) {
  const at::NoGradGuard no_grad;
  const at::Tensor a = whole_numbers(64 * 64, 0).view({64, 64});
  const at::Tensor b = whole_numbers(64 * 64, 1).view({64, 64}).remainder(3);
  return (at::mm(a.to(device), b.to(device)).cpu() - at::mm(a, b)).abs().max().item<double>();
}

/// Number of wrong sums when NCCL is loaded, connects a single rank and reduces.
std::int64_t wrong_in_nccl(cuda::CudaApi& api, int index) {
  auto store = c10::make_intrusive<c10d::HashStore>();
  auto group = c10::make_intrusive<c10d::ProcessGroup>(store, 0, 1);
  group->setDefaultBackend(c10d::ProcessGroup::BackendType::NCCL);
  api.set_nccl_backend(*group, store, index, std::chrono::seconds(30));
  const at::Tensor expected = whole_numbers(1024, 0);
  std::vector<at::Tensor> tensors{
      expected.to(at::Device(at::kCUDA, static_cast<at::DeviceIndex>(index)))};
  group->allreduce(tensors)->wait();
  return differing(tensors[0].cpu(), expected);
}

}  // namespace

// Checks each GPU of the run separately, as a group of one rank.
Result<Facts> load(const CheckRank& rank) {
  if (rank.cuda.api == nullptr) return failure(rank.cuda.why_not);
  cuda::CudaApi& api = *rank.cuda.api;
  const int index = rank.env.local_rank;
  const cuda::DeviceFacts device = api.attach(index);
  const at::Device on(at::kCUDA, static_cast<at::DeviceIndex>(index));
  return Facts{{"name", device.name},
               {"versions", device.versions},
               {"cudnn", at::detail::getCUDAHooks().versionRuntimeCuDNN()},
               {"convolution_error", convolution_error(on)},
               {"product_error", product_error(on)},
               {"nccl_wrong", wrong_in_nccl(api, index)}};
}

}  // namespace ringside::check
