// The table of networks; tests/trainer/models compares its parameter counts with the modules.
#include "protocol/messages/model_catalog.h"

#include <set>

#include "protocol/messages/spec/model_facts.h"
#include "protocol/messages/spec/run_spec.h"
#include "tests/support/catch.h"

using namespace ringside;
using messages::ImageShape;
using messages::ModelSpec;

TEST_CASE("every model has a name, a label and a number of parameters") {
  std::set<std::string> names;
  for (const auto& model : messages::model_table()) {
    INFO(model.name);
    CHECK(names.insert(model.name).second);
    CHECK(messages::find_model(model.name) == &model);
    CHECK_FALSE(model.label.empty());
    ModelSpec spec;
    spec.name = model.name;
    CHECK(messages::model_misfit(spec).empty());
    CHECK(messages::parameter_count(spec, {1, 28, 28}) > 1000);
  }
  CHECK(messages::find_model("none") == nullptr);
  CHECK(messages::model_names().back() == "none");
}

TEST_CASE("models have the published numbers of parameters") {
  ModelSpec spec;
  CHECK(messages::parameter_count(spec, {1, 28, 28}) == 21'840);
  CHECK(messages::gradient_bytes(21'840) == 87'360);
  spec.name = "lenet";
  CHECK(messages::parameter_count(spec, {3, 32, 32}) == 62'006);
  spec.name = "resnet50";
  spec.classes = 1000;
  CHECK(messages::parameter_count(spec, {3, 224, 224}) == 25'557'032);
  spec.name = "none";
  CHECK(messages::parameter_count(spec, {3, 32, 32}) == 0);
}

TEST_CASE("a network that cannot be built is explained, with what to choose instead") {
  const auto has = [](const std::string& text, const char* part) {
    INFO(text);
    return text.find(part) != std::string::npos;
  };
  ModelSpec spec;
  spec.name = "alexnet";
  CHECK(has(messages::model_misfit(spec), "known: convnet, lenet, resnet18, resnet34, resnet50"));
  spec.name = "resnet18";
  spec.stem = "small";
  CHECK(has(messages::model_misfit(spec), "known: imagenet, cifar, cifar_stride2"));
  CHECK(has(messages::image_misfit("convnet", {3, 32, 32}), "takes images of 1 x 28 x 28"));
  CHECK(has(messages::image_misfit("lenet", {1, 15, 28}), "at least 16 pixels a side"));
  CHECK(messages::image_misfit("lenet", {1, 16, 16}).empty());
  CHECK(has(messages::image_misfit("resnet18", {3, 0, 8}), "have no pixels"));
  CHECK(messages::image_misfit("resnet18", {3, 1, 1}).empty());
}
