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

TEST_CASE("weights are saved and loaded in the format of the file name") {
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

TEST_CASE("batch statistics and their counts are saved with the weights, in safetensors too") {
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

TEST_CASE("the format is detected by the content, not by the name") {
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

TEST_CASE("weights are read from checkpoints, and with DDP's names") {
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
}

TEST_CASE("weights are found where training programs store them, with any prefix") {
  const TempFolder folder;
  const auto one = weights_make("convnet", 1);
  const auto path = folder.path() / "c.pt";
  const auto loads = [&](const Dict& checkpoint) {
    REQUIRE(write_torch_file(path, checkpoint));
    const auto two = weights_make("convnet", 2);
    const auto loaded = load_weights(path, two.state());
    if (!loaded) FAIL(loaded.error().message);
    check_same(one.state(), two.state());
  };
  for (const char* prefix : {"model.", "net.", "module._orig_mod.", "_orig_mod.module.",
                             "model._orig_mod.module.", "_fsdp_wrapped_module.model."}) {
    INFO(prefix);
    Dict lightning = text_dict();
    lightning.insert("epoch", std::int64_t{3});
    lightning.insert("state_dict", state_dict(one.state(), prefix));
    loads(lightning);
    loads(state_dict(one.state(), prefix));
  }
  for (const char* entry : {"net", "weights", "network", "generator"}) {
    INFO(entry);
    Dict checkpoint = text_dict();
    checkpoint.insert(entry, state_dict(one.state()));
    checkpoint.insert("acc", 93.5);
    // The optimizer's entry has the same names and shapes.
    checkpoint.insert("optimizer_state_dict", state_dict(weights_make("convnet", 3).state()));
    loads(checkpoint);
    Dict deeper = text_dict();
    deeper.insert("train", checkpoint);
    loads(deeper);
  }
  // Entries beside the model: a loss with weights, a count of torch's AveragedModel.
  Dict beside = state_dict(one.state(), "module.");
  beside.insert("n_averaged", torch::ones({1}));
  beside.insert("criterion.weight", torch::ones({10}));
  loads(beside);
  // Names from torch.compile of a part, and from activation checkpointing.
  Dict wrapped = text_dict();
  for (const auto& [name, tensor] : one.state()) {
    const std::size_t dot = name.find('.') + 1;
    wrapped.insert(name.substr(0, dot) + "_checkpoint_wrapped_module._orig_mod." + name.substr(dot),
                   for_saving(tensor));
  }
  loads(wrapped);
}

TEST_CASE("several different sets of weights that fit are refused, and equal ones are accepted") {
  const TempFolder folder;
  const auto path = folder.path() / "c.pt";
  const auto one = weights_make("convnet", 1);
  const auto average = weights_make("convnet", 2);
  const auto three = weights_make("convnet", 3);
  const at::Tensor before = three.state()[0].second.clone();
  const auto refused = [&](const Dict& checkpoint) {
    REQUIRE(write_torch_file(path, checkpoint));
    const auto loaded = load_weights(path, three.state());
    REQUIRE_FALSE(loaded);
    CHECK(loaded.error().kind == ErrorKind::kRequest);
    CHECK(at::equal(before, three.state()[0].second));
    return loaded.error().message;
  };
  Dict entries = text_dict();
  entries.insert("state_dict", state_dict(one.state(), "module."));
  entries.insert("state_dict_ema", state_dict(average.state(), "module."));
  CHECK(contains(refused(entries),
                 "holds 2 sets of weights of this model that differ: \"state_dict\", names behind "
                 "\"module.\"; \"state_dict_ema\", names behind \"module.\"; save the one"));
  Dict prefixes = state_dict(one.state(), "model.");
  for (const auto& [name, tensor] : average.state())
    prefixes.insert("ema_model." + name, for_saving(tensor));
  CHECK(contains(refused(prefixes), "names behind \"ema_model.\"; names behind \"model.\""));
  Dict inside = state_dict(one.state());
  for (const auto& [name, tensor] : average.state())
    inside.insert("teacher." + name, for_saving(tensor));
  CHECK(contains(refused(inside), "the names as they are; names behind \"teacher.\""));

  entries.insert_or_assign("state_dict_ema", state_dict(one.state(), "module."));
  REQUIRE(write_torch_file(path, entries));
  REQUIRE(load_weights(path, three.state()));
  check_same(one.state(), three.state());
}

TEST_CASE("for another network's weights with a prefix only the differences are listed") {
  const TempFolder folder;
  Dict lightning = text_dict();
  lightning.insert("state_dict", state_dict(weights_make("lenet", 1).state(), "model."));
  REQUIRE(write_torch_file(folder.path() / "c.pt", lightning));
  const auto refused = load_weights(folder.path() / "c.pt", weights_make("convnet", 1).state());
  REQUIRE_FALSE(refused);
  CHECK(
      contains(refused.error().message,
               "(nearest: \"state_dict\", names behind \"model.\"): conv1.weight is [6, 1, 5, 5]"));
}

TEST_CASE("weights from before torch saved batch norm counts are complete without them") {
  const TempFolder folder;
  const auto one = weights_make("resnet18", 1);
  models::NamedTensors old = one.state();
  std::erase_if(old, [](const auto& item) { return item.first.ends_with("num_batches_tracked"); });
  REQUIRE(old.size() < one.state().size());
  REQUIRE(save_weights(folder.path() / "old.pt", old));
  const auto two = weights_make("resnet18", 2);
  REQUIRE(load_weights(folder.path() / "old.pt", two.state()));
  check_same(one.state(), two.state());
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

TEST_CASE("S9: a small file whose dicts contain each other a thousand times is refused quickly") {
  auto inner = std::make_shared<PickleDict>();
  for (int depth = 0; depth < 4; ++depth) {
    auto outer = std::make_shared<PickleDict>();
    for (int i = 0; i < 1000; ++i) {
      PickleValue key;
      PickleValue value;
      key.value = "k" + std::to_string(i);
      value.value = inner;
      outer->emplace_back(key, value);
    }
    inner = outer;
  }
  PickleValue file;
  file.value = inner;
  const auto refused = copy_state_dict(file, weights_make("lenet", 1).state(), "crafted.pt");
  REQUIRE_FALSE(refused);
  CHECK(contains(refused.error().message, "more entries than any checkpoint"));
}

TEST_CASE("S9: files without weights are refused, each with its own reason") {
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
  CHECK(contains(weights_refusal(folder.path() / "old.pt"), "ends too early"));
  folder.write("plain.pkl", "\x80\x04K\x01.");
  CHECK(contains(weights_refusal(folder.path() / "plain.pkl"), "torch.save did not write"));
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
