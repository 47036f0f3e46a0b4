// Facts about a data set from the settings alone, and settings that are refused before anything
// starts.
#include "protocol/messages/spec/data_facts.h"

#include "tests/support/catch.h"

namespace ringside::messages {
namespace {

std::string refusal(const RunSpec& spec) {
  const auto checked = check_work(spec);
  return checked ? "" : checked.error().message;
}

bool says(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

RunSpec colour_spec(const std::string& model) {
  RunSpec spec;
  spec.data.name = "shapes";
  spec.model.name = model;
  return spec;
}

}  // namespace

TEST_CASE("the shape of images after resize and crop is known before reading them") {
  DataSpec data;
  data.name = "cifar100";
  CHECK(data_facts(data)->classes == 100);
  CHECK(data_facts(data)->train_samples == 50'000);
  data.resize = 64;
  CHECK(data_facts(data)->height == 64);
  data.crop = 56;
  CHECK(data_facts(data)->width == 56);
  data.name = "image_folder";
  CHECK_FALSE(data_facts(data));
  CHECK(image_shape(data)->channels == 3);
  CHECK(image_shape(data)->height == 56);
  data.name = "integers";
  CHECK_FALSE(image_shape(data));
}

TEST_CASE("the default settings are valid, and every data set fits a residual network") {
  CHECK(refusal(RunSpec()).empty());
  for (const char* name : {"digits", "shapes", "mnist", "fashion_mnist", "cifar10"}) {
    RunSpec spec = colour_spec("resnet18");
    spec.data.name = name;
    INFO(name);
    CHECK(refusal(spec).empty());
  }
}

TEST_CASE("a batch that leaves a rank without a sample is refused") {
  RunSpec spec;
  spec.devices.world_size = 2;
  spec.batch.size = 1;
  CHECK(says(refusal(spec), "batch.size = 1 over 2 ranks"));
  spec.batch.size = 2;
  CHECK(refusal(spec).empty());
  spec.data.train_samples = 1;
  spec.sampler.padding = "none";
  CHECK(says(refusal(spec), "without a sample"));
  spec.program.argv = {"python3", "train.py"};
  CHECK(refusal(spec).empty());
}

TEST_CASE("a network is refused for images of an unsupported shape") {
  CHECK(says(refusal(colour_spec("convnet")), "1 x 28 x 28, this data set has 3 x 32 x 32"));
  RunSpec small = colour_spec("lenet");
  CHECK(refusal(small).empty());
  small.data.crop = 12;
  CHECK(says(refusal(small), "at least 16 pixels"));
  small.data.crop = 40;
  CHECK(says(refusal(small), "data.crop = 40 does not fit"));
  small.data.crop_padding = 4;
  CHECK(refusal(small).empty());
}

TEST_CASE("channels, classes and normalisation must match the data set") {
  RunSpec spec = colour_spec("resnet18");
  spec.data.mean = {0.5};
  spec.data.std = {0.5};
  CHECK(says(refusal(spec), "3 numbers, one per channel, not 1"));
  spec = colour_spec("resnet18");
  spec.model.classes = 9;
  CHECK(says(refusal(spec), "set model.classes = 10"));
  spec = RunSpec();
  spec.model.sync_batchnorm = true;
  CHECK(says(refusal(spec), "no batch normalisation"));
}

TEST_CASE("GPU-only settings are refused on CPU slots, all of them by name") {
  RunSpec spec;
  spec.devices.kind = "cpu";
  spec.train.precision = "tf32";
  spec.data.on_device = true;
  CHECK(says(refusal(spec), "train.precision = \"tf32\", data.on_device = true"));
  spec.devices.kind = "cuda";
  CHECK(refusal(spec).empty());
}

}  // namespace ringside::messages
