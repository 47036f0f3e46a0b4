#include "gui/view/table_filter.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <optional>
#include <utility>

#include "protocol/base/text.h"

namespace ringside::view {
namespace {

// Longer signs come first, since ">=" begins with ">".
constexpr std::array<std::pair<std::string_view, Comparison>, 7> kSigns{
    {{">=", Comparison::kAtLeast},
     {"<=", Comparison::kAtMost},
     {"!=", Comparison::kNotEqual},
     {">", Comparison::kGreater},
     {"<", Comparison::kLess},
     {"=", Comparison::kEqual},
     {":", Comparison::kHas}}};

RowTest row_test(std::string_view word) {
  const std::size_t at = word.find_first_of("<>!=:");
  if (at != std::string_view::npos && at > 0) {
    for (const auto& [sign, comparison] : kSigns) {
      if (word.substr(at).starts_with(sign))
        return {std::string(word), std::string(word.substr(0, at)), comparison,
                std::string(word.substr(at + sign.size()))};
    }
  }
  return {std::string(word), {}, Comparison::kHas, std::string(word)};
}

/// Returns whether the typed number is the one that the cell prints, which is rounded and may be a
/// percentage of the value: 81.4 % fits 81.40.
bool is_printed(const Cell& cell, std::string_view typed) {
  const auto* const value = std::get_if<double>(&cell.value);
  const auto wanted = typed_number(typed);
  const char* const begin = cell.text.data();
  double printed = 0;
  const auto read = std::from_chars(begin, begin + cell.text.size(), printed);
  if (value == nullptr || !wanted || read.ec != std::errc()) return false;
  const char* const point = std::find(begin, read.ptr, '.');
  const auto decimals = std::max<std::ptrdiff_t>(0, read.ptr - point - 1);
  const double half = 0.5000001 * std::pow(10.0, -static_cast<double>(decimals));
  // A text that is no rounded value, such as "1:23" of 83 seconds, fits neither scale.
  return std::ranges::any_of(std::array{1.0, 100.0}, [&](double scale) {
    return std::abs(*value * scale - printed) <= half &&
           std::abs(*wanted * scale - printed) <= 1e-9 * std::abs(printed);
  });
}

/// Returns -1, 0 or 1 if the value is less than, equal to or greater than the typed one; empty if
/// they cannot be compared.
std::optional<int> order_of(const CellValue& value, std::string_view typed) {
  if (const auto* text = std::get_if<std::string>(&value)) {
    const int order = lower_case(*text).compare(lower_case(typed));
    return order < 0 ? -1 : static_cast<int>(order > 0);
  }
  if (const auto* flag = std::get_if<bool>(&value))
    return static_cast<int>(*flag) - static_cast<int>(typed == "true" || typed == "yes");
  const double number = number_of(value);
  const auto other = typed_number(typed);
  if (std::isnan(number) || !other) return std::nullopt;
  return number < *other ? -1 : static_cast<int>(number > *other);
}

}  // namespace

std::optional<double> typed_number(std::string_view text) {
  const bool percent = text.ends_with('%');
  if (percent) text.remove_suffix(1);
  double number = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  if (read.ec != std::errc() || read.ptr != text.data() + text.size()) return std::nullopt;
  if (!std::isfinite(number)) return std::nullopt;
  return percent ? number / 100 : number;
}

bool has_text(std::string_view text, std::string_view part) {
  return lower_case(text).find(lower_case(part)) != std::string::npos;
}

std::vector<RowTest> row_tests(std::string_view filter) {
  std::vector<RowTest> tests;
  for (const std::string_view word : parts_of(filter, ' ')) {
    if (!word.empty()) tests.push_back(row_test(word));
  }
  return tests;
}

std::size_t named_column(const std::vector<TableColumn>& columns, std::string_view name) {
  const auto place = [&](auto&& is) {
    return static_cast<std::size_t>(std::ranges::find_if(columns, is) - columns.begin());
  };
  const std::size_t by_key = place([&](const TableColumn& one) { return one.key == name; });
  if (by_key < columns.size()) return by_key;
  return place([&](const TableColumn& one) {
    return !one.label.empty() && lower_case(one.label) == lower_case(name);
  });
}

bool fits(const RowTest& test, const Cell& cell) {
  if (test.value.empty()) return true;
  const auto order = order_of(cell.value, test.value);
  // The text is compared too, since the value of a state is a number and people type its word.
  const bool equal = (order && *order == 0) || is_printed(cell, test.value) ||
                     lower_case(cell.text) == lower_case(test.value);
  switch (test.comparison) {
    case Comparison::kHas:
      return equal || (!typed_number(test.value) && has_text(cell.text, test.value)) ||
             (std::holds_alternative<std::string>(cell.value) &&
              has_text(std::get<std::string>(cell.value), test.value));
    case Comparison::kEqual:
      return equal;
    case Comparison::kNotEqual:
      return !equal;
    case Comparison::kLess:
      return order && *order < 0;
    case Comparison::kAtMost:
      return order && (*order <= 0 || equal);
    case Comparison::kGreater:
      return order && *order > 0;
    case Comparison::kAtLeast:
      return order && (*order >= 0 || equal);
  }
  return false;
}

}  // namespace ringside::view
