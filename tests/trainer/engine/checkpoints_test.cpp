#include "trainer/engine/checkpoint/checkpoints.h"

#include <ATen/Parallel.h>
#include <torch/torch.h>

#include <chrono>
#include <limits>

#include "tests/support/catch.h"
#include "tests/support/file_size_limit.h"
#include "tests/support/temp_folder.h"
#include "trainer/engine/checkpoint/torch_file_writer.h"
#include "trainer/engine/checkpoint/weights.h"

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

messages::OptimizerSpec optimizer_of(const std::string& name) {
  messages::OptimizerSpec spec;
  spec.name = name;
  return spec;
}

// A network and its optimizer after some steps with artificial gradients.
struct Trained {
  explicit Trained(const char* name, std::uint64_t seed, int steps = 3,
                   const std::string& rule = "sgd")
      : model(make(name, seed)), optimizer(tensors(), optimizer_of(rule)) {
    at::set_num_threads(1);  // threads that busy-wait for each other are slow on a loaded machine
    std::vector<at::Tensor> gradients;
    for (const auto& parameter : tensors()) gradients.push_back(torch::randn_like(parameter));
    for (int step = 0; step < steps; ++step) optimizer.step(gradients, 0.01);
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
    state.optimizer = &optimizer;
    state.learning_rate = 0.01;
    state.world_size = 2;
    state.facts.per_rank_batch = 32;
    state.facts.global_batch = 64;
    state.facts.steps_per_epoch = 94;
    return state;
  }
  models::AnyModel model;
  Optimizer optimizer;
};

void check_equal(const OptimizerState& left, const OptimizerState& right) {
  CHECK(left.steps == right.steps);
  REQUIRE(left.lists.size() == right.lists.size());
  for (std::size_t list = 0; list < left.lists.size(); ++list) {
    CHECK(left.lists[list].first == right.lists[list].first);
    for (std::size_t i = 0; i < left.lists[list].second.size(); ++i)
      CHECK(at::equal(left.lists[list].second[i], right.lists[list].second[i]));
  }
}

}  // namespace

TEST_CASE("a checkpoint restores every tensor, the optimizer's state and the position") {
  // A model with buffers; the other files are small.
  const std::string rule = GENERATE("sgd", "adam", "adamw");
  const char* name = rule == "sgd" ? "resnet18" : "convnet";
  const TempFolder folder;
  Trained one(name, 1, 3, rule);
  auto state = one.state();
  state.progress = {2, 190, 2, 128, 95, 0.75};
  messages::RunSpec spec;
  spec.optimizer.name = rule;
  const auto written = write_checkpoint(folder.path() / "c.pt", state, spec);
  REQUIRE(written);
  CHECK(written->size_bytes ==
        static_cast<std::int64_t>(std::filesystem::file_size(folder.path() / "c.pt")));

  Trained other(name, 2, 0, rule);
  const auto point = read_checkpoint(folder.path() / "c.pt", other.state());
  REQUIRE(point);
  CHECK(point->progress.epoch == 2);
  CHECK(point->progress.step == 190);
  CHECK(point->progress.steps_into_epoch == 2);
  CHECK(point->progress.samples_into_epoch == 128);
  CHECK(point->progress.schedule_step == 95);
  CHECK(point->progress.best_accuracy == 0.75);
  CHECK(point->global_batch == 64);
  CHECK(changes_since(*point, one.state(), spec).empty());
  const auto saved = one.model.state();
  const auto restored = other.model.state();
  REQUIRE(saved.size() == restored.size());
  for (std::size_t i = 0; i < saved.size(); ++i)
    CHECK(at::equal(saved[i].second, restored[i].second));
  check_equal(one.optimizer.state(), other.optimizer.state());
}

TEST_CASE("the loss scaler resumes with its saved scale") {
  const TempFolder folder;
  Trained one("convnet", 1);
  LossScaler scaler(at::kCPU);
  scaler.set_state({1024.0, 17});
  auto state = one.state();
  state.scaler = &scaler;
  REQUIRE(write_checkpoint(folder.path() / "c.pt", state, {}));
  LossScaler fresh(at::kCPU);
  state.scaler = &fresh;
  REQUIRE(read_checkpoint(folder.path() / "c.pt", state));
  CHECK(fresh.state().scale == 1024.0);
  CHECK(fresh.state().growth_tracker == 17);
}

TEST_CASE("changed settings are reported at a resume, value by value") {
  Trained one("convnet", 1);
  ResumePoint saved;
  saved.world_size = 4;
  saved.global_batch = 128;
  saved.steps_per_epoch = 47;
  saved.lr_scale = 2.0;
  auto now = one.state();
  now.facts.lr_scale = 1.0;
  CHECK(changes_since(saved, now, {}) ==
        "ranks 2 instead of 4, global batch 64 instead of 128, learning rate scale 1 instead of 2, "
        "steps per epoch 94 instead of 47");
}

TEST_CASE("a checkpoint of another optimizer or of a newer version is refused") {
  const TempFolder folder;
  Trained adam("convnet", 1, 2, "adam");
  messages::RunSpec spec;
  spec.optimizer.name = "adam";
  REQUIRE(write_checkpoint(folder.path() / "adam.pt", adam.state(), spec));
  Trained sgd("convnet", 1);
  const auto refused = read_checkpoint(folder.path() / "adam.pt", sgd.state());
  REQUIRE_FALSE(refused);
  CHECK(refused.error().kind == ErrorKind::kRequest);
  CHECK(refused.error().message.find("adam.pt") != std::string::npos);

  c10::impl::GenericDict newer(c10::StringType::get(), c10::AnyType::get());
  newer.insert("format", std::int64_t{99});
  newer.insert("model", c10::impl::GenericDict(c10::StringType::get(), c10::AnyType::get()));
  newer.insert("step", std::int64_t{1});
  REQUIRE(write_torch_file(folder.path() / "newer.pt", newer));
  const auto unread = read_checkpoint(folder.path() / "newer.pt", sgd.state());
  REQUIRE_FALSE(unread);
  CHECK(unread.error().kind == ErrorKind::kRequest);
  CHECK(unread.error().message.find("newer version of Ringside (format 99") != std::string::npos);
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
  CHECK(refused.error().message.find(
            "conv1.weight is [10, 1, 5, 5] in it and [64, 3, 7, 7] here") != std::string::npos);
  CHECK(at::equal(before, resnet.tensors().front()));

  const auto weights = load_weights(folder.path() / "c.pt", resnet.model.state());
  REQUIRE_FALSE(weights);
  CHECK(weights.error().message.find("another model") != std::string::npos);
  CHECK(weights.error().message.find(
            "conv1.weight is [10, 1, 5, 5] in it and [64, 3, 7, 7] here") != std::string::npos);
  CHECK(weights.error().message.find("more") != std::string::npos);
}

TEST_CASE("the folder keeps the newest checkpoints and finds the newest") {
  const TempFolder folder;
  Trained one("convnet", 1);
  CheckpointFolder checkpoints(folder.path() / "checkpoints", 2);
  CHECK_FALSE(checkpoints.restore_newest(one.state())->has_value());
  for (const char* name : {"epoch_001.pt", "epoch_002.pt", "stop_step_000123.pt"}) {
    REQUIRE(checkpoints.save(name, one.state(), {}));
    REQUIRE(checkpoints.save("best.pt", one.state(), {}));
  }
  CHECK(checkpoints.restore_newest(one.state())->value().path.filename() == "stop_step_000123.pt");
  CHECK_FALSE(std::filesystem::exists(folder.path() / "checkpoints" / "epoch_001.pt"));
  CHECK(std::filesystem::exists(folder.path() / "checkpoints" / "epoch_002.pt"));
  std::size_t files = 0;
  for ([[maybe_unused]] const auto& entry :
       std::filesystem::directory_iterator(folder.path() / "checkpoints"))
    ++files;
  CHECK(files == 3);  // including best.pt
}

TEST_CASE("the checkpoint written last is the newest even if the clock was set back") {
  // Files of older versions have no order number.
  const bool old = GENERATE(false, true);
  const TempFolder folder;
  Trained one("convnet", 1);
  for (const char* name : {"epoch_001.pt", "epoch_002.pt"}) {
    if (old) {
      REQUIRE(write_checkpoint(folder.path() / name, one.state(), {}));
    } else {
      REQUIRE(CheckpointFolder(folder.path(), 2).save(name, one.state(), {}));
    }
    std::filesystem::last_write_time(
        folder.path() / name,
        std::filesystem::last_write_time(folder.path() / name) + std::chrono::hours(1));
  }
  CheckpointFolder checkpoints(folder.path(), 2);
  for (const char* name : {"epoch_003.pt", "stop_step_000123.pt"}) {
    REQUIRE(checkpoints.save(name, one.state(), {}));
    CHECK(checkpoints.restore_newest(one.state())->value().path.filename() == name);
  }
}

TEST_CASE("a copied folder with other file times resumes from the checkpoint written last") {
  const TempFolder folder;
  Trained one("convnet", 1);
  const auto written = [](int hours) {
    return std::filesystem::file_time_type::clock::now() - std::chrono::hours(hours);
  };
  CheckpointFolder checkpoints(folder.path(), 3);
  // The later attempt went back to step 50.
  for (const char* name : {"step_000900.pt", "step_000050.pt", "step_000100.pt"})
    REQUIRE(checkpoints.save(name, one.state(), {}));
  std::filesystem::last_write_time(folder.path() / "step_000100.pt", written(3));
  std::filesystem::last_write_time(folder.path() / "step_000050.pt", written(2));
  std::filesystem::last_write_time(folder.path() / "step_000900.pt", written(1));

  CheckpointFolder copy(folder.path(), 3);
  CHECK(copy.restore_newest(one.state())->value().path.filename() == "step_000100.pt");
  REQUIRE(copy.save("best.pt", one.state(), {}));
  REQUIRE(copy.save("step_000150.pt", one.state(), {}));
  CHECK_FALSE(std::filesystem::exists(folder.path() / "step_000900.pt"));
  CHECK(std::filesystem::exists(folder.path() / "step_000050.pt"));
}

TEST_CASE("the folder of a run that was moved is not created again") {
  const TempFolder folder;
  Trained one("convnet", 1);
  CheckpointFolder checkpoints(folder.path() / "run" / "checkpoints", 2);
  REQUIRE(checkpoints.save("epoch_001.pt", one.state(), {}));
  std::filesystem::rename(folder.path() / "run", folder.path() / "moved");
  CHECK_FALSE(checkpoints.save("epoch_002.pt", one.state(), {}));
  CHECK_FALSE(std::filesystem::exists(folder.path() / "run"));
}

TEST_CASE("damaged files are skipped for the newest undamaged one, and reported") {
  const TempFolder folder;
  Trained one("convnet", 1);
  auto state = one.state();
  const CheckpointFolder empty({}, 0);
  CHECK_FALSE(empty.restore_newest(state)->has_value());
  CheckpointFolder checkpoints(folder.path(), 0);
  for (const char* name : {"epoch_001.pt", "epoch_002.pt", "epoch_003.pt"}) {
    state.progress.step += 10;
    REQUIRE(checkpoints.save(name, state, {}));
  }
  std::filesystem::resize_file(folder.path() / "epoch_003.pt", 0);
  std::filesystem::resize_file(folder.path() / "epoch_002.pt", 5000);
  const auto restored = checkpoints.restore_newest(one.state());
  REQUIRE(restored);
  REQUIRE(*restored);
  CHECK((*restored)->point.progress.step == 10);
  CHECK((*restored)->passed_over.find("epoch_003.pt") != std::string::npos);
  CHECK((*restored)->passed_over.find("epoch_002.pt") != std::string::npos);

  // Undamaged, but of another model: using an older one would silently lose steps.
  Trained resnet("resnet18", 1);
  CHECK_FALSE(checkpoints.restore_newest(resnet.state()));
  std::filesystem::resize_file(folder.path() / "epoch_001.pt", 0);
  const auto none = checkpoints.restore_newest(one.state());
  REQUIRE_FALSE(none);
  CHECK(none.error().message.find("epoch_001.pt") != std::string::npos);
}

TEST_CASE("only remains of a killed write are removed") {
  const TempFolder folder;
  for (const char* name : {"epoch_002.pt.a1B2c3.unfinished", "best.pt.XYZ123.unfinished",
                           "epoch_001.pt.backup", "notes.unfinished"})
    folder.write(name, "x");
  CheckpointFolder(folder.path(), 1).remove_drafts();
  CHECK(std::filesystem::exists(folder.path() / "epoch_001.pt.backup"));
  CHECK(std::filesystem::exists(folder.path() / "notes.unfinished"));
  CHECK(std::distance(std::filesystem::directory_iterator(folder.path()), {}) == 2);
}

TEST_CASE("a checkpoint that cannot be written is an error that names it") {
  Trained one("convnet", 1);
  const auto written = write_checkpoint("/dev/full/c.pt", one.state(), {});
  REQUIRE_FALSE(written);
  CHECK(written.error().message.find("/dev/full/c.pt") != std::string::npos);
}

TEST_CASE("a tensor with NaN or Inf is named, parameter or buffer") {
  const auto model = make("resnet18", 1);
  CHECK(check_finite(model.state()));
  for (const auto& [name, tensor] : model.state()) {
    if (name != "bn1.running_var") continue;
    tensor.detach()[3] = std::numeric_limits<float>::infinity();
  }
  const auto found = check_finite(model.state());
  REQUIRE_FALSE(found);
  CHECK(found.error().message == "bn1.running_var holds NaN or Inf");
}

TEST_CASE("a write that fails midway leaves only the older file") {
  const TempFolder folder;
  Trained one("convnet", 1);
  CheckpointFolder checkpoints(folder.path(), 1);
  REQUIRE(checkpoints.save("epoch_001.pt", one.state(), {}));
  // The first bytes are written, the rest is refused.
  const auto written = with_full_disk(
      rlim_t{64} << 10, [&] { return checkpoints.save("epoch_002.pt", one.state(), {}); });
  REQUIRE_FALSE(written);
  CHECK(written.error().message.find("epoch_002.pt") != std::string::npos);
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder.path()))
    names.push_back(entry.path().filename().string());
  CHECK(names == std::vector<std::string>{"epoch_001.pt"});
  CHECK(read_checkpoint(folder.path() / "epoch_001.pt", one.state()));
}

TEST_CASE("a folder that cannot be created is an error, and the older checkpoint stays") {
  const TempFolder folder;
  Trained one("convnet", 1);
  folder.write("file", "in the way");
  CheckpointFolder blocked(folder.path() / "file" / "checkpoints", 2);
  CHECK_FALSE(blocked.save("epoch_001.pt", one.state(), {}));

  CheckpointFolder checkpoints(folder.path() / "checkpoints", 1);
  REQUIRE(checkpoints.save("epoch_001.pt", one.state(), {}));
  // A folder of that name cannot be replaced by rename, so the write fails late.
  std::filesystem::create_directories(folder.path() / "checkpoints" / "epoch_002.pt");
  folder.write("checkpoints/epoch_002.pt/inside", "x");
  CHECK_FALSE(checkpoints.save("epoch_002.pt", one.state(), {}));
  CHECK(std::filesystem::exists(folder.path() / "checkpoints" / "epoch_001.pt"));
}

TEST_CASE("weights are saved and loaded without a checkpoint") {
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
