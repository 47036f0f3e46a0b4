// The fields of a struct under their own names, in the order in which they are written and read:
// each is named once.
#pragma once

#include <string_view>

#define RINGSIDE_VISIT(field, ...) \
  visit(#field, self.field);       \
  __VA_OPT__(RINGSIDE_VISIT_REST RINGSIDE_NOTHING()()(__VA_ARGS__))
#define RINGSIDE_VISIT_REST() RINGSIDE_VISIT
#define RINGSIDE_NOTHING()
// A scan goes one field further: enough for 40, and more of them do not compile.
#define RINGSIDE_SCAN(...) RINGSIDE_SCAN_C(RINGSIDE_SCAN_C(RINGSIDE_SCAN_C(__VA_ARGS__)))
#define RINGSIDE_SCAN_C(...) RINGSIDE_SCAN_B(RINGSIDE_SCAN_B(RINGSIDE_SCAN_B(__VA_ARGS__)))
#define RINGSIDE_SCAN_B(...) RINGSIDE_SCAN_A(RINGSIDE_SCAN_A(RINGSIDE_SCAN_A(__VA_ARGS__)))
#define RINGSIDE_SCAN_A(...) __VA_ARGS__

/// In a struct: `fields(self, visit)`, which calls `visit("name", self.name)` for each field.
#define RINGSIDE_FIELDS(...)                      \
  template <class Self, class Visit>              \
  static void fields(Self& self, Visit&& visit) { \
    RINGSIDE_SCAN(RINGSIDE_VISIT(__VA_ARGS__))    \
  }

/// In a struct: the fields that are unknown where they, or items of theirs, are -1 or not a number.
#define RINGSIDE_UNKNOWN(...) \
  static constexpr std::string_view kUnknownFields = ", " #__VA_ARGS__ ",";
