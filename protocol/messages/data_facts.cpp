#include "protocol/messages/data_facts.h"

#include <algorithm>

#include "protocol/messages/batch_facts.h"

namespace ringside::messages {
namespace {

std::string picture_text(std::int64_t channels, std::int64_t height, std::int64_t width) {
  return std::to_string(channels) + " x " + std::to_string(height) + " x " + std::to_string(width);
}

DataFacts facts_of(std::int64_t train, std::int64_t test, std::int64_t channels, std::int64_t side,
                   std::int64_t classes) {
  return {train, test, channels, side, side, classes};
}

// Before resize and crop; the pictures of every set that is known by name are square.
std::optional<DataFacts> stored_facts(const DataSpec& data) {
  if (data.name == "integers")
    return facts_of(data.train_samples, data.test_samples, 0, 0, data.train_samples);
  if (data.name == "digits") return facts_of(data.train_samples, data.test_samples, 1, 28, 10);
  if (data.name == "shapes") return facts_of(data.train_samples, data.test_samples, 3, 32, 10);
  if (data.name == "mnist" || data.name == "fashion_mnist")
    return facts_of(60'000, 10'000, 1, 28, 10);
  if (data.name == "cifar10") return facts_of(50'000, 10'000, 3, 32, 10);
  if (data.name == "cifar100") return facts_of(50'000, 10'000, 3, 32, 100);
  return std::nullopt;
}

Result<void> check_pictures(const RunSpec& spec, const DataFacts& facts) {
  const DataSpec& data = spec.data;
  const std::int64_t side = data.resize > 0 ? data.resize : stored_facts(data)->height;
  if (data.crop > side + 2 * data.crop_padding) {
    return bad_request("data.crop = " + std::to_string(data.crop) +
                       " does not fit into a picture of " + std::to_string(side) + " x " +
                       std::to_string(side) + " pixels; lower it or set data.resize");
  }
  if (!data.mean.empty() && static_cast<std::int64_t>(data.mean.size()) != facts.channels) {
    return bad_request("data.mean and data.std need " + std::to_string(facts.channels) +
                       " numbers, one per channel, not " + std::to_string(data.mean.size()));
  }
  if (auto why = image_misfit(spec.model.name, facts.channels, facts.height, facts.width);
      !why.empty()) {
    return bad_request(std::move(why));
  }
  if (spec.model.classes < facts.classes) {
    return bad_request("data set \"" + data.name + "\" has " + std::to_string(facts.classes) +
                       " classes and the model tells " + std::to_string(spec.model.classes) +
                       " apart; set model.classes = " + std::to_string(facts.classes));
  }
  return {};
}

// "dp" on CPU slots is refused where devices are settled.
Result<void> check_for_cpu(const RunSpec& spec) {
  const std::string asked = gpu_only_settings(spec);
  if (asked.empty()) return {};
  return bad_request("only a GPU has " + asked +
                     ", and this run would compute on CPU slots; leave that out, or run it where "
                     "GPUs are with devices.kind = \"cuda\"");
}

}  // namespace

std::optional<DataFacts> data_facts(const DataSpec& data) {
  auto facts = stored_facts(data);
  if (!facts || facts->channels == 0) return facts;
  const std::int64_t side = data.crop > 0     ? data.crop
                            : data.resize > 0 ? data.resize
                                              : facts->height;
  facts->height = facts->width = side;
  return facts;
}

std::string generated_folder_name(const std::string& name, std::int64_t train_samples,
                                  std::int64_t test_samples, std::int64_t seed) {
  return name + "-" + std::to_string(train_samples) + "-" + std::to_string(test_samples) + "-" +
         std::to_string(seed);
}

std::string image_misfit(const std::string& model, std::int64_t channels, std::int64_t height,
                         std::int64_t width) {
  if (channels < 1 || height < 1 || width < 1)
    return "images of " + picture_text(channels, height, width) + " have no pixels";
  if (model == "convnet" && (channels != 1 || height != 28 || width != 28)) {
    return "model \"convnet\" takes images of 1 x 28 x 28, this data set has " +
           picture_text(channels, height, width) +
           "; choose model.name = \"lenet\" or \"resnet18\"";
  }
  if (model == "lenet" && std::min(height, width) < kLeNetSmallestSide) {
    return "model \"lenet\" takes images of at least " + std::to_string(kLeNetSmallestSide) +
           " pixels a side, this data set has " + picture_text(channels, height, width) +
           "; choose model.name = \"resnet18\"";
  }
  return {};
}

std::string gpu_only_settings(const RunSpec& spec) {
  std::string asked;
  const auto name = [&](bool used, const char* setting) {
    if (used) asked += (asked.empty() ? "" : ", ") + std::string(setting);
  };
  name(spec.train.precision == "tf32", "train.precision = \"tf32\"");
  name(spec.train.cuda_graph, "train.cuda_graph = true");
  name(spec.train.cudnn_benchmark, "train.cudnn_benchmark = true");
  name(spec.data.on_device, "data.on_device = true");
  return asked;
}

Result<void> check_work(const RunSpec& spec) {
  if (!spec.program.argv.empty()) return {};
  const bool trains = spec.model.name != "none";
  if (trains && spec.devices.kind == "cpu") {
    if (auto possible = check_for_cpu(spec); !possible) return possible;
  }
  if (trains && spec.model.sync_batchnorm && !spec.model.name.starts_with("resnet")) {
    return bad_request("model.sync_batchnorm has nothing to work on: \"" + spec.model.name +
                       "\" has no batch normalisation; leave it out or choose a resnet");
  }
  const auto facts = data_facts(spec.data);
  if (!facts) return {};
  if (trains) {
    if (auto fit = check_pictures(spec, *facts); !fit) return fit;
  }
  const auto batches = batch_facts(spec, facts->train_samples);
  return batches ? Result<void>() : pass(batches);
}

}  // namespace ringside::messages
