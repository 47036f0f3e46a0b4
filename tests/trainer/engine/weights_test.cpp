#include "trainer/engine/checkpoint/weights.h"

#include <fstream>

#include <torch/torch.h>

#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"
#include "trainer/engine/checkpoint/safetensors.h"
#include "trainer/engine/checkpoint/torch_file_writer.h"

using namespace ringside;
using namespace ringside::engine;

namespace {

using Dict = c10::impl::GenericDict;

Dict text_dict() { return Dict(c10::StringType::get(), c10::AnyType::get()); }

models::AnyModel weights_make(const char* name, std::uint64_t seed) {
  messages::ModelSpec spec;
  spec.name = name;
  auto model = models::make_model(spec, {1, 28, 28}, seed);
  if (!model) FAIL(model.error().message);
  return *model;
}

Dict state_dict(const models::NamedTensors& state, const std::string& prefix = {}) {
  Dict dict = text_dict();
  for (const auto& [name, tensor] : state) dict.insert(prefix + name, for_saving(tensor));
  return dict;
}

void check_same(const models::NamedTensors& one, const models::NamedTensors& other) {
  REQUIRE(one.size() == other.size());
  for (std::size_t i = 0; i < one.size(); ++i) {
    CHECK(one[i].first == other[i].first);
    CHECK(at::equal(one[i].second, other[i].second));
  }
}

std::string weights_refusal(const std::filesystem::path& path) {
  const auto read = read_weights(path);
  if (read) return "accepted";
  CHECK(read.error().kind == ErrorKind::kRequest);
  return read.error().message;
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("weights go out and come in, in the form that the file's name asks for") {
  const TempFolder folder;
  for (const char* name : {"w.pt", "w.pth", "w.safetensors", "w"}) {
    INFO(name);
    const auto path = folder.path() / name;
    const auto one = weights_make("lenet", 1);
    const auto two = weights_make("lenet", 2);
    REQUIRE(save_weights(path, one.state()));
    REQUIRE(load_weights(path, two.state()));
    check_same(one.state(), two.state());
    CHECK(std::filesystem::status(path).permissions() ==
          (std::filesystem::perms::owner_read | std::filesystem::perms::owner_write));
  }
  std::ifstream zip(folder.path() / "w.pt", std::ios::binary);
  CHECK(zip.get() == 'P');
  std::ifstream other(folder.path() / "w.safetensors", std::ios::binary);
  other.seekg(8);
  CHECK(other.get() == '{');
}

TEST_CASE("batch statistics and their count are weights too, in safetensors as well") {
  const TempFolder folder;
  auto one = weights_make("resnet18", 1);
  one.set_training(true);
  one.forward(torch::randn({4, 1, 28, 28}));
  const auto two = weights_make("resnet18", 2);
  REQUIRE(save_weights(folder.path() / "w.safetensors", one.state()));
  REQUIRE(load_weights(folder.path() / "w.safetensors", two.state()));
  check_same(one.state(), two.state());
  CHECK(two.state()[5].second.item<std::int64_t>() == 1);
}

TEST_CASE("the form is told by the content, not by the name") {
  const TempFolder folder;
  const auto one = weights_make("lenet", 1);
  REQUIRE(save_weights(folder.path() / "a.safetensors", one.state()));
  REQUIRE(save_weights(folder.path() / "b.pt", one.state()));
  std::filesystem::rename(folder.path() / "a.safetensors", folder.path() / "a.pt");
  std::filesystem::rename(folder.path() / "b.pt", folder.path() / "b.safetensors");
  for (const char* name : {"a.pt", "b.safetensors"}) {
    const auto two = weights_make("lenet", 2);
    REQUIRE(load_weights(folder.path() / name, two.state()));
    check_same(one.state(), two.state());
  }
}

TEST_CASE("weights inside checkpoints, and with the names that DDP gives them") {
  const TempFolder folder;
  const auto one = weights_make("convnet", 1);
  for (const char* entry : {"model", "state_dict", "model_state_dict", "MODEL_STATE"}) {
    for (const char* prefix : {"", "module."}) {
      INFO(entry << " " << prefix);
      Dict checkpoint = text_dict();
      checkpoint.insert("epoch", std::int64_t{3});
      checkpoint.insert(entry, state_dict(one.state(), prefix));
      REQUIRE(write_torch_file(folder.path() / "c.pt", checkpoint));
      const auto two = weights_make("convnet", 2);
      REQUIRE(load_weights(folder.path() / "c.pt", two.state()));
      check_same(one.state(), two.state());
    }
  }
  // One name without the prefix: then it is part of the names.
  Dict mixed = state_dict(one.state(), "module.");
  mixed.insert("extra", torch::ones({1}));
  REQUIRE(write_torch_file(folder.path() / "mixed.pt", mixed));
  const auto read = read_weights(folder.path() / "mixed.pt");
  REQUIRE(read);
  CHECK(read->front().first == "module.conv1.weight");
}

TEST_CASE("numbers of another type are converted") {
  const TempFolder folder;
  const auto one = weights_make("convnet", 1);
  models::NamedTensors halves;
  for (const auto& [name, tensor] : one.state())
    halves.emplace_back(name, tensor.detach().to(torch::kHalf));
  REQUIRE(save_weights(folder.path() / "half.safetensors", halves));
  const auto two = weights_make("convnet", 2);
  REQUIRE(load_weights(folder.path() / "half.safetensors", two.state()));
  for (std::size_t i = 0; i < halves.size(); ++i)
    CHECK(at::equal(two.state()[i].second, halves[i].second.to(torch::kFloat)));
}

TEST_CASE("weights of another network are refused with names and shapes, and change nothing") {
  const TempFolder folder;
  REQUIRE(save_weights(folder.path() / "w.safetensors", weights_make("lenet", 1).state()));
  const auto convnet = weights_make("convnet", 1);
  const at::Tensor before = convnet.state()[0].second.clone();
  const auto refused = load_weights(folder.path() / "w.safetensors", convnet.state());
  REQUIRE_FALSE(refused);
  CHECK(refused.error().kind == ErrorKind::kRequest);
  CHECK(contains(refused.error().message,
                 "conv1.weight is [6, 1, 5, 5] in it and [10, 1, 5, 5] here"));
  CHECK(contains(refused.error().message, "more"));
  CHECK(at::equal(before, convnet.state()[0].second));

  auto fewer = weights_make("lenet", 1).state();
  fewer.pop_back();
  REQUIRE(save_weights(folder.path() / "fewer.pt", fewer));
  const auto missing = load_weights(folder.path() / "fewer.pt", weights_make("lenet", 2).state());
  REQUIRE_FALSE(missing);
  CHECK(contains(missing.error().message, "fc3.bias [10] is missing in it"));
}

TEST_CASE("S9: files without weights are refused, each for its own reason") {
  const TempFolder folder;
  CHECK(contains(weights_refusal(folder.path() / "missing.pt"), "there is no file"));
  CHECK(contains(weights_refusal(folder.path()), "there is no file"));
  folder.write("empty.pt", "");
  CHECK(contains(weights_refusal(folder.path() / "empty.pt"), "neither"));
  folder.write("text.pt", "weights, honestly");
  CHECK(contains(weights_refusal(folder.path() / "text.pt"), "neither"));
  folder.write("empty.safetensors", "");
  CHECK(contains(weights_refusal(folder.path() / "empty.safetensors"), "as safetensors"));
  folder.write("old.pt", "\x80\x02\x8a\nl\xfc\x9c\x46\xf9 j\xa8P\x19.");
  CHECK(contains(weights_refusal(folder.path() / "old.pt"), "before version 1.6"));
  folder.write("cut.pt", "PK\x03\x04 and nothing else");
  CHECK(contains(weights_refusal(folder.path() / "cut.pt"), "cannot read"));

  Dict other = text_dict();
  other.insert("epoch", std::int64_t{3});
  other.insert("model", std::string("a name"));
  REQUIRE(write_torch_file(folder.path() / "other.pt", other));
  CHECK(contains(weights_refusal(folder.path() / "other.pt"), "no weights by name"));
  CHECK(contains(weights_refusal(folder.path() / "other.pt"), "it holds epoch, model"));
  REQUIRE(write_torch_file(folder.path() / "list.pt", torch::ones({2})));
  CHECK(contains(weights_refusal(folder.path() / "list.pt"), "no weights by name"));
}
