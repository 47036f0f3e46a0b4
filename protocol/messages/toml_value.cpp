#include "protocol/messages/toml_value.h"

#include <algorithm>
#include <charconv>
#include <cmath>

// Debian builds its library with exceptions only, so the parser is compiled here.
#define TOML_EXCEPTIONS 0
#undef TOML_SHARED_LIB
#undef TOML_HEADER_ONLY
#define TOML_HEADER_ONLY 1
#define TOML_ENABLE_FORMATTERS 0
// It asserts what a file can break ("[[[") and then reports that well: no file may end the program.
#define TOML_ASSERT(...) static_cast<void>(0)
#include <toml++/toml.h>

#include "protocol/base/printable.h"

namespace ringside::messages {
namespace {

TomlTable plain(const toml::table& table);

TomlValue plain(const toml::node& node) {
  TomlValue value;
  value.line = static_cast<int>(node.source().begin.line);
  if (const auto* flag = node.as_boolean()) value.data = flag->get();
  if (const auto* whole = node.as_integer()) value.data = whole->get();
  if (const auto* number = node.as_floating_point()) value.data = number->get();
  if (const auto* text = node.as_string()) value.data = text->get();
  if (const auto* table = node.as_table()) value.data = plain(*table);
  if (const auto* array = node.as_array()) {
    auto& list = value.data.emplace<TomlList>();
    for (const auto& item : *array) list.push_back(plain(item));
  }
  return value;
}

TomlTable plain(const toml::table& table) {
  TomlTable entries;
  for (const auto& [key, node] : table) entries.push_back({std::string(key.str()), plain(node)});
  return entries;
}

}  // namespace

Result<TomlTable> parse_toml(std::string_view text, std::string_view origin) {
  const auto parsed = toml::parse(text);
  if (parsed) return plain(parsed.table());
  return bad_request(std::string(origin) + ":" +
                     std::to_string(parsed.error().source().begin.line) + ": " +
                     std::string(parsed.error().description()));
}

const TomlValue* find(const TomlTable& table, std::string_view key) {
  const auto found = std::find_if(table.begin(), table.end(),
                                  [&](const TomlEntry& entry) { return entry.key == key; });
  return found == table.end() ? nullptr : &found->value;
}

std::string toml_text(const TomlValue& value) {
  return std::visit(
      [](const auto& data) -> std::string {
        using T = std::decay_t<decltype(data)>;
        if constexpr (std::is_same_v<T, std::monostate>) {
          return "a date or time";
        } else if constexpr (std::is_same_v<T, TomlTable>) {
          std::string text;
          for (const TomlEntry& entry : data)
            text += (text.empty() ? "" : ", ") + entry.key + " = " + toml_text(entry.value);
          return "{" + text + "}";
        } else {
          return toml_text(data);
        }
      },
      value.data);
}

std::string toml_text(const std::string& text) { return toml_string(text); }
std::string toml_text(bool value) { return value ? "true" : "false"; }
std::string toml_text(std::int64_t value) { return std::to_string(value); }

std::string toml_text(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  char buffer[32];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, value).ptr;
  std::string text(buffer, end);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

}  // namespace ringside::messages
