// TOML text as plain values, each with its line number, so that only one translation unit includes
// the parser. toml_fields.h reads the values into structs. Pure; any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "protocol/base/result.h"

namespace ringside::messages {

struct TomlValue;
struct TomlEntry;
using TomlList = std::vector<TomlValue>;
using TomlTable = std::vector<TomlEntry>;  ///< sorted by key

struct TomlValue {
  /// std::monostate stands for a date or a time, which none of our files contains.
  std::variant<std::monostate, bool, std::int64_t, double, std::string, TomlList, TomlTable> data;
  int line = 0;  ///< from 1; 0: not read from a text
};

struct TomlEntry {
  std::string key;
  TomlValue value;
};

/// Fails with "ORIGIN:LINE: what is wrong" when the text is not TOML.
Result<TomlTable> parse_toml(std::string_view text, std::string_view origin);

/// Null when the table has no such key.
const TomlValue* find(const TomlTable& table, std::string_view key);

/// Values as TOML text, which parses back to the same values.
std::string toml_text(const TomlValue& value);
std::string toml_text(const std::string& text);
std::string toml_text(bool value);
std::string toml_text(std::int64_t value);
std::string toml_text(double value);

template <class T>
std::string toml_text(const std::vector<T>& list) {
  std::string text = "[";
  for (std::size_t i = 0; i < list.size(); ++i) text += (i == 0 ? "" : ", ") + toml_text(list[i]);
  return text + "]";
}

}  // namespace ringside::messages
