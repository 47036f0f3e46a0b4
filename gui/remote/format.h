// Constants that both ends agree on (FORMAT.md).
#pragma once

#include <cstddef>
#include <string_view>

namespace ringside::remote {

/// Raised whenever an older end would misunderstand a newer one.
inline constexpr int kProtocol = 1;
/// Precedes the first frame. Output of the login comes before it and is skipped.
inline constexpr std::string_view kGreeting = "\nringside serve-stdio\n";
/// Maximum number of bytes before the greeting.
inline constexpr std::size_t kMostNoiseBytes = std::size_t{64} << 10;
/// Maximum size of an answer to "read": what the asker waits for at a time.
inline constexpr std::size_t kMostReadBytes = std::size_t{8} << 20;
/// Maximum size of a settings file that is sent.
inline constexpr std::size_t kMostInputBytes = std::size_t{1} << 20;
/// Number of bytes before the offset whose checksum shows that a partial copy is of the same file.
inline constexpr std::size_t kCheckBytes = 4096;

}  // namespace ringside::remote
