// Reads the partitions of a cluster and their free resources from the output of sinfo and squeue.
// Pure, except for the function that runs them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "gui/launch/child.h"
#include "protocol/base/result.h"

namespace ringside::slurm {

struct Partition {
  std::string name;
  std::int64_t nodes = 0;
  std::int64_t cores = 0;
  std::int64_t cores_free = 0;  ///< on nodes that accept jobs
  std::int64_t gpus = 0;
  std::int64_t gpus_free = 0;  ///< on nodes that accept jobs
  std::int64_t waiting = 0;    ///< jobs in its queue
};

/// `sinfo`: its output for sinfo_words(), a line for each node of each partition. `squeue`: a line
/// with the partitions of each waiting job. Keeps the order of sinfo.
std::vector<Partition> parse_partitions(std::string_view sinfo, std::string_view squeue);
std::vector<std::string> sinfo_words();

/// Returns no partitions if PATH has no sinfo. Waits at most ten seconds for each program.
Result<std::vector<Partition>> ask_partitions(const launch::Cancelled& cancelled = {});

}  // namespace ringside::slurm
