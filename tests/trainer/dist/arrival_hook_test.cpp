#include "trainer/dist/arrival_hook.h"

#include <array>
#include <limits>

#include <torch/torch.h>
#include <torch/csrc/distributed/c10d/reducer.hpp>

#include "tests/support/catch.h"
#include "tests/trainer/cuda/lagging_timeline.h"
#include "tests/trainer/dist/fake_groups.h"
#include "tests/trainer/dist/rank_threads.h"
#include "trainer/dist/distributed_model.h"

using namespace ringside;
using testing::run_ranks;

namespace {

constexpr double kRate = 0.05;
constexpr Step kSteps = 6;
constexpr std::int64_t kBucketBytes = 256;  // small, so that there are several after the first step

/// A small network, the same on every rank; the batches differ.
struct Network {
  std::vector<at::Tensor> layers;

  explicit Network(std::int64_t width) {
    auto generator = at::detail::createCPUGenerator(7);
    for (int layer = 0; layer < 4; ++layer)
      layers.push_back(at::randn({width, width}, generator).div_(4.0).requires_grad_());
  }
  at::Tensor loss(int rank, Step step) const {
    auto generator = at::detail::createCPUGenerator(static_cast<std::uint64_t>(100 * step + rank));
    at::Tensor x = at::randn({5, layers.front().size(0)}, generator);
    for (const at::Tensor& layer : layers) x = at::tanh(x.matmul(layer));
    return x.square().sum();
  }
};

// Trains like torch.nn.parallel.DistributedDataParallel by default: no hook, gradients copied into
// buckets.
std::uint64_t train_as_ddp(const dist::ProcessGroups& groups) {
  const Network network(9);
  auto [buckets, limits] = c10d::compute_bucket_assignment_by_size(
      network.layers, {std::numeric_limits<std::size_t>::max()},
      std::vector<bool>(network.layers.size(), false));
  c10d::Reducer reducer(network.layers, {buckets.rbegin(), buckets.rend()}, groups.gradients,
                        std::vector<bool>(network.layers.size(), false), kBucketBytes,
                        /*find_unused_parameters=*/false, /*gradient_as_bucket_view=*/false, {},
                        kBucketBytes, false, false, {});
  for (Step step = 0; step < kSteps; ++step) {
    reducer.prepare_for_forward();
    reducer.rebuild_buckets();
    const at::Tensor loss = network.loss(groups.rank, step);
    reducer.prepare_for_backward({});
    loss.backward();
    const at::NoGradGuard no_grad;
    for (const at::Tensor& layer : network.layers) {
      at::Tensor(layer).add_(layer.grad(), -kRate);
      layer.mutable_grad().reset();
    }
  }
  return dist::hash_of(network.layers);
}

std::unique_ptr<dist::DistributedModel> replica_of(const Network& network,
                                                   const dist::ProcessGroups& groups,
                                                   cuda::Timeline& timeline) {
  dist::DistributedModel::NamedTensors named;
  for (const at::Tensor& layer : network.layers)
    named.emplace_back(std::to_string(named.size()), layer);
  dist::ReplicaOptions options;
  options.bucket_bytes = options.first_bucket_bytes = kBucketBytes;
  return std::move(*dist::DistributedModel::create(named, {}, groups, timeline, options));
}

std::uint64_t train_with_arrivals(const dist::ProcessGroups& groups) {
  const Network network(9);
  cuda::HostTimeline timeline;
  const auto replica = replica_of(network, groups, timeline);
  for (Step step = 0; step < kSteps; ++step) {
    replica->before_forward(0, step);
    const at::Tensor loss = network.loss(groups.rank, step);
    replica->before_backward();
    loss.backward();
    replica->after_backward();
    const at::NoGradGuard no_grad;
    at::_foreach_add_(replica->parameters(), replica->gradients(), -kRate);
    replica->zero_gradients();
  }
  return dist::hash_of(network.layers);
}

}  // namespace

TEST_CASE("measuring bucket arrival changes no bit of what DDP trains") {
  const int ranks = GENERATE(2, 3);
  std::vector<std::uint64_t> as_ddp(static_cast<std::size_t>(ranks));
  std::vector<std::uint64_t> timed(as_ddp.size());
  run_ranks(ranks, [&](const auto& groups) {
    as_ddp[static_cast<std::size_t>(groups.rank)] = train_as_ddp(groups);
  });
  run_ranks(ranks, [&](const auto& groups) {
    timed[static_cast<std::size_t>(groups.rank)] = train_with_arrivals(groups);
  });
  CHECK(as_ddp == std::vector<std::uint64_t>(as_ddp.size(), as_ddp.front()));
  CHECK(timed == as_ddp);
  CHECK(as_ddp.front() != dist::hash_of(Network(9).layers));
}

TEST_CASE("the average is bitwise equal to DDP's") {
  const at::Tensor gradients = at::arange(1, 1001, at::TensorOptions().dtype(at::kFloat)) / 7;
  for (const int ranks : {2, 3, 5, 7}) {
    at::Tensor averaged = gradients.clone();
    at::Tensor non_finite = at::zeros({1});
    dist::average(averaged, dist::share_of(ranks, at::kCPU), non_finite);
    CHECK(at::equal(averaged, gradients * (1.0 / ranks)));
    CHECK(non_finite.item<float>() == 0.0F);
  }
}

TEST_CASE("averaging detects any NaN or Inf, and no finite number as one") {
  constexpr float kInf = std::numeric_limits<float>::infinity();
  const std::int64_t size = 1003;
  for (const std::int64_t place : {std::int64_t{0}, size / 2, size - 1}) {
    for (const float value : {kInf, -kInf, std::numeric_limits<float>::quiet_NaN()}) {
      at::Tensor gradients = at::ones({size});
      gradients[place] = value;
      at::Tensor non_finite = at::zeros({1});
      dist::average(gradients, dist::share_of(3, at::kCPU), non_finite);
      CHECK(non_finite.item<float>() == 1.0F);
    }
  }
  at::Tensor large = at::full({size}, std::numeric_limits<float>::max());
  at::Tensor non_finite = at::zeros({1});
  dist::average(large, dist::share_of(2, at::kCPU), non_finite);
  CHECK(non_finite.item<float>() == 0.0F);
}

TEST_CASE("each rank reports its own gradient norm from before the all-reduce") {
  constexpr std::size_t kRanks = 3;
  constexpr Step kBroken = 3;
  std::array<std::vector<float>, kRanks> bad;
  std::array<std::vector<bool>, kRanks> taken;
  std::array<double, kRanks> norms{};
  std::array<double, kRanks> expected{};
  run_ranks(kRanks, [&](const auto& groups) {
    const auto rank = static_cast<std::size_t>(groups.rank);
    const Network network(9);
    cuda::HostTimeline timeline;
    const auto replica = replica_of(network, groups, timeline);
    for (Step step = 0; step < kSteps; ++step) {
      const Network alone(9);
      alone.loss(groups.rank, step).backward();
      replica->before_forward(0, step, step == 0);
      at::Tensor loss = network.loss(groups.rank, step);
      if (groups.rank == 1 && step == kBroken) loss = loss * std::numeric_limits<float>::infinity();
      replica->before_backward();
      loss.backward();
      replica->after_backward();
      bad[rank].push_back(replica->non_finite_buckets().sum().template item<float>());
      taken[rank].push_back(replica->local_norm().defined());
      if (step == 0) {
        norms[rank] = replica->local_norm().template item<double>();
        std::vector<at::Tensor> own;
        for (const at::Tensor& layer : alone.layers) own.push_back(layer.grad().flatten());
        expected[rank] = at::cat(own).norm().template item<double>();
      }
      replica->zero_gradients();
    }
  });
  for (std::size_t rank = 0; rank < kRanks; ++rank) {
    INFO(rank);
    CHECK(norms[rank] == Approx(expected[rank]));
    CHECK(taken[rank] == std::vector<bool>{true, false, false, false, false, false});
    for (std::size_t step = 0; step < static_cast<std::size_t>(kSteps); ++step)
      CHECK((bad[rank][step] > 0) == (rank == 1 && step == kBroken));
  }
  CHECK(bad[1][kBroken] == 4);  // of the buckets after the first step, which hold one layer each
}

TEST_CASE("buckets whose all-reduces end in another order keep their own times") {
  testing::FakeGroups fake;
  const Network network(9);
  testing::LaggingTimeline timeline(0);
  const auto replica = replica_of(network, fake.groups, timeline);
  std::vector<messages::BucketReport> reports;
  for (Step step = 0; step < 3; ++step) {
    fake.gradients->held_back = step == 0 ? 1 : network.layers.size();
    replica->before_forward(0, step);
    const at::Tensor loss = network.loss(0, step);
    replica->before_backward();
    loss.backward();
    replica->after_backward();
    replica->buckets().take(reports, true);
    replica->zero_gradients();
  }
  REQUIRE(reports.size() == 1 + 2 * network.layers.size());
  for (std::size_t i = 1; i < reports.size(); ++i) {
    CHECK(reports[i].ready_ns < reports[i].reduced_ns);
    if (reports[i].step != reports[i - 1].step) continue;
    CHECK(reports[i].ready_ns > reports[i - 1].ready_ns);
  }
  // The first two of a step were held back, and the second ended first.
  CHECK(reports[1].reduced_ns > reports[2].reduced_ns);
  CHECK(replica->buckets().dropped() == 0);
}

TEST_CASE("from the second step on the buckets stay the same, so that a step can be recorded") {
  testing::FakeGroups fake;
  const Network network(9);
  testing::LaggingTimeline timeline(0);
  const auto replica = replica_of(network, fake.groups, timeline);
  std::size_t sent_before_the_last_gradient = 0;
  network.layers.front().register_hook([&](const at::Tensor&) {
    sent_before_the_last_gradient = fake.gradients->reduced_bytes.size();
  });
  std::vector<messages::BucketReport> reports;
  const auto buckets_of = [&](Step step) {
    fake.gradients->reduced_bytes.clear();
    replica->before_forward(0, step);
    const at::Tensor loss = network.loss(0, step);
    replica->before_backward();
    loss.backward();
    replica->after_backward();
    reports.clear();
    replica->buckets().take(reports, true);
    CHECK(replica->flat_gradients().size() == fake.gradients->reduced_bytes.size());
    replica->zero_gradients();
    return fake.gradients->reduced_bytes;
  };
  buckets_of(0);
  const auto eager = buckets_of(1);
  CHECK(eager.size() == network.layers.size());
  CHECK(reports.size() == eager.size());
  const at::Tensor gradients = replica->gradients().front();

  CHECK(buckets_of(2) == eager);
  CHECK(reports.size() == eager.size());
  CHECK(sent_before_the_last_gradient == eager.size() - 1);
  CHECK(replica->gradients().front().const_data_ptr() == gradients.const_data_ptr());
}
