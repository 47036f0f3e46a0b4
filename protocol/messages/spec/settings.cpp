#include "protocol/messages/spec/settings.h"

#include <algorithm>

#include "protocol/messages/spec/spec_fields.h"
#include "protocol/messages/spec/toml_fields.h"

namespace ringside::messages {

const std::vector<Setting>& settings() {
  static const std::vector<Setting> kSettings = [] {
    std::vector<Setting> all;
    const RunSpec defaults;
    each_setting(defaults, [&](const std::string& key, const Field& field, const auto& value) {
      std::string type = type_text<std::decay_t<decltype(value)>>();
      if (type.starts_with("a ")) type.erase(0, 2);
      all.push_back({key, field, std::move(type), toml_text(value)});
    });
    return all;
  }();
  return kSettings;
}

const Setting* find_setting(std::string_view key) {
  const auto& all = settings();
  const auto found = std::ranges::find_if(all, [&](const Setting& one) { return one.key == key; });
  return found == all.end() ? nullptr : &*found;
}

std::string label_of(std::string_view key) {
  const Setting* found = find_setting(key);
  return found == nullptr ? std::string() : std::string(found->field.label);
}

bool applies(const Field& field, const RunSpec& spec) {
  return field.applies.holds == nullptr || field.applies.holds(spec);
}

bool is_described(const RunSpec& spec, std::string_view key) {
  return spec.program.argv.empty() || key == "name" || key == "limits.restarts" ||
         key.starts_with("program.") || key.starts_with("devices.") || key.starts_with("baseline.");
}

std::vector<FieldDifference> described_differences(const RunSpec& left, const RunSpec& right) {
  auto rows = differences(left, right);
  std::erase_if(rows, [&](const FieldDifference& row) {
    return !is_described(left, row.key) || !is_described(right, row.key);
  });
  return rows;
}

bool is_sharing(std::string_view key, const RunSpec& one, const RunSpec& other) {
  if (key == "evaluate.mode") return one.evaluate.mode != "none" && other.evaluate.mode != "none";
  return key == "batch.meaning" || key == "model.sync_batchnorm" || key == "sampler.padding";
}

}  // namespace ringside::messages
