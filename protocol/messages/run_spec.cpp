#include "protocol/messages/run_spec.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <sstream>
#include <type_traits>

// Debian builds its library with exceptions only, so the parser is compiled here.
#define TOML_EXCEPTIONS 0
#undef TOML_SHARED_LIB
#undef TOML_HEADER_ONLY
#define TOML_HEADER_ONLY 1
// It asserts what a file can break ("[[[") and then reports that well: no file may end the program.
#define TOML_ASSERT(...) static_cast<void>(0)
#include <toml++/toml.h>

#include "protocol/base/nearest.h"
#include "protocol/messages/preset_spec.h"

namespace ringside::messages {
namespace {

std::string place(std::string_view origin, const toml::source_region& region) {
  std::string text(origin);
  if (region.begin.line > 0) text += ":" + std::to_string(region.begin.line);
  return text + ": ";
}

// ---- TOML -> field ------------------------------------------------------------------------------

template <class T>
constexpr std::string_view wanted() {
  if constexpr (std::is_same_v<T, std::string>) return "a text";
  if constexpr (std::is_same_v<T, bool>) return "true or false";
  if constexpr (std::is_same_v<T, std::int64_t>) return "a whole number";
  if constexpr (std::is_same_v<T, double>) return "a number";
  return "a list";
}

template <class T>
bool take(const toml::node& node, T& value) {
  if constexpr (std::is_same_v<T, double>) {
    if (!node.is_number()) return false;
    value = *node.value<double>();
  } else {
    const auto got = node.value_exact<T>();
    if (!got) return false;
    value = *got;
  }
  return true;
}

template <class T>
bool take(const toml::node& node, std::vector<T>& list) {
  const auto* array = node.as_array();
  if (array == nullptr) return false;
  std::vector<T> items;
  for (const auto& item : *array) {
    if (!take(item, items.emplace_back())) return false;
  }
  list = std::move(items);
  return true;
}

struct FieldReader {
  const toml::table& table;
  std::string_view section;
  std::string_view origin;
  Result<void> result{};
  std::vector<std::string> known{};

  template <class T>
  void operator()(std::string_view key, T& value, const Choices& allowed) {
    known.emplace_back(key);
    const auto* node = table.get(key);
    if (node == nullptr || !result) return;
    const std::string name = std::string(section) + "." + std::string(key);
    if (!take(*node, value)) {
      result = bad_request(place(origin, node->source()) + name + " must be " +
                           std::string(wanted<T>()));
      return;
    }
    check_allowed(*node, name, value, allowed);
  }

  void check_unknown() {
    if (!result) return;
    for (const auto& [key, node] : table) {
      if (std::find(known.begin(), known.end(), key.str()) != known.end()) continue;
      result = bad_request(place(origin, node.source()) + "unknown key " + std::string(section) +
                           "." + std::string(key.str()) + suggestion(key.str(), known));
      return;
    }
  }

 private:
  template <class T>
  void check_allowed(const toml::node& node, const std::string& name, const T& value,
                     const Choices& allowed) {
    if constexpr (std::is_same_v<T, std::string>) {
      if (allowed.empty() || std::find(allowed.begin(), allowed.end(), value) != allowed.end())
        return;
      result = bad_request(place(origin, node.source()) + "unknown value " + name + " = \"" +
                           value + "\"" + suggestion(value, allowed));
    }
  }
};

// `others`: tables at the top that are read elsewhere.
Result<void> read_sections(const toml::table& root, std::string_view origin, RunSpec& spec,
                           const std::vector<std::string>& others = {}) {
  Result<void> result;
  std::vector<std::string> known{"name"};
  known.insert(known.end(), others.begin(), others.end());
  if (const auto* name = root.get("name"); name != nullptr && !take(*name, spec.name)) {
    return bad_request(place(origin, name->source()) + "name must be a text");
  }
  RunSpec::sections(spec, [&](std::string_view key, auto& section) {
    known.emplace_back(key);
    const auto* node = root.get(key);
    if (node == nullptr || !result) return;
    const auto* table = node->as_table();
    if (table == nullptr) {
      result = bad_request(place(origin, node->source()) + std::string(key) +
                           " must be a section: [" + std::string(key) + "]");
      return;
    }
    FieldReader reader{*table, key, origin};
    std::decay_t<decltype(section)>::fields(section, reader);
    reader.check_unknown();
    result = std::move(reader.result);
  });
  if (!result) return result;
  for (const auto& [key, node] : root) {
    if (std::find(known.begin(), known.end(), key.str()) != known.end()) continue;
    return bad_request(place(origin, node.source()) + "unknown key " + std::string(key.str()) +
                       suggestion(key.str(), known));
  }
  return {};
}

Result<toml::table> parse_table(std::string_view text, std::string_view origin) {
  auto parsed = toml::parse(text);
  if (!parsed) {
    return bad_request(place(origin, parsed.error().source()) +
                       std::string(parsed.error().description()));
  }
  return std::move(parsed).table();
}

// ---- field -> TOML ------------------------------------------------------------------------------

std::string as_toml(const std::string& text) {
  std::ostringstream out;
  // Control characters and quotes are escaped by the library; literal strings cannot hold all of
  // them.
  out << toml::toml_formatter{toml::array{text}, toml::format_flags::none};
  const std::string array = out.str();  // [ "text" ]
  return array.substr(2, array.size() - 4);
}

std::string as_toml(bool value) { return value ? "true" : "false"; }
std::string as_toml(std::int64_t value) { return std::to_string(value); }

std::string as_toml(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  char buffer[32];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, value).ptr;
  std::string text(buffer, end);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

template <class T>
std::string as_toml(const std::vector<T>& list) {
  std::string text = "[";
  for (std::size_t i = 0; i < list.size(); ++i) text += (i == 0 ? "" : ", ") + as_toml(list[i]);
  return text + "]";
}

std::vector<FieldDifference> flat(const RunSpec& spec) {
  std::vector<FieldDifference> rows{{"name", as_toml(spec.name), ""}};
  RunSpec::sections(spec, [&](std::string_view section, const auto& fields) {
    std::decay_t<decltype(fields)>::fields(
        fields, [&](std::string_view key, const auto& value, const Choices&) {
          rows.push_back({std::string(section) + "." + std::string(key), as_toml(value), ""});
        });
  });
  return rows;
}

bool looks_like_toml(std::string_view value) {
  if (value.empty()) return false;
  const char first = value.front();
  return first == '"' || first == '\'' || first == '[' || first == '{' || value == "true" ||
         value == "false" || toml::parse("x = " + std::string(value)).succeeded();
}

}  // namespace

Result<RunSpec> parse_run_spec(std::string_view toml, std::string_view origin) {
  const auto table = parse_table(toml, origin);
  if (!table) return pass(table);
  RunSpec spec;
  if (auto read = read_sections(*table, origin, spec); !read) return pass(read);
  return spec;
}

Result<PresetSpec> parse_preset_spec(std::string_view toml, std::string_view origin,
                                     const std::vector<std::string>& others) {
  const auto table = parse_table(toml, origin);
  if (!table) return pass(table);
  std::vector<std::string> beside = others;
  beside.emplace_back("quick");
  PresetSpec preset;
  if (auto read = read_sections(*table, origin, preset.full, beside); !read) return pass(read);
  const auto* quick = table->get("quick");
  if (quick == nullptr) return preset;
  if (quick->as_table() == nullptr) {
    return bad_request(place(origin, quick->source()) + "quick must be a table: [quick]");
  }
  preset.quick = preset.full;
  if (auto read = read_sections(*quick->as_table(), origin, *preset.quick); !read)
    return pass(read);
  return preset;
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
  const auto dot = key.find('.');
  const std::string last = dot == std::string::npos ? key : key.substr(dot + 1);
  const std::string section = dot == std::string::npos ? "" : key.substr(0, dot);
  toml::table leaf;
  if (looks_like_toml(value)) {
    auto parsed = parse_table("x = " + value, origin);
    if (!parsed) return pass(parsed);
    if (parsed->size() != 1) return bad_request(origin + ": set one value at a time");
    leaf.insert(last, std::move(*parsed->get("x")));
  } else {
    leaf.insert(last, value);
  }
  toml::table root;
  if (section.empty()) {
    root = std::move(leaf);
  } else {
    root.insert(section, std::move(leaf));
  }
  RunSpec changed = spec;
  if (auto read = read_sections(root, "--set", changed); !read) return read;
  spec = std::move(changed);
  return {};
}

std::string to_toml(const RunSpec& spec) {
  std::string text = "name = " + as_toml(spec.name) + "\n";
  RunSpec::sections(spec, [&](std::string_view section, const auto& fields) {
    text += "\n[" + std::string(section) + "]\n";
    std::decay_t<decltype(fields)>::fields(
        fields, [&](std::string_view key, const auto& value, const Choices&) {
          text += std::string(key) + " = " + as_toml(value) + "\n";
        });
  });
  return text;
}

std::vector<FieldDifference> differences(const RunSpec& left, const RunSpec& right) {
  auto rows = flat(left);
  const auto others = flat(right);
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i].right = others[i].left;
  std::erase_if(rows, [](const FieldDifference& row) { return row.left == row.right; });
  return rows;
}

std::int64_t process_count(const RunSpec& spec) {
  return spec.devices.parallel == "dp" ? 1 : spec.devices.world_size;
}

std::int64_t sampler_seed(const RunSpec& spec) {
  return spec.sampler.seed < 0 ? spec.train.seed : spec.sampler.seed;
}

std::string display_name(const RunSpec& spec) {
  if (!spec.name.empty()) return spec.name;
  const std::string ranks = std::to_string(spec.devices.world_size);
  const std::string unit = spec.devices.world_size == 1 ? " rank" : " ranks";
  if (!spec.program.argv.empty()) return spec.program.argv.front() + " · " + ranks + unit;
  return spec.model.name + " · " + spec.data.name + " · " + ranks + unit;
}

}  // namespace ringside::messages
