// How one field of one record becomes one cell. Pure; any thread.
// An empty cell means "not known": -1 and kUnknownF where records.h says so, any not-a-number of a
// host sample, a device reading without its validity bit, kNoRank. Another not-a-number that a rank
// reported is a fact and stands as `nan`.
#pragma once

#include <string>
#include <string_view>
#include <type_traits>

#include "gui/export/csv_text.h"
#include "protocol/messages/records.h"

namespace ringside::exporting {

enum class CellRule : std::uint8_t {
  kPlain,
  kLeading,            ///< epoch and step: they stand before the other fields
  kMinusOneIsUnknown,  ///< also for the items of a list
  kNanIsUnknown,       ///< also for the items of a list
  kIfValid,            ///< device readings with a bit in DeviceSample::valid
};

/// The rule of a field, by its record and name.
CellRule cell_rule(messages::RecordType type, std::string_view field);

namespace detail {

template <class T>
bool is_unknown(CellRule rule, const T& value) {
  if constexpr (std::is_floating_point_v<T>) {
    if constexpr (std::is_same_v<T, float>) {
      if (messages::is_unknown(value)) return true;
    }
    return rule == CellRule::kNanIsUnknown && std::isnan(value);
  } else if constexpr (std::is_signed_v<T>) {
    return rule == CellRule::kMinusOneIsUnknown && value == T{-1};
  } else {
    return false;
  }
}

}  // namespace detail

/// Characters a cell may take at most.
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
