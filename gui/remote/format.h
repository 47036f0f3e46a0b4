// What both ends agree on (FORMAT.md). Constants.
#pragma once

#include <cstddef>
#include <string_view>

namespace ringside::remote {

/// Changes whenever an older end would misunderstand a newer one.
inline constexpr int kProtocol = 1;
/// Stands before the first frame. Whatever a login there prints comes before it and is skipped.
inline constexpr std::string_view kGreeting = "\nringside serve-stdio\n";
/// Most bytes that may stand before the greeting.
inline constexpr std::size_t kMostNoiseBytes = std::size_t{64} << 10;
/// Most bytes of an answer to "read": what the asker waits for at a time.
inline constexpr std::size_t kMostReadBytes = std::size_t{8} << 20;
/// A settings file that is sent there.
inline constexpr std::size_t kMostInputBytes = std::size_t{1} << 20;
/// Bytes before the offset that are compared by their checksum, to be sure that a copy is one.
inline constexpr std::size_t kCheckBytes = 4096;

}  // namespace ringside::remote
