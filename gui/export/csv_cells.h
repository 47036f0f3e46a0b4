// Converts one field of one record into one cell. Pure; any thread. An empty cell means "unknown":
// kUnknownF, -1 or NaN in a field that may be unknown according to its record, or a device reading
// without its validity bit. Any other NaN that a rank reported is a value and written as `nan`.
#pragma once

#include <string>
#include <string_view>
#include <type_traits>

#include "gui/export/csv_text.h"
#include "protocol/messages/records.h"

namespace ringside::exporting {

enum class CellRule : std::uint8_t {
  kPlain,
  kLeading,       ///< epoch and step, which come before the other fields
  kMayBeUnknown,  ///< it, or an item of a list, may be -1 or NaN
  kIfValid,       ///< device readings with a bit in DeviceSample::valid
};

template <class Body>
CellRule cell_rule(std::string_view field) {
  if (field == "epoch" || field == "step") return CellRule::kLeading;
  if constexpr (std::is_same_v<Body, messages::DeviceSample>) {
    bool measured = false;
    messages::DeviceSample any;
    messages::DeviceSample::measured(
        any, [&](auto, std::string_view name, const auto&) { measured |= name == field; });
    return measured ? CellRule::kIfValid : CellRule::kPlain;
  }
  if constexpr (requires { Body::kUnknownFields; }) {
    const std::string name = ", " + std::string(field) + ",";
    if (Body::kUnknownFields.find(name) != std::string_view::npos) return CellRule::kMayBeUnknown;
  }
  return CellRule::kPlain;
}

namespace detail {

template <class T>
bool is_unknown(CellRule rule, const T& value) {
  if constexpr (std::is_floating_point_v<T>) {
    if constexpr (std::is_same_v<T, float>) {
      if (messages::is_unknown(value)) return true;
    }
    return rule == CellRule::kMayBeUnknown && std::isnan(value);
  } else if constexpr (std::is_signed_v<T>) {
    return rule == CellRule::kMayBeUnknown && value == T{-1};
  } else {
    return false;
  }
}

}  // namespace detail

/// Maximum number of characters of a cell.
template <class T>
std::size_t cell_room(const T& value) {
  if constexpr (std::is_same_v<T, std::string>) {
    return text_room(value);
  } else if constexpr (std::is_arithmetic_v<T> || std::is_enum_v<T>) {
    return kNumberRoom;
  } else {
    return value.size() * kNumberRoom + 1;
  }
}

/// The text of one field. Enumerations are written by name, lists with `;` between their items.
template <class T>
char* put_cell(char* at, CellRule rule, const T& value) {
  if constexpr (std::is_same_v<T, std::string>) {
    return put_text(at, value);
  } else if constexpr (std::is_enum_v<T>) {
    return put_raw(at, messages::name_of(value));
  } else if constexpr (std::is_arithmetic_v<T>) {
    return detail::is_unknown(rule, value) ? at : put_number(at, value);
  } else {
    bool first = true;
    for (const auto& item : value) {
      if (!first) *at++ = ';';
      first = false;
      if (!detail::is_unknown(rule, item)) at = put_number(at, item);
    }
    return at;
  }
}

}  // namespace ringside::exporting
