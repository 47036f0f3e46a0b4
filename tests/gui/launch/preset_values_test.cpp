// The presets of the published experiments hold the recipes as printed, and every figure of theirs
// that is arithmetic comes out of batch_facts.
#include <map>

#include "gui/launch/plan.h"
#include "gui/launch/presets.h"
#include "gui/launch/readiness.h"
#include "protocol/messages/batch_facts.h"
#include "tests/support/catch.h"

using namespace ringside;
using messages::RunSpec;

namespace {

launch::LoadedPreset preset(const std::string& name) { return launch::load_preset(name).value(); }
RunSpec full(const std::string& name) { return preset(name).file.spec.full; }

std::int64_t train_samples(const RunSpec& spec) {
  static const std::map<std::string, std::int64_t> kSets = {{"cifar10", 50000}, {"mnist", 60000}};
  const auto found = kSets.find(spec.data.name);
  return found == kSets.end() ? spec.data.train_samples : found->second;
}

struct Recipe {
  const char* preset;
  const char* model;
  std::int64_t classes;
  const char* stem;
  const char* data;
  std::int64_t ranks, batch;
  const char* meaning;
  double lr, momentum;
  std::int64_t epochs, seed;
  const char* evaluate;
};

constexpr Recipe kRecipes[] = {
    {"e0_baseline", "resnet18", 10, "imagenet", "cifar10", 1, 32, "per_rank", .01, 0, 10, 42,
     "exact"},
    {"e0_ddp2", "resnet18", 10, "imagenet", "cifar10", 2, 32, "per_rank", .01, 0, 10, 42, "rank0"},
    {"e0_ddp4", "resnet18", 10, "imagenet", "cifar10", 4, 32, "per_rank", .01, 0, 10, 42, "exact"},
    {"e1_links", "resnet34", 10, "cifar_stride2", "cifar10", 2, 128, "per_rank", .1, .9, 15, 0,
     "exact"},
    {"e1_same_order", "resnet34", 10, "cifar_stride2", "cifar10", 2, 128, "per_rank", .1, .9, 15, 0,
     "exact"},
    {"e1_shuffle_grid", "none", 10, "imagenet", "integers", 2, 4, "per_rank", .01, .9, 2, 0,
     "none"},
    {"e1_padding", "resnet34", 10, "cifar_stride2", "cifar10", 3, 128, "per_rank", .01, .9, 0, 0,
     "padded"},
    {"e2_single", "resnet50", 1000, "imagenet", "cifar10", 1, 256, "per_rank", .001, .9, 1, 0,
     "exact"},
    {"e2_dp4", "resnet50", 1000, "imagenet", "cifar10", 4, 256, "per_rank", .001, .9, 1, 0,
     "exact"},
    {"e2_ddp2", "resnet50", 1000, "imagenet", "cifar10", 2, 256, "per_rank", .001, .9, 1, 0,
     "exact"},
    {"e2_ddp4", "resnet50", 1000, "imagenet", "cifar10", 4, 256, "per_rank", .001, .9, 1, 0,
     "exact"},
    {"e2_ddp4_amp", "resnet50", 1000, "imagenet", "cifar10", 4, 256, "per_rank", .001, .9, 1, 0,
     "exact"},
    {"e3_mnist", "convnet", 10, "imagenet", "mnist", 4, 32, "per_rank", .01, .5, 10, 0, "exact"},
    {"e4_slurm", "resnet50", 1000, "imagenet", "cifar10", 8, 128, "global", 1e-4, 0, 2, 0, "none"},
};

}  // namespace

TEST_CASE("every published experiment has its presets, and they hold its recipe") {
  for (const Recipe& want : kRecipes) {
    INFO(want.preset);
    const RunSpec spec = full(want.preset);
    CHECK(spec.model.name == want.model);
    CHECK(spec.model.classes == want.classes);
    CHECK(spec.model.stem == want.stem);
    CHECK(spec.data.name == want.data);
    CHECK(spec.devices.world_size == want.ranks);
    CHECK(spec.batch.size == want.batch);
    CHECK(spec.batch.meaning == want.meaning);
    CHECK(spec.optimizer.name == "sgd");
    CHECK(spec.optimizer.lr == want.lr);
    CHECK(spec.optimizer.momentum == want.momentum);
    CHECK(spec.optimizer.weight_decay == 0.0);
    CHECK(spec.train.epochs == want.epochs);
    CHECK(messages::sampler_seed(spec) == want.seed);
    CHECK(spec.evaluate.mode == want.evaluate);
    CHECK(spec.sampler.shuffle);
    CHECK(spec.sampler.padding == "repeat");
    CHECK(!spec.batch.drop_last);
  }
}

TEST_CASE("what sets the variations of an experiment apart") {
  CHECK(full("e1_links").sampler.set_epoch);
  CHECK(!full("e1_same_order").sampler.set_epoch);
  for (const auto& difference : messages::differences(full("e1_links"), full("e1_same_order")))
    CHECK((difference.key == "name" || difference.key == "sampler.set_epoch"));
  CHECK(full("e1_links").schedule.name == "step");
  CHECK(full("e1_links").schedule.step_epochs == 5);
  CHECK(full("e1_links").schedule.gamma == 0.1);
  CHECK(full("e1_links").checkpoint.every_epochs == 3);
  CHECK(full("e1_links").data.mean == std::vector<double>{0.49139968, 0.48215827, 0.44653124});
  CHECK(full("e1_links").data.std == std::vector<double>{0.24703233, 0.24348505, 0.26158768});
  CHECK(full("e2_dp4").devices.parallel == "dp");
  CHECK(full("e2_ddp4").model.sync_batchnorm);
  CHECK(!full("e2_single").model.sync_batchnorm);
  CHECK(full("e2_ddp4").train.precision == "fp32");
  CHECK(full("e2_ddp4_amp").train.precision == "fp16");
  CHECK(full("e2_single").data.crop == 32);
  CHECK(full("e2_single").data.crop_padding == 0);
  CHECK(full("e2_single").data.flip);
  CHECK(!full("e4_slurm").sampler.set_epoch);
  CHECK(full("e4_slurm").data.crop_padding == 4);
  CHECK(full("e4_slurm").checkpoint.naming == "ranks_epoch");
  CHECK(full("e0_ddp2").data.mean == std::vector<double>{0.5, 0.5, 0.5});
  CHECK(full("e3_mnist").data.mean == std::vector<double>{0.1307});
}

TEST_CASE("every published figure that is arithmetic is what batch_facts computes") {
  int checked = 0;
  for (const Recipe& recipe : kRecipes) {
    const auto loaded = preset(recipe.preset);
    for (const auto& figure : loaded.file.published.figures) {
      if (!figure.ranks || !figure.value) continue;
      RunSpec spec = loaded.file.spec.full;
      spec.devices.world_size = *figure.ranks;
      const auto facts = messages::batch_facts(spec, train_samples(spec)).value();
      const std::map<std::string, std::int64_t> ours = {{"per_rank_batch", facts.per_rank_batch},
                                                        {"global_batch", facts.global_batch},
                                                        {"steps_per_epoch", facts.steps_per_epoch},
                                                        {"last_batch", facts.last_batch},
                                                        {"padded_samples", facts.padded_samples}};
      const auto found = ours.find(figure.what);
      if (found == ours.end()) continue;
      INFO(recipe.preset << " " << figure.what << " on " << *figure.ranks);
      CHECK(static_cast<double>(found->second) == *figure.value);
      ++checked;
    }
  }
  CHECK(checked > 70);
}

TEST_CASE("E4 on 3 and 6 GPUs trains with 126 of 128") {
  RunSpec spec = full("e4_slurm");
  for (const std::int64_t ranks : {3, 6}) {
    spec.devices.world_size = ranks;
    const auto facts = messages::batch_facts(spec, 50000).value();
    CHECK(facts.global_batch_nominal == 128);
    CHECK(facts.global_batch == 126);
  }
}

TEST_CASE("every quick scale runs on at most 3 CPU ranks with little generated data") {
  const auto all = launch::presets().value();
  for (const auto& listed : all) {
    INFO(listed.name);
    const auto loaded = preset(listed.name);
    REQUIRE(loaded.file.spec.quick);
    const RunSpec& spec = *loaded.file.spec.quick;
    CHECK(messages::validate(spec));
    CHECK(spec.devices.kind == "cpu");
    CHECK(spec.devices.world_size <= (listed.name == "e1_padding" ? 3 : 2));
    CHECK(
        (spec.data.name == "digits" || spec.data.name == "shapes" || spec.data.name == "integers"));
    CHECK(spec.data.train_samples <= 3000);
    CHECK(spec.train.precision != "fp16");
    launch::Machine machine;
    machine.cores = 2;
    CHECK(launch::readiness(loaded, spec, true, machine).ready);
    CHECK(launch::plan_experiment(
        spec, machine,
        [](const std::string& text) -> Result<launch::EarlierRun> { return bad_request(text); }));
  }
}

TEST_CASE("a preset that cannot run here says what is missing and names --quick") {
  launch::Machine machine;
  machine.cores = 2;
  machine.driver_problem = "no NVIDIA driver";
  const auto four = preset("e2_ddp4");
  const auto here = launch::readiness(four, four.file.spec.full, false, machine);
  CHECK(!here.ready);
  CHECK(here.why == "e2_ddp4 needs 4 GPUs, this machine has 0 GPUs (no NVIDIA driver)");
  CHECK(here.then.find("ringside run e2_ddp4 --quick") != std::string::npos);
  machine.gpus.resize(4);
  RunSpec without_data = four.file.spec.full;
  without_data.data.root = "/nowhere";
  const auto no_data = launch::readiness(four, without_data, false, machine);
  CHECK(!no_data.ready);
  CHECK(no_data.why.find("ringside data get cifar10 --root /nowhere") != std::string::npos);
  const auto padding = preset("e1_padding");
  RunSpec weights = padding.file.spec.full;
  const auto no_weights = launch::readiness(padding, weights, false, machine);
  CHECK(no_weights.why.find("model.init_from") != std::string::npos);
  CHECK(no_weights.why.find("e1_links") != std::string::npos);
  const auto grid = preset("e1_shuffle_grid");
  CHECK(launch::readiness(grid, grid.file.spec.full, false, launch::Machine{}).ready);
}
