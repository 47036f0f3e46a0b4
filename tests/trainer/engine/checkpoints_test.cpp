#include "trainer/engine/checkpoints.h"

#include <torch/torch.h>

#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"
#include "trainer/engine/weights.h"

using namespace ringside;
using namespace ringside::engine;

namespace {

models::AnyModel make(const char* name, std::uint64_t seed) {
  messages::ModelSpec spec;
  spec.name = name;
  const bool digits = spec.name == "convnet";
  return *models::make_model(
      spec, digits ? models::InputShape{1, 28, 28} : models::InputShape{3, 32, 32}, seed);
}

// A network and its optimizer after some steps with made-up gradients.
struct Trained {
  explicit Trained(const char* name, std::uint64_t seed, int steps = 3)
      : model(make(name, seed)), sgd(tensors(), messages::OptimizerSpec{}) {
    std::vector<at::Tensor> gradients;
    for (const auto& parameter : tensors()) gradients.push_back(torch::randn_like(parameter));
    for (int step = 0; step < steps; ++step) sgd.step(gradients, 0.01);
  }
  std::vector<at::Tensor> tensors() const {
    std::vector<at::Tensor> all;
    for (const auto& [key, value] : model.named_parameters()) all.push_back(value.detach());
    return all;
  }
  TrainingState state() {
    TrainingState state;
    state.tensors = model.state();
    state.parameters = model.named_parameters();
    state.optimizer = &sgd;
    state.learning_rate = 0.01;
    state.world_size = 2;
    state.per_rank_batch = 32;
    return state;
  }
  models::AnyModel model;
  Sgd sgd;
};

}  // namespace

TEST_CASE("a checkpoint gives back every tensor, the momentum and the place") {
  const TempFolder folder;
  Trained one("resnet18", 1);
  auto state = one.state();
  state.progress = {2, 190, 2};
  const auto written = write_checkpoint(folder.path() / "c.pt", state, {});
  REQUIRE(written);
  CHECK(written->size_bytes ==
        static_cast<std::int64_t>(std::filesystem::file_size(folder.path() / "c.pt")));

  Trained other("resnet18", 2, 0);
  const auto progress = read_checkpoint(folder.path() / "c.pt", other.state());
  REQUIRE(progress);
  CHECK(progress->epoch == 2);
  CHECK(progress->step == 190);
  CHECK(progress->steps_into_epoch == 2);
  const auto saved = one.model.state();
  const auto restored = other.model.state();
  REQUIRE(saved.size() == restored.size());
  for (std::size_t i = 0; i < saved.size(); ++i)
    CHECK(at::equal(saved[i].second, restored[i].second));
  const auto momentum = one.sgd.momentum();
  REQUIRE(other.sgd.momentum().size() == momentum.size());
  for (std::size_t i = 0; i < momentum.size(); ++i)
    CHECK(at::equal(momentum[i], other.sgd.momentum()[i]));
}

TEST_CASE("a checkpoint of another model is refused with names and shapes, and changes nothing") {
  const TempFolder folder;
  Trained convnet("convnet", 1);
  REQUIRE(write_checkpoint(folder.path() / "c.pt", convnet.state(), {}));
  Trained resnet("resnet18", 1);
  const at::Tensor before = resnet.tensors().front().clone();
  const auto refused = read_checkpoint(folder.path() / "c.pt", resnet.state());
  REQUIRE_FALSE(refused);
  CHECK(refused.error().kind == ErrorKind::kRequest);
  CHECK(at::equal(before, resnet.tensors().front()));

  const auto weights = load_weights(folder.path() / "c.pt", resnet.model.state());
  REQUIRE_FALSE(weights);
  CHECK(weights.error().message.find("another model") != std::string::npos);
  CHECK(weights.error().message.find(
            "conv1.weight is [10, 1, 5, 5] in it and [64, 3, 7, 7] here") != std::string::npos);
  CHECK(weights.error().message.find("more") != std::string::npos);
}

TEST_CASE("in mid-epoch the ranks and batches must be the same, at its end they need not") {
  const TempFolder folder;
  Trained one("convnet", 1);
  auto state = one.state();
  state.progress = {1, 50, 3};
  REQUIRE(write_checkpoint(folder.path() / "middle.pt", state, {}));
  state.progress = {1, 47, 0};
  REQUIRE(write_checkpoint(folder.path() / "end.pt", state, {}));
  state.world_size = 1;
  state.per_rank_batch = 64;
  const auto refused = read_checkpoint(folder.path() / "middle.pt", state);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().message.find("2 ranks with batches of 32") != std::string::npos);
  CHECK(read_checkpoint(folder.path() / "end.pt", state));
}

TEST_CASE("the folder keeps the newest and knows which that is") {
  const TempFolder folder;
  Trained one("convnet", 1);
  CheckpointFolder checkpoints(folder.path() / "checkpoints", 2);
  CHECK_FALSE(checkpoints.newest());
  for (const char* name : {"epoch_001.pt", "epoch_002.pt", "stop_step_000123.pt"}) {
    REQUIRE(checkpoints.save(name, one.state(), {}));
  }
  CHECK(checkpoints.newest()->filename() == "stop_step_000123.pt");
  CHECK_FALSE(std::filesystem::exists(folder.path() / "checkpoints" / "epoch_001.pt"));
  CHECK(std::filesystem::exists(folder.path() / "checkpoints" / "epoch_002.pt"));
  std::size_t files = 0;
  for ([[maybe_unused]] const auto& entry :
       std::filesystem::directory_iterator(folder.path() / "checkpoints"))
    ++files;
  CHECK(files == 2);
}

TEST_CASE("a checkpoint that cannot be written is an error that names it") {
  Trained one("convnet", 1);
  const auto written = write_checkpoint("/dev/full/c.pt", one.state(), {});
  REQUIRE_FALSE(written);
  CHECK(written.error().message.find("/dev/full/c.pt") != std::string::npos);
}

TEST_CASE("weights alone go out and come in") {
  const TempFolder folder;
  const auto one = make("convnet", 1);
  const auto two = make("convnet", 2);
  REQUIRE(save_weights(folder.path() / "w.pt", one.state()));
  REQUIRE(load_weights(folder.path() / "w.pt", two.state()));
  for (std::size_t i = 0; i < one.state().size(); ++i) {
    CHECK(at::equal(one.state()[i].second, two.state()[i].second));
  }
  CHECK(std::filesystem::status(folder.path() / "w.pt").permissions() ==
        (std::filesystem::perms::owner_read | std::filesystem::perms::owner_write));
}
