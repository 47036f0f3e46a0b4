// Presets are found, named and valid; settings are resolved in the order file < environment <
// --set.
#include "gui/launch/presets.h"

#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"

using namespace ringside;

TEST_CASE("every preset of the tree is valid and has a title") {
  const auto found = launch::presets().value();
  REQUIRE(found.size() == 22);
  for (const auto& preset : found) {
    INFO(preset.name);
    CHECK(!preset.title.empty());
    const auto loaded = launch::load_preset(preset.name);
    REQUIRE(loaded);
    // The only thing that may be missing is the result of another run.
    if (loaded->file.about.needs.empty()) CHECK(messages::validate(loaded->file.spec.full));
  }
}

TEST_CASE("the demo has what a new user's first run needs") {
  const auto demo = launch::load_preset("demo").value().file.spec.full;
  CHECK(demo.devices.world_size == 2);
  CHECK(demo.devices.kind == "auto");
  CHECK(demo.data.name == "digits");
  CHECK(demo.baseline.mode == "run");
}

TEST_CASE(
    "a misspelled preset names the nearest one, and a missing or wrong file is named itself") {
  const auto preset = launch::load_preset("dmeo");
  REQUIRE(!preset);
  CHECK(preset.error().kind == ErrorKind::kRequest);
  CHECK(preset.error().message.find("\"demo\"") != std::string::npos);
  const auto file = launch::load_preset("/nowhere/x.toml");
  REQUIRE(!file);
  CHECK(file.error().kind == ErrorKind::kRequest);
  const TempFolder folder;
  folder.write("x.toml", "[train]\nepoch = 3\n");
  const auto wrong = launch::load_preset((folder.path() / "x.toml").string());
  REQUIRE(!wrong);
  CHECK(wrong.error().message.find("x.toml:2") != std::string::npos);
  CHECK(wrong.error().message.find("epochs") != std::string::npos);
}

TEST_CASE("settings are resolved in the order file, environment, --set") {
  messages::RunSpec spec;
  spec.train.epochs = 7;
  spec.name = "file";
  const std::vector<std::string> environment = {
      "PATH=/bin", "RINGSIDE_SET_TRAIN_EPOCHS=8", "RINGSIDE_SET_OPTIMIZER_LR=0.5",
      "RINGSIDE_SET_NAME=environment", "RINGSIDE_SET_DATA_TRAIN_SAMPLES=9"};
  const auto resolved = launch::resolve_spec(spec, environment, {"train.epochs=9"}).value();
  CHECK(resolved.train.epochs == 9);
  CHECK(resolved.optimizer.lr == 0.5);
  CHECK(resolved.name == "environment");
  CHECK(resolved.data.train_samples == 9);
  CHECK(launch::resolve_spec(spec, {}, {})->train.epochs == 7);
}

TEST_CASE("an unknown variable or setting is refused with the nearest name") {
  const auto variable = launch::resolve_spec({}, {"RINGSIDE_SET_TRAIN_EPOCH=1"}, {});
  REQUIRE(!variable);
  CHECK(variable.error().message.find("RINGSIDE_SET_TRAIN_EPOCHS") != std::string::npos);
  const auto value = launch::resolve_spec({}, {"RINGSIDE_SET_TRAIN_EPOCHS=many"}, {});
  REQUIRE(!value);
  CHECK(value.error().message.find("RINGSIDE_SET_TRAIN_EPOCHS") != std::string::npos);
  CHECK(!launch::resolve_spec({}, {}, {"train.epoch=1"}));
}

TEST_CASE("the quick scale of a recipe does not have the recipe's name") {
  const auto loaded = launch::load_preset("e0_ddp4").value();
  CHECK(launch::settings_of(loaded, false)->name == "E0 ResNet-18 CIFAR-10, 4 GPUs");
  CHECK(launch::settings_of(loaded, true)->name == "E0 ResNet-18 CIFAR-10, 4 GPUs (quick)");
}

TEST_CASE("a scale that a file does not have is refused by its name") {
  const TempFolder folder;
  folder.write("x.toml", "[train]\nepochs = 3\n");
  const auto loaded = launch::load_preset((folder.path() / "x.toml").string()).value();
  CHECK(launch::settings_of(loaded, false)->train.epochs == 3);
  const auto quick = launch::settings_of(loaded, true);
  REQUIRE(!quick);
  CHECK(quick.error().kind == ErrorKind::kRequest);
  CHECK(quick.error().message.find("[quick]") != std::string::npos);
}
