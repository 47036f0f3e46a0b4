#include "protocol/messages/spec/run_spec.h"

#include <algorithm>
#include <filesystem>

#include "protocol/messages/spec/node_ranks.h"
#include "protocol/messages/spec/settings.h"
#include "protocol/messages/spec/spec_fields.h"
#include "protocol/messages/spec/toml_fields.h"

namespace ringside::messages {
namespace {

std::vector<FieldDifference> flat(const RunSpec& spec) {
  std::vector<FieldDifference> rows;
  each_setting(spec, [&](const std::string& key, const Field&, const auto& value) {
    rows.push_back({key, toml_text(value), ""});
  });
  return rows;
}

bool looks_like_toml(std::string_view value) {
  if (value.empty()) return false;
  const char first = value.front();
  return first == '"' || first == '\'' || first == '[' || first == '{' || value == "true" ||
         value == "false" || parse_toml("x = " + std::string(value), "").has_value();
}

/// Words such as "nan", an allowed value of train.stop_on that TOML would read as a number.
bool is_word_of(const std::string& key, std::string_view value) {
  const Setting* setting = find_setting(key);
  if (setting == nullptr) return false;
  const auto words = words_of(setting->field);
  return std::find(words.begin(), words.end(), value) != words.end();
}

// `, did you mean "optimizer.lr"?` for lr or train.lr; empty when no section has such a key.
std::string same_key_elsewhere(const std::string& typed) {
  if (find_setting(typed) != nullptr) return {};
  const std::string last = "." + typed.substr(typed.find('.') + 1);
  std::string found;
  for (const Setting& setting : settings()) {
    if (setting.key.ends_with(last))
      found += (found.empty() ? ", did you mean \"" : "\" or \"") + setting.key;
  }
  return found.empty() ? found : found + "\"?";
}

}  // namespace

Result<RunSpec> parse_run_spec(std::string_view toml, std::string_view origin) {
  RunSpec spec;
  RINGSIDE_TRY(read_toml(toml, origin, spec));
  return spec;
}

Result<void> set_field(RunSpec& spec, std::string_view assignment) {
  const auto equals = assignment.find('=');
  const std::string origin = "--set " + std::string(assignment);
  if (equals == std::string_view::npos || equals == 0) {
    return bad_request(origin + ": write section.key=value");
  }
  const std::string key(assignment.substr(0, equals));
  const std::string value(assignment.substr(equals + 1));
  const bool plain_key =
      key.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-") ==
      std::string::npos;
  if (!plain_key) return bad_request(origin + ": write section.key=value");
  if (const std::string hint = same_key_elsewhere(key); !hint.empty())
    return bad_request("--set: unknown key " + key + hint);
  const auto dot = key.find('.');
  const std::string last = dot == std::string::npos ? key : key.substr(dot + 1);
  const std::string section = dot == std::string::npos ? "" : key.substr(0, dot);
  TomlTable table{{last, {value, 0}}};
  if (!is_word_of(key, value) && looks_like_toml(value)) {
    auto parsed = RINGSIDE_TRY(parse_toml("x = " + value, origin));
    if (parsed.size() != 1) return bad_request(origin + ": set one value at a time");
    table.front().value = {parsed.front().value.data, 0};
  }
  if (!section.empty()) table = {{section, {std::move(table), 0}}};
  RunSpec changed = spec;
  TomlReader reader(table, "--set");
  RunSpec::fields(changed, reader);
  if (auto read = reader.finish(); !read) return read;
  spec = std::move(changed);
  return {};
}

std::string to_toml(const RunSpec& spec) { return write_toml(spec); }

std::vector<FieldDifference> differences(const RunSpec& left, const RunSpec& right) {
  auto rows = flat(left);
  const auto others = flat(right);
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i].right = others[i].left;
  std::erase_if(rows, [](const FieldDifference& row) { return row.left == row.right; });
  return rows;
}

std::int64_t process_count(const RunSpec& spec) {
  const bool one = spec.devices.parallel == "dp" || started_as(spec) == "script";
  return one ? 1 : spec.devices.world_size;
}

std::string precision_text(const RunSpec& spec) {
  if (spec.train.precision != "torch") return spec.train.precision;
  return spec.devices.kind == "cpu" ? "fp32" : "fp32, TF32 convolutions";
}

std::int64_t sampler_seed(const RunSpec& spec) {
  return spec.sampler.seed < 0 ? spec.train.seed : spec.sampler.seed;
}

std::string program_name(const std::vector<std::string>& argv) {
  if (argv.empty()) return {};
  for (std::size_t at = 0; at < argv.size(); ++at) {
    if (argv[at] == "-c") break;  // code on the command line is not a name
    if (argv[at].ends_with(".py") || argv[at].ends_with(".sh"))
      return std::filesystem::path(argv[at]).filename().string();
    if (argv[at] == "-m" && at + 1 < argv.size()) return argv[at + 1];
  }
  return std::filesystem::path(argv.front()).filename().string();
}

std::string display_name(const RunSpec& spec) {
  if (!spec.name.empty()) return spec.name;
  const std::string ranks = std::to_string(spec.devices.world_size);
  const std::string unit = spec.devices.world_size == 1 ? " rank" : " ranks";
  if (!spec.program.argv.empty()) return program_name(spec.program.argv) + " · " + ranks + unit;
  return spec.model.name + " · " + spec.data.name + " · " + ranks + unit;
}

}  // namespace ringside::messages
