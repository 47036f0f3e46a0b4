// Structs with fields() as JSON objects with the same keys: messages between agents of different
// nodes, and between an agent and its tasks. Pure.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <type_traits>
#include <vector>

namespace ringside::agent {

template <class T>
concept HasFields = requires(const T& value) {
  T::fields(value, [](const char*, const auto&) {});
};

template <class T>
struct IsList : std::false_type {};
template <class T>
struct IsList<std::vector<T>> : std::true_type {};

template <class T>
nlohmann::json to_json(const T& value) {
  auto json = nlohmann::json::object();
  if constexpr (HasFields<T>) {
    T::fields(value, [&](const char* name, const auto& field) { json[name] = to_json(field); });
  } else if constexpr (IsList<T>::value) {
    json = nlohmann::json::array();
    for (const auto& one : value) json.push_back(to_json(one));
  } else if constexpr (std::is_enum_v<T>) {
    json = static_cast<std::underlying_type_t<T>>(value);
  } else if constexpr (!std::is_empty_v<T>) {
    json = value;
  }
  return json;
}

/// Reads the keys that exist with the right type and leaves the others unchanged. False when one
/// was missing.
template <class T>
bool read_json(const nlohmann::json& json, T& value) {
  bool whole = true;
  if constexpr (HasFields<T>) {
    T::fields(value, [&](const char* name, auto& field) {
      whole = json.is_object() && json.contains(name) && read_json(json[name], field) && whole;
    });
  } else if constexpr (IsList<T>::value) {
    whole = json.is_array();
    for (const auto& one : json) whole = whole && read_json(one, value.emplace_back());
  } else if constexpr (std::is_empty_v<T>) {
    whole = json.is_object();
  } else if constexpr (std::is_same_v<T, std::string>) {
    whole = json.is_string();
    if (whole) value = json.get<std::string>();
  } else if constexpr (std::is_same_v<T, bool>) {
    whole = json.is_boolean();
    if (whole) value = json.get<bool>();
  } else {
    whole = json.is_number_integer();
    if (whole) value = static_cast<T>(json.get<std::int64_t>());
  }
  return whole;
}

}  // namespace ringside::agent
