// Reads a TOML table into structs and writes them as TOML, using the same list of fields: `static
// void fields(Self& s, Visit&& visit)` calls visit("key", s.member) for each member, or passes a
// Field in place of the key, whose allowed words are checked and whose range is named in errors. A
// member that is a struct is a table, a vector of structs is a list of tables. Values; any thread.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "protocol/base/nearest.h"
#include "protocol/messages/field.h"
#include "protocol/messages/spec/toml_value.h"

namespace ringside::messages {

/// Treatment of keys that match no field and of values of the wrong type.
enum class TomlMode : std::uint8_t {
  kStrict,   ///< an error that names the line and the nearest key: a person wrote the file
  kLenient,  ///< ignored: another version of the program may have written it
};

template <class T>
struct IsList : std::false_type {};
template <class T>
struct IsList<std::vector<T>> : std::true_type {};

template <class T>
concept TomlScalar = std::is_arithmetic_v<T> || std::is_same_v<T, std::string>;
template <class T>
concept TomlLeaf = TomlScalar<T> ||(IsList<T>::value);

/// Name of a value of this type in errors: "a whole number".
template <class T>
std::string type_text() {
  if constexpr (std::is_same_v<T, std::string>) return "a text";
  if constexpr (std::is_same_v<T, bool>) return "true or false";
  if constexpr (std::is_integral_v<T>) return "a whole number";
  if constexpr (std::is_floating_point_v<T>) return "a number";
  if constexpr (std::is_same_v<T, std::vector<std::string>>) return "a list of strings";
  if constexpr (std::is_same_v<T, std::vector<std::int64_t>>) return "a list of whole numbers";
  if constexpr (std::is_same_v<T, std::vector<double>>) return "a list of numbers";
  return "a list";
}

/// The visitor that reads one table. It keeps its first error for finish().
class TomlReader {
 public:
  /// `name` of the table in errors, empty at the top level; `origin` names the text. All arguments
  /// must outlive the reader.
  TomlReader(const TomlTable& table, std::string_view origin, TomlMode mode = TomlMode::kStrict,
             std::string name = {})
      : table_(table), origin_(origin), mode_(mode), name_(std::move(name)) {}

  template <class T>
  void operator()(std::string_view key, T& value) {
    (*this)(Field{key, {}, {}}, value);
  }
  template <class T>
  void operator()(const Field& field, T& value) {
    known_.emplace_back(field.key);
    const TomlValue* node = find(table_, field.key);
    if (node == nullptr || !result_) return;
    range_ = range_text(field);
    read(*node, full_name(field.key), value);
    if constexpr (std::is_same_v<T, std::string>) check_word(*node, field, value);
  }

  bool has(std::string_view key) const { return find(table_, key) != nullptr; }

  /// The first error, or an error for a key that matches no field.
  Result<void> finish();

 private:
  template <class T>
  static bool take(const TomlValue& node, T& value);
  template <class T>
  bool take(const TomlValue& node, std::vector<T>& list) const;

  template <class T>
  void read(const TomlValue& node, const std::string& name, T& value);
  template <class T>
  void read(const TomlValue& node, const std::string& name, std::optional<T>& value) {
    read(node, name, value ? *value : value.emplace());
  }
  template <class T>
  void read(const TomlValue& node, const std::string& name, std::vector<T>& list);

  void check_word(const TomlValue& node, const Field& field, const std::string& value);
  std::string full_name(std::string_view key) const {
    return name_.empty() ? std::string(key) : name_ + "." + std::string(key);
  }
  void refuse(const TomlValue& node, const std::string& why);
  void refuse_type(const TomlValue& node, const std::string& name, const std::string& type);

  const TomlTable& table_;
  std::string_view origin_;
  TomlMode mode_;
  std::string name_;
  std::vector<std::string> known_;
  std::string range_;  ///< range of the field that is being read
  Result<void> result_;
};

/// Reads all fields of a struct from TOML text.
template <class T>
Result<void> read_toml(std::string_view text, std::string_view origin, T& value,
                       TomlMode mode = TomlMode::kStrict) {
  const auto table = RINGSIDE_TRY(parse_toml(text, origin));
  TomlReader reader(table, origin, mode);
  T::fields(value, reader);
  return reader.finish();
}

/// The visitor that writes a struct: its values first, then its tables.
class TomlWriter {
 public:
  /// With `sparse`, values that are zero, false or empty are left out.
  explicit TomlWriter(bool sparse = false, std::string name = {})
      : sparse_(sparse), name_(std::move(name)) {}

  template <class T>
  void operator()(const Field& field, const T& value) {
    (*this)(field.key, value);
  }
  template <class T>
  void operator()(std::string_view key, const T& value) {
    if constexpr (TomlLeaf<T>) {
      if (!sparse_ || !(value == T{})) values_ += std::string(key) + " = " + text_of(value) + "\n";
    } else {
      TomlWriter inner(sparse_, name_.empty() ? std::string(key) : name_ + "." + std::string(key));
      T::fields(value, inner);
      if (!sparse_ || !inner.values_.empty())
        tables_ += "\n[" + inner.name_ + "]\n" + inner.values_;
      tables_ += inner.tables_;
    }
  }

  std::string text() const { return values_ + tables_; }

 private:
  template <class T>
  static std::string text_of(const T& value) {
    if constexpr (std::is_floating_point_v<T>)
      return toml_text(static_cast<double>(value));
    else
      return toml_text(value);
  }

  bool sparse_;
  std::string name_;
  std::string values_;
  std::string tables_;
};

template <class T>
std::string write_toml(const T& value, bool sparse = false) {
  TomlWriter writer(sparse);
  T::fields(value, writer);
  return writer.text();
}

// ---- implementation ----------------------------------------------------------------------------

template <class T>
bool TomlReader::take(const TomlValue& node, T& value) {
  if constexpr (std::is_floating_point_v<T>) {
    if (const auto* whole = std::get_if<std::int64_t>(&node.data)) {
      value = static_cast<T>(*whole);
      return true;
    }
    const auto* number = std::get_if<double>(&node.data);
    if (number != nullptr) value = static_cast<T>(*number);
    return number != nullptr;
  } else {
    const auto* got = std::get_if<T>(&node.data);
    if (got != nullptr) value = *got;
    return got != nullptr;
  }
}

template <class T>
bool TomlReader::take(const TomlValue& node, std::vector<T>& list) const {
  const auto* items = std::get_if<TomlList>(&node.data);
  if (items == nullptr) return false;
  std::vector<T> taken;
  for (const TomlValue& item : *items) {
    if (take(item, taken.emplace_back())) continue;
    if (mode_ == TomlMode::kStrict) return false;
    taken.pop_back();
  }
  list = std::move(taken);
  return true;
}

template <class T>
void TomlReader::read(const TomlValue& node, const std::string& name, T& value) {
  if constexpr (TomlScalar<T>) {
    if (!take(node, value)) refuse_type(node, name, type_text<T>());
  } else {
    const auto* table = std::get_if<TomlTable>(&node.data);
    if (table == nullptr) return refuse(node, name + " must be a table: [" + name + "]");
    TomlReader inner(*table, origin_, mode_, name);
    T::fields(value, inner);
    auto done = inner.finish();
    if (!done) {
      result_ = std::move(done);
    } else if constexpr (requires { value.problem(); }) {
      if (std::string why = value.problem(); !why.empty()) refuse(node, name + why);
    }
  }
}

template <class T>
void TomlReader::read(const TomlValue& node, const std::string& name, std::vector<T>& list) {
  if constexpr (TomlLeaf<T>) {
    if (!take(node, list)) refuse_type(node, name, type_text<std::vector<T>>());
  } else {
    const auto* items = std::get_if<TomlList>(&node.data);
    if (items == nullptr && !std::holds_alternative<TomlTable>(node.data))
      return refuse(node, name + " must be a list of tables");
    if (items == nullptr) return read(node, name, list.emplace_back());
    for (const TomlValue& item : *items) {
      if (result_) read(item, name, list.emplace_back());
    }
  }
}

}  // namespace ringside::messages
