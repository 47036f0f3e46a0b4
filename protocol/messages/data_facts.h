// What is known of a data set from its settings alone, before a file is read, and whether a run's
// settings fit it. Pure; shared by the window, the command line and the trainer.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "protocol/messages/run_spec.h"

namespace ringside::messages {

struct DataFacts {
  std::int64_t train_samples = 0;
  std::int64_t test_samples = 0;
  std::int64_t channels = 0;  ///< 0: numbers only ("integers")
  std::int64_t height = 0;    ///< of a sample in a batch, after resize and crop
  std::int64_t width = 0;
  std::int64_t classes = 0;
};

/// Nothing for a set that only its files can tell about (image_folder).
std::optional<DataFacts> data_facts(const DataSpec& data);

/// Name of the folder of a generated set under the root of the data: "digits-6000-1000-0".
std::string generated_folder_name(const std::string& name, std::int64_t train_samples,
                                  std::int64_t test_samples, std::int64_t seed);

/// Smallest side of the pictures that LeNet's two convolutions and poolings leave a pixel of.
constexpr std::int64_t kLeNetSmallestSide = 16;

/// Why the named network cannot be built for pictures of channels x height x width; empty: it can.
std::string image_misfit(const std::string& model, std::int64_t channels, std::int64_t height,
                         std::int64_t width);

/// The settings of the run that only a GPU has, "train.cuda_graph = true, ..."; empty: none.
/// Without devices.parallel, whose devices are not known from the settings alone.
std::string gpu_only_settings(const RunSpec& spec);

/// Bad request when the run could not take its first step: batches, pictures and labels that do not
/// fit together, or settings that only a GPU has on devices.kind = "cpu". Programs of others decide
/// for themselves.
Result<void> check_work(const RunSpec& spec);

}  // namespace ringside::messages
