// What the presets asan and tsan change for a test: its programs are several times slower, and
// their memory is mostly the sanitizer's.
#pragma once

namespace ringside::testing {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif

/// How many times longer a test waits; ctest's own limits grow alike (cmake/testing.cmake).
inline constexpr int kTimeoutFactor = kSanitized ? 5 : 1;

}  // namespace ringside::testing
