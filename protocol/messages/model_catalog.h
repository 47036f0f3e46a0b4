// The networks by name: label, required image shape, number of parameters. One table for the
// trainer, the command line and the window; trainer/models builds the modules. Pure; any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ringside::messages {

/// Shape of a network's input images: channels x height x width.
struct ImageShape {
  std::int64_t channels = 1;
  std::int64_t height = 28;
  std::int64_t width = 28;
};

/// The number of parameters as a function of the number of classes and the image shape.
struct ParameterCount {
  std::int64_t fixed = 0;
  std::int64_t per_class = 0;
  std::int64_t first_outputs = 0;  ///< output channels of the first convolution
  std::int64_t first_kernel = 0;   ///< side of its kernel; 0: the one of model.stem
  std::int64_t per_position = 0;   ///< weights of the first linear layer per position of its input
  int shrinking_layers = 0;        ///< 5 x 5 convolutions before that layer, each followed by 2 x 2
                                   ///< pooling
};

struct ModelDescriptor {
  std::string name = {};          ///< model.name
  std::string label = {};         ///< display name: "ResNet-18"
  std::int64_t channels = 0;      ///< channels of the input images; 0: any
  std::int64_t side = 0;          ///< height and width of the input images; 0: any from min_side on
  std::int64_t min_side = 1;      ///< smallest height or width of which the pooling leaves a pixel
  std::string alternatives = {};  ///< models to suggest for other images: "\"lenet\" or
                                  ///< \"resnet18\""
  bool residual = false;  ///< has model.stem, and batch normalisation for model.sync_batchnorm
  ParameterCount parameters = {};
};

/// The first layers of a residual network, chosen by model.stem.
struct StemDescriptor {
  std::string name;
  std::int64_t kernel = 7;
  std::int64_t stride = 2;
  bool max_pool = true;
};

const std::vector<ModelDescriptor>& model_table();
const std::vector<StemDescriptor>& stem_table();

/// Null for an unknown name, and for "none".
const ModelDescriptor* find_model(std::string_view name);
const StemDescriptor* find_stem(std::string_view name);

/// Choices of model.name ("none" included) and of model.stem, in the order of the tables.
std::vector<std::string> model_names();
std::vector<std::string> stem_names();

/// Size of the gradients that are all-reduced in each step: one float per parameter.
std::int64_t gradient_bytes(std::int64_t parameters);

/// Why the model cannot be built for such images; empty when it can.
std::string image_misfit(const std::string& model, const ImageShape& images);

}  // namespace ringside::messages
