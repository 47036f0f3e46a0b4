// Keeps what ranks print from filling the disk: a file above the cap loses all but its newest part.
// The ranks go on writing into the same file and notice nothing. Used by the agent's loop.
#pragma once

#include <cstdint>
#include <filesystem>

#include "protocol/base/result.h"

namespace ringside::agent {

struct OutputCap {
  std::uint64_t most_bytes = std::uint64_t{256} << 20;  ///< of one stream of one rank
  std::uint64_t kept_bytes = std::uint64_t{16} << 20;   ///< of its newest, when it is cut
};

/// Cuts the file when it is larger than the cap: it then holds a line that says so and its newest
/// part. True when it was cut. What a rank writes during the cut itself (milliseconds) may be lost.
/// The file must be written with O_APPEND.
Result<bool> hold_to_cap(const std::filesystem::path& path, const OutputCap& cap);

}  // namespace ringside::agent
