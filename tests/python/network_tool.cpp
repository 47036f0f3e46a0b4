// Gives tests written in Python access to the networks and the weights files of the trainer:
//   network_tool convert IN OUT                        converts weights to another format
//   network_tool init MODEL STEM CLASSES SEED C,H,W OUT   initial weights of make_model
//   network_tool run MODEL STEM CLASSES IN WEIGHTS OUT    one pass in evaluation mode and
//   one in training mode
// IN of `run` holds "images" and "labels". OUT of `run`: "logits", "loss", "gradient.NAME" and,
// after the training pass, "state.NAME". Exit codes: 0, or 2 with the reason on standard error.
#include <cstdio>
#include <span>
#include <string>

#include <torch/torch.h>

#include "trainer/engine/checkpoint/weights.h"
#include "trainer/models/model.h"

using namespace ringside;

namespace {

constexpr std::uint64_t kDropoutSeed = 7;

Result<models::AnyModel> network(std::span<char*> words, const models::InputShape& shape,
                                 std::uint64_t seed) {
  messages::ModelSpec spec;
  spec.name = words[0];
  spec.stem = words[1];
  spec.classes = std::stol(words[2]);
  return models::make_model(spec, shape, seed);
}

Result<void> convert(std::span<char*> words) {
  const auto tensors = RINGSIDE_TRY(engine::read_weights(words[0]));
  return engine::save_weights(words[1], tensors);
}

Result<void> init(std::span<char*> words) {
  models::InputShape shape;
  if (std::sscanf(words[4], "%ld,%ld,%ld", &shape.channels, &shape.height, &shape.width) != 3)
    return bad_request("C,H,W cannot be read");
  const auto model = RINGSIDE_TRY(network(words, shape, std::stoull(words[3])));
  return engine::save_weights(words[5], model.state());
}

Result<void> run(std::span<char*> words) {
  auto input = RINGSIDE_TRY(engine::read_weights(words[3]));
  at::Tensor images;
  at::Tensor labels;
  for (const auto& [name, tensor] : input) (name == "images" ? images : labels) = tensor;
  auto model = RINGSIDE_TRY(network(words, {images.size(1), images.size(2), images.size(3)}, 1));
  if (auto loaded = engine::load_weights(words[4], model.state()); !loaded) return loaded;
  models::NamedTensors out;
  model.set_training(false);
  out.emplace_back("logits", model.forward(images));
  model.set_training(true);
  torch::manual_seed(kDropoutSeed);
  const at::Tensor loss = model.loss(model.forward(images), labels);
  loss.backward();
  out.emplace_back("loss", loss);
  for (const auto& [name, parameter] : model.named_parameters())
    out.emplace_back("gradient." + name, parameter.grad());
  for (const auto& [name, tensor] : model.state()) out.emplace_back("state." + name, tensor);
  return engine::save_weights(words[5], out);
}

}  // namespace

int main(int count, char** words) {
  at::set_num_threads(1);
  const std::string command = count > 1 ? words[1] : "";
  const std::span<char*> rest(words + 2, count > 2 ? static_cast<std::size_t>(count - 2) : 0);
  Result<void> done = bad_request("convert IN OUT, init ... or run ...");
  if (command == "convert" && rest.size() == 2) done = convert(rest);
  if (command == "init" && rest.size() == 6) done = init(rest);
  if (command == "run" && rest.size() == 6) done = run(rest);
  if (done) return 0;
  std::fprintf(stderr, "%s\n", done.error().message.c_str());
  return 2;
}
