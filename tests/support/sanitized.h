// Adjusts tests to the presets asan and tsan: their programs are several times slower, and most of
// their memory is the sanitizer's.
#pragma once

namespace ringside::testing {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif

/// Factor for the timeouts of tests; ctest's own limits grow alike (cmake/testing.cmake).
inline constexpr int kTimeoutFactor = kSanitized ? 5 : 1;

}  // namespace ringside::testing
