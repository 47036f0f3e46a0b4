// The partitions of a cluster with what is free in them, from what sinfo and squeue print. Pure,
// but for the function that asks them.
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
  std::int64_t cores_free = 0;  ///< of nodes that take jobs
  std::int64_t gpus = 0;
  std::int64_t gpus_free = 0;  ///< likewise
  std::int64_t waiting = 0;    ///< jobs in its queue
};

/// `sinfo`: what it prints for sinfo_words(), a line for each node of each partition. `squeue`: a
/// line for each job that waits, with the names of its partitions. In the order of sinfo.
std::vector<Partition> parse_partitions(std::string_view sinfo, std::string_view squeue);
std::vector<std::string> sinfo_words();

/// No partitions where there is no sinfo in PATH. Waits for both programs, ten seconds at most
/// each.
Result<std::vector<Partition>> ask_partitions(const launch::Cancelled& cancelled = {});

}  // namespace ringside::slurm
