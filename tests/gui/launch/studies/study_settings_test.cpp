// How the request for a study becomes its settings.
#include "gui/launch/studies/study_settings.h"

#include "gui/launch/studies/study_preset.h"
#include "tests/gui/launch/made_machine.h"
#include "tests/support/catch.h"

using namespace ringside;
using launch::Machine;
using launch::StudyRequest;
using messages::RunSpec;
using support::cpu_machine;
using support::gpu_machine;

namespace {

RunSpec recipe_of(std::int64_t size, const std::string& meaning) {
  RunSpec spec;
  spec.data.train_samples = 1000;
  spec.batch.size = size;
  spec.batch.meaning = meaning;
  return spec;
}

StudyRequest worlds(const std::string& world) {
  StudyRequest request;
  request.world = launch::parse_world(world).value();
  return request;
}

std::vector<std::string> sweep_keys_of(const launch::PlannedSettings& sweep) {
  std::vector<std::string> keys;
  for (const auto& one : sweep.settings) keys.push_back(one.key);
  return keys;
}

using Keys = std::vector<std::string>;

}  // namespace

TEST_CASE("numbers of devices are unique and from 1 to 4096") {
  CHECK(launch::parse_world("2x4,4,1,2x3,6,2").value() ==
        std::vector<launch::WorldSize>{{1}, {2}, {4}, {6}, {6, 2}, {8, 2}});
  CHECK(launch::parse_world("1x4").value() == std::vector<launch::WorldSize>{{4}});
  for (const char* wrong : {"",
                            "0",
                            "-1",
                            "1,",
                            "2,2",
                            "a",
                            "1.5",
                            "99999",
                            "9999",
                            " 2",
                            "184467440737095516161",
                            "1;2",
                            "2x",
                            "x2",
                            "0x2",
                            "2x0",
                            "2x3x4",
                            "2X3",
                            "2x4096",
                            "2000x1",
                            "2x3,2x3"}) {
    const auto world = launch::parse_world(wrong);
    INFO(wrong);
    REQUIRE_FALSE(world);
    CHECK(world.error().kind == ErrorKind::kRequest);
    CHECK(world.error().message.starts_with("--world: "));
  }
  std::string many = "1";
  for (int i = 2; i < 200; ++i) many += "," + std::to_string(i);
  CHECK_FALSE(launch::parse_world(many));
}

TEST_CASE("an unknown variant gets the nearest word as a hint") {
  const auto variants = launch::parse_variants("bf16,dp@4").value();
  REQUIRE(variants.size() == 2);
  CHECK(variants[1] == launch::StudyVariant{"dp", 4});
  CHECK(launch::parse_variants("").value().empty());
  const auto wrong = launch::parse_variants("bf61");
  REQUIRE_FALSE(wrong);
  CHECK(wrong.error().message.find("bf16") != std::string::npos);
  for (const char* bad : {"dp@0", "dp@", "dp,dp", "x@2", "dp@9999"})
    CHECK_FALSE(launch::parse_variants(bad));
}

TEST_CASE("weak keeps the batch per device, strong the global one, and both share a baseline") {
  auto request = worlds("2,3,4");
  request.weak = request.strong = true;
  const auto sweep =
      launch::plan_settings(recipe_of(128, "global"), request, gpu_machine(4)).value();
  CHECK(sweep_keys_of(sweep) ==
        Keys{"baseline-1", "weak-2", "weak-3", "weak-4", "strong-2", "strong-3", "strong-4"});
  for (const auto& one : sweep.settings) {
    CHECK(one.spec.batch.size == 128);
    CHECK(one.spec.devices.kind == "cuda");
    CHECK(one.spec.devices.ids.size() == static_cast<std::size_t>(one.spec.devices.world_size));
    CHECK(one.spec.devices.ids.front() == "GPU-0");
    CHECK(one.spec.baseline.mode == "none");
  }
  CHECK(sweep.settings[1].spec.batch.meaning == "per_rank");
  CHECK(sweep.settings[4].spec.batch.meaning == "global");
  // A batch of 128 on three devices is rounded.
  CHECK(sweep.settings[5].differences ==
        std::vector<std::string>{"a global batch of 126, asked for 128"});
  CHECK(sweep.settings[1].differences.empty());
}

TEST_CASE("without a word the recipe's own meaning of the batch decides") {
  CHECK(sweep_keys_of(launch::plan_settings(recipe_of(64, "global"), worlds("1,2"), cpu_machine(2))
                          .value()) == Keys{"baseline-1", "strong-2"});
  CHECK(
      sweep_keys_of(launch::plan_settings(recipe_of(64, "per_rank"), worlds("1,2"), cpu_machine(2))
                        .value()) == Keys{"baseline-1", "weak-2"});
}

TEST_CASE("the baseline has as many threads as each rank at the largest number of devices") {
  const auto sweep =
      launch::plan_settings(recipe_of(64, "per_rank"), worlds("1,2,4"), cpu_machine(8)).value();
  for (const auto& one : sweep.settings) CHECK(one.spec.devices.threads == 2);
}

TEST_CASE("variants are measured beside the recipe, and its own precision is not a variant") {
  auto request = worlds("1,2,4");
  request.variants = launch::parse_variants("fp32,bf16,dp@2,bf16@1").value();
  RunSpec recipe = recipe_of(64, "per_rank");
  recipe.train.precision = "fp32";
  const auto sweep = launch::plan_settings(recipe, request, gpu_machine(4)).value();
  CHECK(sweep_keys_of(sweep) == Keys{"baseline-1", "weak-2", "weak-4", "bf16-4", "dp-2", "bf16-1"});
  CHECK(sweep.settings[3].spec.train.precision == "bf16");
  CHECK(sweep.settings[4].spec.devices.parallel == "dp");
  const auto refused = launch::plan_settings(recipe, request, cpu_machine(4));
  REQUIRE_FALSE(refused);
  CHECK(refused.error().message.starts_with("dp-2: "));
}

TEST_CASE("weak scaling with max_steps sees as many samples on any number of devices") {
  RunSpec recipe = recipe_of(16, "per_rank");
  recipe.devices.world_size = 2;
  recipe.train.max_steps = 30;
  const auto sweep = launch::plan_settings(recipe, worlds("1,2,4"), cpu_machine(8)).value();
  CHECK(sweep.settings[0].spec.train.max_steps == 60);
  CHECK(sweep.settings[1].spec.train.max_steps == 30);
  CHECK(sweep.settings[2].spec.train.max_steps == 15);
  CHECK(sweep.settings[2].differences.empty());
  const auto odd = launch::plan_settings(recipe, worlds("1,8"), cpu_machine(8)).value();
  CHECK(odd.settings[1].differences ==
        std::vector<std::string>{"the samples of 56 steps of the baseline, not of 60"});
}

TEST_CASE("settings for a cluster name no device, and no agent has to be started by hand") {
  RunSpec recipe = recipe_of(128, "global");
  recipe.devices.kind = "cuda";
  launch::Machine cluster;
  cluster.elsewhere = true;
  const auto sweep = launch::plan_settings(recipe, worlds("1,4,2x4"), cluster).value();
  CHECK(sweep_keys_of(sweep) == Keys{"baseline-1", "strong-4", "strong-2x4"});
  CHECK(sweep.warnings.empty());
  CHECK(sweep.settings[2].spec.devices.nodes == 2);
  for (const auto& setting : sweep.settings) {
    CHECK(setting.spec.devices.kind == "cuda");
    CHECK(setting.spec.devices.ids.empty());
  }
}

TEST_CASE("settings on several nodes are nodes x devices, on other machines or all on this host") {
  const auto request = worlds("1,4,2x3,2x4");
  RunSpec recipe = recipe_of(128, "global");
  recipe.devices.kind = "cuda";
  const auto apart = launch::plan_settings(recipe, request, gpu_machine(4)).value();
  CHECK(sweep_keys_of(apart) == Keys{"baseline-1", "strong-4", "strong-2x3", "strong-2x4"});
  CHECK(apart.settings[1].spec.devices.ids.size() == 4);
  const auto& six = apart.settings[2];
  CHECK(six.spec.devices.nodes == 2);
  CHECK(six.spec.devices.world_size == 6);
  CHECK(six.spec.devices.ids.empty());  // the other machine has its own GPUs
  CHECK(six.differences == std::vector<std::string>{"a global batch of 126, asked for 128"});
  REQUIRE(apart.warnings.size() == 1);
  CHECK(apart.warnings[0].find("strong-2x3, strong-2x4: each waits until") != std::string::npos);
  CHECK_FALSE(launch::plan_settings(recipe, request, gpu_machine(3)));
  recipe.devices.virtual_nodes = true;
  CHECK_FALSE(launch::plan_settings(recipe, request, gpu_machine(4)));
  const auto here = launch::plan_settings(recipe, request, gpu_machine(8)).value();
  CHECK(here.settings[3].spec.devices.ids.size() == 8);
  CHECK(here.settings[3].spec.devices.virtual_nodes);
  CHECK(here.settings[0].spec.devices.nodes == 1);
  REQUIRE(here.warnings.size() == 1);
  CHECK(here.warnings[0].find("all nodes are on this host") != std::string::npos);
}

TEST_CASE("a setting that cannot run is one error that names it") {
  const auto none = launch::plan_settings(recipe_of(2, "global"), worlds("1,4"), cpu_machine(4));
  REQUIRE_FALSE(none);
  CHECK(none.error().kind == ErrorKind::kRequest);
  RunSpec cuda = recipe_of(64, "global");
  cuda.devices.kind = "cuda";
  CHECK_FALSE(launch::plan_settings(cuda, worlds("1,2"), cpu_machine(4)));
}

TEST_CASE(
    "every ready-made study can be planned, at the scale of its recipe and at the quick one") {
  const auto studies = launch::study_presets().value();
  Keys names;
  for (const auto& study : studies) {
    INFO(study.name);
    names.push_back(study.name);
    CHECK_FALSE(study.title.empty());
    const auto preset = launch::load_preset(study.preset).value();
    for (const bool quick : {false, true}) {
      const auto recipe = launch::recipe_of(study, preset, quick);
      REQUIRE(recipe);
      const auto request = launch::request_of(study, quick);
      REQUIRE(request);
      const auto sweep =
          launch::plan_settings(*recipe, *request, quick ? cpu_machine(2) : gpu_machine(8));
      INFO((sweep ? "" : sweep.error().message));
      REQUIRE(sweep);
      if (study.name == "e4_figure") {
        CHECK(sweep_keys_of(*sweep) ==
              Keys{"baseline-1", "strong-2", "strong-3", "strong-4", "strong-2x3", "strong-2x4"});
        // Six devices drop the same rest of a batch as three: 2 of 128 in the source.
        CHECK(sweep->settings[2].differences == sweep->settings[4].differences);
        CHECK(sweep->settings[4].differences.size() == 1);
        CHECK(sweep->settings[4].spec.devices.virtual_nodes == quick);
      }
      if (study.name == "e2_table") CHECK(sweep->settings.size() == 5);
      if (study.name == "e3_figures") CHECK(sweep->settings.size() == 3);
    }
    for (const auto& source : study.sources) CHECK(launch::load_preset(source.preset));
  }
  CHECK(names == Keys{"e0_bonus", "e2_table", "e3_figures", "e4_figure"});
  CHECK_FALSE(launch::find_study_preset("nothing").value());
}
