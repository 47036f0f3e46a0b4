#include "trainer/dist/distributed_model.h"

#include <array>
#include <atomic>
#include <mutex>
#include <numeric>

#include <c10/util/Logging.h>
#include <torch/torch.h>

#include "tests/support/catch.h"
#include "tests/support/patience.h"
#include "tests/trainer/dist/rank_threads.h"
#include "trainer/models/model.h"

using namespace ringside;
using testing::run_ranks;

namespace {

constexpr double kDistributedModelRate = 0.05;

models::AnyModel make(const char* name, const models::InputShape& shape, std::uint64_t seed) {
  // Initial weights are drawn from the process-wide generator, and the ranks are threads of one
  // process.
  static std::mutex one_at_a_time;
  const std::lock_guard<std::mutex> lock(one_at_a_time);
  messages::ModelSpec spec;
  spec.name = name;
  auto model = models::make_model(spec, shape, seed);
  if (!model) throw std::runtime_error(model.error().message);
  // Dropout is off, since ranks draw other masks than a single process.
  model->set_training(false);
  return *model;
}

// A batch with the same images and labels on all ranks, as a function of the step.
std::pair<at::Tensor, at::Tensor> global_batch(Step step, std::int64_t size,
                                               const models::InputShape& shape) {
  auto generator = at::detail::createCPUGenerator(static_cast<std::uint64_t>(1000 + step));
  at::Tensor images = at::randn({size, shape.channels, shape.height, shape.width}, generator);
  at::Tensor labels = at::randint(10, {size}, generator, at::TensorOptions().dtype(at::kLong));
  return {images, labels};
}

struct Trained {
  std::vector<float> losses;
  std::uint64_t hash = 0;
  std::vector<at::Tensor> parameters;
};

// `steps` steps of plain gradient descent on this rank's slice of each global batch.
Trained train(const dist::ProcessGroups& groups, models::AnyModel model,
              const models::InputShape& shape, std::int64_t global_size, Step steps) {
  cuda::HostTimeline timeline;
  auto replica = dist::DistributedModel::create(model.named_parameters(), model.named_buffers(),
                                                groups, timeline);
  if (!replica) throw std::runtime_error(replica.error().message);
  Trained trained;
  for (Step step = 0; step < steps; ++step) {
    const auto [images, labels] = global_batch(step, global_size, shape);
    const std::int64_t share = global_size / groups.world_size;
    (*replica)->before_forward(0, step);
    const at::Tensor loss = model.loss(model.forward(images.narrow(0, groups.rank * share, share)),
                                       labels.narrow(0, groups.rank * share, share));
    (*replica)->before_backward();
    loss.backward();
    (*replica)->after_backward();
    const at::NoGradGuard no_grad;
    at::_foreach_add_((*replica)->parameters(), (*replica)->gradients(), -kDistributedModelRate);
    (*replica)->zero_gradients();
    trained.losses.push_back(loss.item<float>());
  }
  trained.hash = dist::hash_of((*replica)->parameters());
  for (const auto& parameter : (*replica)->parameters())
    trained.parameters.push_back(parameter.detach().clone());
  return trained;
}

}  // namespace

TEST_CASE("two ranks train the same as one process with the same global batches") {
  constexpr Step kSteps = 50;
  constexpr std::int64_t kGlobal = 16;
  const models::InputShape shape{1, 28, 28};
  std::array<Trained, 2> ranks;
  run_ranks(2, [&](const auto& groups) {
    // Different initial weights, of which rank 0's are used.
    auto model = make("convnet", shape, groups.rank == 0 ? 7 : 8);
    ranks[static_cast<std::size_t>(groups.rank)] = train(groups, model, shape, kGlobal, kSteps);
  });
  const dist::ProcessGroups solo;
  const Trained alone = train(solo, make("convnet", shape, 7), shape, kGlobal, kSteps);

  CHECK(ranks[0].hash == ranks[1].hash);
  for (std::size_t step = 0; step < kSteps; ++step) {
    const float mean = (ranks[0].losses[step] + ranks[1].losses[step]) / 2.0F;
    REQUIRE(mean == Approx(alone.losses[step]).epsilon(1e-5));
  }
  for (std::size_t i = 0; i < alone.parameters.size(); ++i) {
    REQUIRE(at::allclose(ranks[0].parameters[i], alone.parameters[i], 1e-4, 1e-6));
  }
  // Otherwise the test would pass with a trainer that does nothing.
  CHECK(alone.losses.front() != Approx(alone.losses.back()));
}

TEST_CASE("buckets are rebuilt after the first step and their times are in order") {
  const models::InputShape shape{3, 32, 32};
  std::array<std::vector<messages::BucketReport>, 2> reports;
  std::array<std::int64_t, 2> bytes{};
  run_ranks(2, [&](const auto& groups) {
    auto model = make("resnet18", shape, 1);
    model.set_training(true);
    cuda::HostTimeline timeline;
    auto replica = std::move(*dist::DistributedModel::create(
        model.named_parameters(), model.named_buffers(), groups, timeline));
    const auto me = static_cast<std::size_t>(groups.rank);
    bytes[me] = replica->gradient_bytes();
    for (Step step = 0; step < 3; ++step) {
      const auto [images, labels] = global_batch(step, 4, shape);
      replica->before_forward(5, step);
      const at::Tensor loss = model.loss(model.forward(images), labels);
      replica->before_backward();
      loss.backward();
      replica->after_backward();
      const at::NoGradGuard no_grad;
      std::int64_t flat = 0;
      for (const auto& bucket : replica->flat_gradients())
        flat += static_cast<std::int64_t>(bucket.nbytes());
      if (flat != bytes[me]) throw std::runtime_error("the flat gradients are not all gradients");
      replica->zero_gradients();
    }
    // A completion may arrive shortly after the backward pass that waited for it.
    const std::int64_t deadline_ns = mono_now_ns() + testing::kPatienceNs;
    while (reports[me].size() < 3 && mono_now_ns() < deadline_ns)
      replica->buckets().take(reports[me], true);
    replica->broadcast_buffers();
    replica->buckets().take(reports[me], true);
  });
  for (const auto& of_rank : reports) {
    std::array<std::int64_t, 3> buckets{};
    std::array<std::int64_t, 3> sizes{};
    for (const auto& report : of_rank) {
      REQUIRE(report.epoch == 5);
      REQUIRE(report.step < 3);
      CHECK(report.ready_ns > 0);
      CHECK(report.ready_ns <= report.reduced_ns);
      ++buckets[static_cast<std::size_t>(report.step)];
      sizes[static_cast<std::size_t>(report.step)] += report.size_bytes;
    }
    CHECK(buckets[0] == 1);
    CHECK(buckets[1] > 1);
    CHECK(buckets[2] == buckets[1]);
    CHECK(sizes == std::array<std::int64_t, 3>{bytes[0], bytes[0], bytes[0]});
  }
}

TEST_CASE("ranks with different models all get an error that says so") {
  std::array<std::string, 2> errors;
  run_ranks(2, [&](const auto& groups) {
    const bool odd = groups.rank == 1;
    auto model = odd ? make("resnet18", {3, 32, 32}, 1) : make("convnet", {1, 28, 28}, 1);
    cuda::HostTimeline timeline;
    const auto replica = dist::DistributedModel::create(model.named_parameters(),
                                                        model.named_buffers(), groups, timeline);
    errors[static_cast<std::size_t>(groups.rank)] = replica ? "accepted" : replica.error().message;
  });
  for (const auto& error : errors) CHECK(error.find("could not be set up") != std::string::npos);
}

TEST_CASE("the hash depends on every bit and not on the memory format") {
  const at::Tensor numbers = at::arange(1001, at::TensorOptions().dtype(at::kFloat));
  const std::uint64_t before = dist::hash_of({numbers});
  CHECK(dist::hash_of({numbers.clone()}) == before);
  const at::Tensor square = at::arange(100, at::TensorOptions().dtype(at::kFloat)).view({10, 10});
  CHECK(dist::hash_of({square.t().contiguous().t()}) == dist::hash_of({square}));
  at::Tensor other = numbers.clone();
  auto* last = static_cast<unsigned char*>(other.mutable_data_ptr()) + other.nbytes() - 1;
  *last = static_cast<unsigned char>(*last ^ 1U);
  CHECK(dist::hash_of({other}) != before);
  CHECK(dist::hash_of({numbers, numbers}) != before);
}

TEST_CASE("DDP's own timing is never read, which on a GPU would wait for its events") {
  static std::atomic<int> read{0};
  read = 0;
  c10::SetPyTorchDDPUsageLogger([](const c10::DDPLoggingData& data) {
    if (data.ints_map.count("iteration") > 0) ++read;
  });
  const models::InputShape shape{1, 28, 28};
  run_ranks(2, [&](const dist::ProcessGroups& groups) {
    (void)train(groups, make("lenet", shape, 1), shape, 4, 12);  // DDP reports its tenth sample
  });
  c10::SetPyTorchDDPUsageLogger([](const c10::DDPLoggingData&) {});
  CHECK(read == 0);
}
