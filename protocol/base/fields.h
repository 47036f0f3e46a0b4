// Lists the fields of a struct once, so that code can visit them by name in the order in which they
// are written and read.
#pragma once

#include <string_view>

#define RINGSIDE_VISIT(field, ...) \
  visit(#field, self.field);       \
  __VA_OPT__(RINGSIDE_VISIT_REST RINGSIDE_NOTHING()()(__VA_ARGS__))
#define RINGSIDE_VISIT_REST() RINGSIDE_VISIT
#define RINGSIDE_NOTHING()
// Each rescan expands one more field. The nesting suffices for 40 fields; a longer list does not
// compile.
#define RINGSIDE_SCAN(...) RINGSIDE_SCAN_C(RINGSIDE_SCAN_C(RINGSIDE_SCAN_C(__VA_ARGS__)))
#define RINGSIDE_SCAN_C(...) RINGSIDE_SCAN_B(RINGSIDE_SCAN_B(RINGSIDE_SCAN_B(__VA_ARGS__)))
#define RINGSIDE_SCAN_B(...) RINGSIDE_SCAN_A(RINGSIDE_SCAN_A(RINGSIDE_SCAN_A(__VA_ARGS__)))
#define RINGSIDE_SCAN_A(...) __VA_ARGS__

/// Used in a struct: defines `fields(self, visit)`, which calls `visit("name", self.name)` for each
/// field.
#define RINGSIDE_FIELDS(...)                      \
  template <class Self, class Visit>              \
  static void fields(Self& self, Visit&& visit) { \
    RINGSIDE_SCAN(RINGSIDE_VISIT(__VA_ARGS__))    \
  }

/// Used in a struct: lists the fields whose value (or an item of whose value) is unknown when it is
/// -1 or NaN.
#define RINGSIDE_UNKNOWN(...) \
  static constexpr std::string_view kUnknownFields = ", " #__VA_ARGS__ ",";
