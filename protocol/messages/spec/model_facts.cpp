#include "protocol/messages/spec/model_facts.h"

#include <vector>

#include "protocol/base/text.h"

namespace ringside::messages {
namespace {

constexpr std::int64_t kMostClasses = 1'000'000;

std::int64_t shrunk(std::int64_t side, int layers) {
  for (int i = 0; i < layers; ++i) side = (side - 4) / 2;
  return side;
}

template <class Descriptor>
std::string listed(const std::vector<Descriptor>& table) {
  std::string text;
  for (const Descriptor& row : table) add_listed(text, row.name);
  return text;
}

}  // namespace

std::int64_t parameter_count(const ModelSpec& spec, const ImageShape& images) {
  const ModelDescriptor* model = find_model(spec.name);
  const StemDescriptor* stem = find_stem(spec.stem);
  if (model == nullptr || (model->residual && stem == nullptr)) return 0;
  const ParameterCount& count = model->parameters;
  const std::int64_t kernel = model->residual ? stem->kernel : count.first_kernel;
  const std::int64_t positions =
      shrunk(images.height, count.shrinking_layers) * shrunk(images.width, count.shrinking_layers);
  return count.fixed + count.per_class * spec.classes +
         count.first_outputs * kernel * kernel * images.channels + count.per_position * positions;
}

std::string model_misfit(const ModelSpec& spec) {
  if (spec.classes < 1 || spec.classes > kMostClasses) {
    return "model.classes must lie between 1 and " + std::to_string(kMostClasses) + ", not " +
           std::to_string(spec.classes);
  }
  const ModelDescriptor* model = find_model(spec.name);
  if (model == nullptr) {
    return "unknown model \"" + spec.name + "\"; known: " + listed(model_table());
  }
  if (model->residual && find_stem(spec.stem) == nullptr) {
    return "unknown model.stem \"" + spec.stem + "\"; known: " + listed(stem_table());
  }
  if (!model->residual && spec.sync_batchnorm) {
    return "model.sync_batchnorm has nothing to work on: \"" + spec.name +
           "\" has no batch normalisation; leave it out or choose a resnet";
  }
  return {};
}

}  // namespace ringside::messages
