#include "protocol/messages/model_catalog.h"

#include <algorithm>

#include "protocol/messages/catalog_names.h"
#include "protocol/messages/spec/run_spec.h"

namespace ringside::messages {
namespace {

constexpr std::int64_t kMostClasses = 1'000'000;

std::string shape_text(const ImageShape& images) {
  return std::to_string(images.channels) + " x " + std::to_string(images.height) + " x " +
         std::to_string(images.width);
}

ModelDescriptor resnet(const char* depth, std::int64_t fixed, std::int64_t features) {
  return {.name = std::string("resnet") + depth,
          .label = std::string("ResNet-") + depth,
          .residual = true,
          .parameters = {.fixed = fixed, .per_class = features + 1, .first_outputs = 64}};
}

std::vector<ModelDescriptor> list_models() {
  return {
      {.name = "convnet",
       .label = "ConvNet",
       .channels = 1,
       .side = 28,
       .alternatives = "\"lenet\" or \"resnet18\"",
       .parameters = {.fixed = 21'330, .per_class = 50 + 1}},
      {.name = "lenet",
       .label = "LeNet-5",
       .min_side = 16,
       .alternatives = "\"resnet18\"",
       .parameters = {.fixed = 12'706,
                      .per_class = 84 + 1,
                      .first_outputs = 6,
                      .first_kernel = 5,
                      .per_position = 16 * 120,
                      .shrinking_layers = 2}},
      resnet("18", 11'167'104, 512),
      resnet("34", 21'275'264, 512),
      resnet("50", 23'498'624, 2048),
  };
}

std::int64_t shrunk(std::int64_t side, int layers) {
  for (int i = 0; i < layers; ++i) side = (side - 4) / 2;
  return side;
}

template <class Descriptor>
const Descriptor* find(const std::vector<Descriptor>& table, std::string_view name) {
  const auto found = std::find_if(table.begin(), table.end(),
                                  [&](const Descriptor& row) { return row.name == name; });
  return found == table.end() ? nullptr : &*found;
}

template <class Descriptor>
std::vector<std::string> names_of(const std::vector<Descriptor>& table) {
  std::vector<std::string> names;
  for (const Descriptor& row : table) names.push_back(row.name);
  return names;
}

std::string listed(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

}  // namespace

const std::vector<ModelDescriptor>& model_table() {
  static const std::vector<ModelDescriptor> kModels = list_models();
  return kModels;
}

const std::vector<StemDescriptor>& stem_table() {
  static const std::vector<StemDescriptor> kStems{
      {"imagenet", 7, 2, true}, {"cifar", 3, 1, false}, {"cifar_stride2", 3, 2, false}};
  return kStems;
}

const ModelDescriptor* find_model(std::string_view name) { return find(model_table(), name); }

const StemDescriptor* find_stem(std::string_view name) { return find(stem_table(), name); }

std::vector<std::string> model_names() {
  std::vector<std::string> names = names_of(model_table());
  names.emplace_back("none");
  return names;
}

std::vector<std::string> stem_names() { return names_of(stem_table()); }

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

std::int64_t gradient_bytes(std::int64_t parameters) {
  return parameters * static_cast<std::int64_t>(sizeof(float));
}

std::string model_misfit(const ModelSpec& spec) {
  if (spec.classes < 1 || spec.classes > kMostClasses) {
    return "model.classes must lie between 1 and " + std::to_string(kMostClasses) + ", not " +
           std::to_string(spec.classes);
  }
  const ModelDescriptor* model = find_model(spec.name);
  if (model == nullptr) {
    return "unknown model \"" + spec.name + "\"; known: " + listed(names_of(model_table()));
  }
  if (model->residual && find_stem(spec.stem) == nullptr) {
    return "unknown model.stem \"" + spec.stem + "\"; known: " + listed(stem_names());
  }
  if (!model->residual && spec.sync_batchnorm) {
    return "model.sync_batchnorm has nothing to work on: \"" + spec.name +
           "\" has no batch normalisation; leave it out or choose a resnet";
  }
  return {};
}

std::string image_misfit(const std::string& model, const ImageShape& images) {
  const auto [channels, height, width] = images;
  if (channels < 1 || height < 1 || width < 1)
    return "images of " + shape_text(images) + " have no pixels";
  const ModelDescriptor* descriptor = find_model(model);
  if (descriptor == nullptr) return {};
  const std::int64_t side = descriptor->side;
  std::string wanted;
  if (side > 0 && (channels != descriptor->channels || height != side || width != side)) {
    wanted = shape_text({descriptor->channels, side, side});
  } else if (std::min(height, width) < descriptor->min_side) {
    wanted = "at least " + std::to_string(descriptor->min_side) + " pixels a side";
  }
  if (wanted.empty()) return {};
  return "model \"" + model + "\" takes images of " + wanted + ", this data set has " +
         shape_text(images) + "; choose model.name = " + descriptor->alternatives;
}

namespace {

std::string joined(const std::vector<std::string>& names) {
  std::string words;
  for (const std::string& name : names) words += (words.empty() ? "" : " ") + name;
  return words;
}

}  // namespace

std::string_view model_words() {
  static const std::string kWords = joined(model_names());
  return kWords;
}

std::string_view stem_words() {
  static const std::string kWords = joined(stem_names());
  return kWords;
}

bool is_residual(std::string_view model) {
  const ModelDescriptor* descriptor = find_model(model);
  return descriptor != nullptr && descriptor->residual;
}

}  // namespace ringside::messages
