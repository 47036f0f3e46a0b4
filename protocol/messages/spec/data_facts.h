// Facts about a data set that follow from its settings, without reading a file, and whether a run's
// settings fit it. Pure; shared by the window, the command line and the trainer.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "protocol/messages/model_catalog.h"
#include "protocol/messages/spec/run_spec.h"

namespace ringside::messages {

struct DataFacts {
  std::int64_t train_samples = 0;
  std::int64_t test_samples = 0;
  std::int64_t channels = 0;  ///< 0: numbers only ("integers")
  std::int64_t height = 0;    ///< of a sample in a batch, after resize and crop
  std::int64_t width = 0;
  std::int64_t classes = 0;
};

/// Empty for a set that is known only from its files (image_folder).
std::optional<DataFacts> data_facts(const DataSpec& data);

/// Shape of the images in a batch, after resize and crop; empty for numbers, unknown names and
/// settings that leave the size open.
std::optional<ImageShape> image_shape(const DataSpec& data);

/// Folder name of a generated set under the data root: "digits-6000-1000-0".
std::string generated_folder_name(const std::string& name, std::int64_t train_samples,
                                  std::int64_t test_samples, std::int64_t seed);

/// Why a model with this many classes cannot be trained on the set; empty when it can.
std::string class_misfit(const std::string& data_set, std::int64_t classes,
                         std::int64_t model_classes);

/// The run's settings that need a GPU, "train.cuda_graph = true, ..."; empty when it has none.
/// devices.parallel is not among them, since the settings alone do not determine its devices.
std::string gpu_only_settings(const RunSpec& spec);

/// Bad request when the run could not take its first step: batches, images and labels that do not
/// fit together, or GPU-only settings with devices.kind = "cpu". Custom programs are not checked.
Result<void> check_work(const RunSpec& spec);

}  // namespace ringside::messages
