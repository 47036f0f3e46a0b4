// When the agent saw what a rank had written to its streams: `output_times` beside the files, since
// the lines themselves carry no time. Text, a line for each second in which they grew: wall_ns, and
// the bytes of stdout and of stderr then. Written by the agent, read by viewers; any thread.
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "protocol/base/result.h"

namespace ringside::runlog {

struct OutputMark {
  std::int64_t wall_ns = 0;
  std::uint64_t stdout_bytes = 0;
  std::uint64_t stderr_bytes = 0;
};

/// Of a rank's folder.
std::filesystem::path output_times_path(const std::filesystem::path& rank_folder);

Result<void> append_output_mark(const std::filesystem::path& rank_folder, const OutputMark& mark);

/// Ascending; the newest of them where there are very many, and those since a stream was cut.
/// Nothing where there is no such file.
std::vector<OutputMark> read_output_marks(const std::filesystem::path& rank_folder);

}  // namespace ringside::runlog
