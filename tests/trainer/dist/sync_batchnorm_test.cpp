// Compares batch normalisation over ranks with that of one process on the joined batch.
#include "trainer/dist/sync_batchnorm.h"

#include <array>
#include <mutex>
#include <numeric>
#include <type_traits>

#include <torch/torch.h>

#include "tests/support/catch.h"
#include "tests/trainer/dist/fake_norm_kernels.h"
#include "tests/trainer/dist/rank_threads.h"
#include "trainer/dist/distributed_model.h"
#include "trainer/models/model.h"

using namespace ringside;
using testing::run_ranks;

namespace {

constexpr double kMomentum = 0.1;
constexpr double kEps = 1e-5;
constexpr std::int64_t kChannels = 3;

static_assert(std::is_same_v<dist::NormFunction, models::NormFunction>);

// Inputs and outputs of one normalisation. The mean is large, so that sums of squares would lose
// precision.
struct Case {
  at::Tensor input, weight, bias, output_gradient;
};

Case make_case(std::int64_t samples, at::ScalarType kind) {
  auto generator = at::detail::createCPUGenerator(99);
  const auto random = [&](at::IntArrayRef shape) {
    return at::randn(shape, generator, at::TensorOptions().dtype(kind));
  };
  const at::Tensor scale = at::arange(1, kChannels + 1, kind).view({1, kChannels, 1, 1});
  return {random({samples, kChannels, 4, 5}) * scale + 30 * scale, random({kChannels}) + 2,
          random({kChannels}), random({samples, kChannels, 4, 5})};
}

struct Normalised {
  at::Tensor output, input_gradient, weight_gradient, bias_gradient, mean, variance;
  std::vector<std::string> calls;  ///< names of kernels
};

// Generic operations, and the fake CUDA kernels.
std::vector<const dist::NormKernels*> both_ways() { return {nullptr, &testing::kFakeNormKernels}; }

Normalised normalise(const dist::NormFunction& function, const Case& given) {
  const auto leaf = [](const at::Tensor& tensor) { return tensor.clone().requires_grad_(); };
  const at::Tensor input = leaf(given.input);
  const at::Tensor weight = leaf(given.weight);
  const at::Tensor bias = leaf(given.bias);
  Normalised result;
  result.mean = at::ones({kChannels}, given.weight.options());
  result.variance = at::full({kChannels}, 2.0, given.weight.options());
  const at::Tensor output =
      function(input, weight, bias, result.mean, result.variance, kMomentum, kEps);
  output.backward(given.output_gradient);
  result.output = output.detach();
  result.input_gradient = input.grad();
  result.weight_gradient = weight.grad();
  result.bias_gradient = bias.grad();
  return result;
}

Normalised of_one_process(const Case& whole) {
  const auto plain = [](const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias,
                        const at::Tensor& mean, const at::Tensor& variance, double momentum,
                        double eps) {
    return at::batch_norm(x, weight, bias, mean, variance, true, momentum, eps, false);
  };
  return normalise(plain, whole);
}

// Rank r of `sizes` takes the next sizes[r] samples.
std::vector<Normalised> of_ranks(const Case& whole, const std::vector<std::int64_t>& sizes,
                                 at::MemoryFormat format, const dist::NormKernels* kernels) {
  std::vector<Normalised> results(sizes.size());
  run_ranks(static_cast<int>(sizes.size()), [&](const dist::ProcessGroups& groups) {
    const auto me = static_cast<std::size_t>(groups.rank);
    const std::int64_t begin = std::accumulate(sizes.begin(), sizes.begin() + groups.rank, 0L);
    const Case part{whole.input.narrow(0, begin, sizes[me]).contiguous(format), whole.weight,
                    whole.bias, whole.output_gradient.narrow(0, begin, sizes[me])};
    testing::norm_calls().clear();
    results[me] = normalise(dist::make_sync_batchnorm(groups, kernels), part);
    results[me].calls = testing::norm_calls();
  });
  return results;
}

void check_close(const at::Tensor& found, const at::Tensor& expected, double tolerance) {
  REQUIRE(found.sizes() == expected.sizes());
  CHECK(at::allclose(found.to(at::kDouble), expected.to(at::kDouble), tolerance, tolerance));
}

void compare(const std::vector<std::int64_t>& sizes, at::ScalarType kind, at::MemoryFormat format,
             double tolerance, const dist::NormKernels* kernels) {
  const std::int64_t samples = std::accumulate(sizes.begin(), sizes.end(), 0L);
  const Case whole = make_case(samples, kind);
  const Normalised alone = of_one_process(whole);
  const auto ranks = of_ranks(whole, sizes, format, kernels);
  std::vector<at::Tensor> outputs;
  std::vector<at::Tensor> gradients;
  at::Tensor weight_gradient = at::zeros_like(whole.weight);
  at::Tensor bias_gradient = at::zeros_like(whole.bias);
  for (const Normalised& rank : ranks) {
    outputs.push_back(rank.output);
    gradients.push_back(rank.input_gradient);
    weight_gradient += rank.weight_gradient;
    bias_gradient += rank.bias_gradient;
    check_close(rank.mean, alone.mean, tolerance);
    check_close(rank.variance, alone.variance, tolerance);
    CHECK(at::equal(rank.mean, ranks[0].mean));
    CHECK(at::equal(rank.variance, ranks[0].variance));
  }
  check_close(at::cat(outputs), alone.output, tolerance);
  check_close(at::cat(gradients), alone.input_gradient, tolerance);
  check_close(weight_gradient, alone.weight_gradient, tolerance);
  check_close(bias_gradient, alone.bias_gradient, tolerance);
}

}  // namespace

TEST_CASE("ranks with unequal batches normalise like one process with all samples") {
  for (const auto& sizes : {std::vector<std::int64_t>{5, 2}, {1, 4, 2}, {3, 3}}) {
    for (const auto* kernels : both_ways()) {
      INFO(sizes.size() << " ranks, by kernels: " << (kernels != nullptr));
      compare(sizes, at::kDouble, at::MemoryFormat::Contiguous, 1e-10, kernels);
      compare(sizes, at::kFloat, at::MemoryFormat::Contiguous, 2e-4, kernels);
      compare(sizes, at::kFloat, at::MemoryFormat::ChannelsLast, 2e-4, kernels);
    }
  }
}

TEST_CASE("a rank without samples takes part and changes nothing") {
  for (const auto* kernels : both_ways()) {
    INFO("by kernels: " << (kernels != nullptr));
    compare({4, 0, 3}, at::kDouble, at::MemoryFormat::Contiguous, 1e-10, kernels);
    compare({0, 2}, at::kDouble, at::MemoryFormat::Contiguous, 1e-10, kernels);
    compare({0, 0, 2, 0}, at::kFloat, at::MemoryFormat::Contiguous, 2e-4, kernels);
  }
}

TEST_CASE("CUDA's kernels are called in the same way as by torch.nn.SyncBatchNorm") {
  const auto ranks = of_ranks(make_case(7, at::kFloat), {5, 2}, at::MemoryFormat::ChannelsLast,
                              &testing::kFakeNormKernels);
  for (const Normalised& rank : ranks) {
    CHECK(rank.calls ==
          std::vector<std::string>{"stats channels_last", "gather 2 x 3, counts Float 100 40",
                                   "elemt channels_last", "backward_reduce channels_last",
                                   "backward_elemt channels_last, sums 3 3, counts Int 100 40"});
  }
  const auto one_empty = of_ranks(make_case(2, at::kFloat), {0, 2}, at::MemoryFormat::Contiguous,
                                  &testing::kFakeNormKernels);
  CHECK(one_empty[0].calls == std::vector<std::string>{"gather 2 x 3, counts Float 1e-30 40"});
  CHECK(one_empty[1].calls.back() == "backward_elemt contiguous, sums 3 3, counts Int 0 40");
}

TEST_CASE("half and bf16 have statistics in full precision") {
  Case whole = make_case(6, at::kFloat);
  Case shorter = whole;
  shorter.input = whole.input.to(at::kBFloat16);
  shorter.output_gradient = whole.output_gradient.to(at::kBFloat16);
  whole.input = shorter.input.to(at::kFloat);
  whole.output_gradient = shorter.output_gradient.to(at::kFloat);
  const Normalised exact = of_one_process(whole);
  const auto* kernels = GENERATE(from_range(both_ways()));
  const auto ranks = of_ranks(shorter, {4, 2}, at::MemoryFormat::Contiguous, kernels);
  CHECK(ranks[0].output.scalar_type() == at::kBFloat16);
  CHECK(ranks[0].input_gradient.scalar_type() == at::kBFloat16);
  CHECK(ranks[0].weight_gradient.scalar_type() == at::kFloat);
  check_close(ranks[0].mean, exact.mean, 1e-5);
  check_close(ranks[0].variance, exact.variance, 1e-4);
  check_close(at::cat({ranks[0].output, ranks[1].output}), exact.output, 0.02);
  check_close(at::cat({ranks[0].input_gradient, ranks[1].input_gradient}), exact.input_gradient,
              0.02);
  check_close(ranks[0].weight_gradient + ranks[1].weight_gradient, exact.weight_gradient, 1e-3);
}

TEST_CASE("a single rank needs no synchronized function") {
  CHECK_FALSE(dist::make_sync_batchnorm(dist::ProcessGroups{}));
}

namespace {

const models::InputShape kSmall{3, 8, 8};

models::AnyModel make_resnet(const dist::ProcessGroups& groups, bool synchronised) {
  static std::mutex one_at_a_time;  // weights are drawn from the process-wide generator
  const std::lock_guard<std::mutex> lock(one_at_a_time);
  messages::ModelSpec spec;
  spec.name = "resnet18";
  spec.stem = "cifar";
  spec.sync_batchnorm = synchronised;
  auto model = models::make_model(spec, kSmall, 5, dist::make_sync_batchnorm(groups));
  if (!model) throw std::runtime_error(model.error().message);
  model->set_training(true);
  model->module().to(at::kDouble);  // in floats, rounding errors grow within a few steps
  return *model;
}

struct SyncBatchnormTrained {
  std::uint64_t hash = 0;
  models::NamedTensors state;
};

// Three steps of plain gradient descent; rank r trains on the samples [begins[r], begins[r + 1]) of
// each batch, and the ranks' losses add up to the mean over all samples.
SyncBatchnormTrained sync_batchnorm_train(const dist::ProcessGroups& groups,
                                          const std::vector<std::int64_t>& begins,
                                          bool synchronised) {
  models::AnyModel model = make_resnet(groups, synchronised);
  cuda::HostTimeline timeline;
  auto replica = dist::DistributedModel::create(model.named_parameters(), model.named_buffers(),
                                                groups, timeline);
  if (!replica) throw std::runtime_error(replica.error().message);
  auto generator = at::detail::createCPUGenerator(3);
  const std::int64_t begin = begins[static_cast<std::size_t>(groups.rank)];
  const std::int64_t count = begins[static_cast<std::size_t>(groups.rank) + 1] - begin;
  for (Step step = 0; step < 3; ++step) {
    const at::Tensor images = at::randn({begins.back(), 3, 8, 8}, generator, at::kDouble);
    const at::Tensor labels = at::randint(10, {begins.back()}, generator, at::kLong);
    (*replica)->before_forward(0, step);
    const at::Tensor output = model.forward(images.narrow(0, begin, count));
    const at::Tensor loss =
        at::cross_entropy_loss(output, labels.narrow(0, begin, count), {}, at::Reduction::Sum) *
        groups.world_size / begins.back();
    (*replica)->before_backward();
    loss.backward();
    (*replica)->after_backward();
    const at::NoGradGuard no_grad;
    at::_foreach_add_((*replica)->parameters(), (*replica)->gradients(), -0.02);
    (*replica)->zero_gradients();
  }
  SyncBatchnormTrained trained;
  std::vector<at::Tensor> tensors;
  for (const auto& [name, tensor] : model.state()) {
    trained.state.emplace_back(name, tensor.detach().clone());
    tensors.push_back(tensor);
  }
  trained.hash = dist::hash_of(tensors);
  return trained;
}

double largest_difference(const SyncBatchnormTrained& one, const SyncBatchnormTrained& other) {
  double largest = 0.0;
  for (std::size_t i = 0; i < one.state.size(); ++i) {
    const at::Tensor apart =
        (one.state[i].second.to(at::kDouble) - other.state[i].second.to(at::kDouble)).abs();
    largest = std::max(largest, apart.max().item<double>());
  }
  return largest;
}

}  // namespace

TEST_CASE("a ResNet under the reducer trains the same as one process on the joined batches") {
  const std::vector<std::int64_t> begins{0, 5, 8};
  std::array<SyncBatchnormTrained, 2> ranks;
  run_ranks(2, [&](const dist::ProcessGroups& groups) {
    ranks[static_cast<std::size_t>(groups.rank)] = sync_batchnorm_train(groups, begins, true);
  });
  at::set_num_threads(1);
  const SyncBatchnormTrained alone = sync_batchnorm_train(dist::ProcessGroups{}, {0, 8}, true);
  CHECK(ranks[0].hash == ranks[1].hash);  // running statistics included
  CHECK(largest_difference(ranks[0], alone) < 1e-9);
  // Without it, the ranks' statistics and weights differ from those of the joined batch.
  std::array<SyncBatchnormTrained, 2> apart;
  run_ranks(2, [&](const dist::ProcessGroups& groups) {
    apart[static_cast<std::size_t>(groups.rank)] = sync_batchnorm_train(groups, begins, false);
  });
  CHECK(apart[0].hash != apart[1].hash);
  CHECK(largest_difference(apart[0], alone) > 1e-2);
}
