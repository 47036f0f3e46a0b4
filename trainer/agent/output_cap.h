// Limits the output files of ranks: a file above the cap is cut to its newest part. The ranks
// continue to write to the same file and are not affected. Used by the agent's loop.
#pragma once

#include <cstdint>
#include <filesystem>

#include "protocol/base/result.h"

namespace ringside::agent {

struct OutputCap {
  std::uint64_t most_bytes = std::uint64_t{256} << 20;  ///< per stream of a rank
  std::uint64_t kept_bytes = std::uint64_t{16} << 20;   ///< newest part that stays after a cut
};

/// Cuts the file if it is larger than the cap; it then has a line that says so, followed by its
/// newest part. True when it was cut. Output written during the cut (milliseconds) may be lost. The
/// file must be open with O_APPEND.
Result<bool> hold_to_cap(const std::filesystem::path& path, const OutputCap& cap);

}  // namespace ringside::agent
