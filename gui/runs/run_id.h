// Names of run folders. Pure.
#pragma once

#include <cstddef>
#include <string_view>

namespace ringside::runs {

inline constexpr std::size_t kIdBytes = 23;

/// Whether the text is an id such as "20261121T134005Z-7f3a1c", as made by runlog::make_run_id.
inline bool is_run_id(std::string_view text) {
  constexpr std::string_view kShape = "ddddddddTddddddZ-xxxxxx";
  static_assert(kShape.size() == kIdBytes);
  if (text.size() != kIdBytes) return false;
  for (std::size_t i = 0; i < kIdBytes; ++i) {
    const bool digit = text[i] >= '0' && text[i] <= '9';
    const bool letter = text[i] >= 'a' && text[i] <= 'f';
    const bool fits = kShape[i] == 'd'   ? digit
                      : kShape[i] == 'x' ? digit || letter
                                         : text[i] == kShape[i];
    if (!fits) return false;
  }
  return true;
}

}  // namespace ringside::runs
