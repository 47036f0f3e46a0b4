#include "protocol/messages/spec/data_facts.h"

#include "protocol/base/text.h"
#include "protocol/messages/data_catalog.h"
#include "protocol/messages/spec/batch_facts.h"
#include "protocol/messages/spec/model_facts.h"
#include "protocol/messages/spec/spec_fields.h"

namespace ringside::messages {
namespace {

// Side of the square images in a batch; 0: unknown.
std::int64_t batch_side(const DataSpec& data, const DataSetDescriptor& set) {
  return data.crop > 0 ? data.crop : data.resize > 0 ? data.resize : set.side;
}

Result<void> check_images(const RunSpec& spec, const DataFacts& facts) {
  const DataSpec& data = spec.data;
  const std::int64_t side = data.resize > 0 ? data.resize : find_data_set(data.name)->side;
  if (data.crop > side + 2 * data.crop_padding) {
    return bad_request("data.crop = " + std::to_string(data.crop) +
                       " does not fit into an image of " + std::to_string(side) + " x " +
                       std::to_string(side) + " pixels; lower it or set data.resize");
  }
  if (!data.mean.empty() && static_cast<std::int64_t>(data.mean.size()) != facts.channels) {
    return bad_request("data.mean and data.std need " + std::to_string(facts.channels) +
                       " numbers, one per channel, not " + std::to_string(data.mean.size()));
  }
  if (auto why = image_misfit(spec.model.name, {facts.channels, facts.height, facts.width});
      !why.empty()) {
    return bad_request(std::move(why));
  }
  if (auto why = class_misfit(data.name, facts.classes, spec.model.classes); !why.empty())
    return bad_request(std::move(why));
  return {};
}

// Parallel = "dp" is refused on CPU slots later, when the devices are chosen.
Result<void> check_for_cpu(const RunSpec& spec) {
  const std::string asked = gpu_only_settings(spec);
  if (asked.empty()) return {};
  return bad_request("only a GPU has " + asked +
                     ", and this run would compute on CPU slots; leave that out, or run it where "
                     "GPUs are with devices.kind = \"cuda\"");
}

}  // namespace

std::optional<DataFacts> data_facts(const DataSpec& data) {
  const DataSetDescriptor* set = find_data_set(data.name);
  if (set == nullptr || set->source == DataSource::kFolder) return std::nullopt;
  DataFacts facts{set->train_samples, set->test_samples, set->channels, 0, 0, set->classes};
  if (set->sized_by_spec()) {
    facts.train_samples = data.train_samples;
    facts.test_samples = data.test_samples;
  }
  if (set->has_images()) {
    facts.height = facts.width = batch_side(data, *set);
  } else {
    facts.classes = facts.train_samples;  // each number is a class of its own
  }
  return facts;
}

std::optional<ImageShape> image_shape(const DataSpec& data) {
  const DataSetDescriptor* set = find_data_set(data.name);
  if (set == nullptr || !set->has_images() || batch_side(data, *set) == 0) return std::nullopt;
  return ImageShape{set->channels, batch_side(data, *set), batch_side(data, *set)};
}

std::string generated_folder_name(const std::string& name, std::int64_t train_samples,
                                  std::int64_t test_samples, std::int64_t seed) {
  return name + "-" + std::to_string(train_samples) + "-" + std::to_string(test_samples) + "-" +
         std::to_string(seed);
}

std::string class_misfit(const std::string& data_set, std::int64_t classes,
                         std::int64_t model_classes) {
  if (model_classes >= classes) return {};
  return "data set \"" + data_set + "\" has " + std::to_string(classes) +
         " classes and the model only " + std::to_string(model_classes) +
         "; set model.classes = " + std::to_string(classes);
}

std::string gpu_only_settings(const RunSpec& spec) {
  std::string asked;
  const auto add = [&](const std::string& setting) { add_listed(asked, setting); };
  if (spec.train.precision == "tf32") add("train.precision = \"tf32\"");
  each_setting(spec, [&](const std::string& key, const Field& field, const auto& value) {
    if constexpr (std::is_same_v<std::decay_t<decltype(value)>, bool>) {
      if (field.needs_gpu && value) add(key + " = true");
    }
  });
  return asked;
}

Result<void> check_work(const RunSpec& spec) {
  if (!spec.program.argv.empty()) return {};
  const bool trains = spec.model.name != "none";
  if (trains && spec.devices.kind == "cpu") {
    if (auto possible = check_for_cpu(spec); !possible) return possible;
  }
  if (trains) {
    if (auto why = model_misfit(spec.model); !why.empty()) return bad_request(std::move(why));
  }
  const auto facts = data_facts(spec.data);
  if (!facts) return {};
  if (trains) {
    if (auto fit = check_images(spec, *facts); !fit) return fit;
  }
  const auto batches = batch_facts(spec, facts->train_samples);
  return batches ? Result<void>() : pass(batches);
}

}  // namespace ringside::messages
