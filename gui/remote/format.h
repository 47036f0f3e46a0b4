// What both ends agree on (FORMAT.md). Constants.
#pragma once

#include <cstddef>
#include <string_view>

namespace ringside::remote {

/// Changes whenever an older end would misunderstand a newer one.
inline constexpr int kProtocol = 1;
/// Before the first frame. Whatever a login there prints stands before it and is skipped.
inline constexpr std::string_view kGreeting = "\nringside serve-stdio\n";
/// So much may stand before it.
inline constexpr std::size_t kMostNoiseBytes = std::size_t{64} << 10;
/// Of an answer to "read": what the asker waits for at a time.
inline constexpr std::size_t kMostReadBytes = std::size_t{8} << 20;
/// An experiment file that is sent there.
inline constexpr std::size_t kMostInputBytes = std::size_t{1} << 20;
/// So many bytes before the offset are compared by their checksum, to be sure that a copy is one.
inline constexpr std::size_t kCheckBytes = 4096;

}  // namespace ringside::remote
