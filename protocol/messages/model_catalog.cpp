#include "protocol/messages/model_catalog.h"

#include <algorithm>

#include "protocol/messages/catalog_names.h"

namespace ringside::messages {
namespace {

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

std::string joined(const std::vector<std::string>& names) {
  std::string words;
  for (const std::string& name : names) words += (words.empty() ? "" : " ") + name;
  return words;
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

std::int64_t gradient_bytes(std::int64_t parameters) {
  return parameters * static_cast<std::int64_t>(sizeof(float));
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
